"""Facets of incidents through the API: labels, filters and limits (specification 7.11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from inbox.models.incidents.search import INCIDENTS
from inbox.models.incidents.tables import Incident
from inbox.services.incidents import facets as services
from tests.browser import Browser
from tests.cast import Cast, make_source, make_workspace, present, typeid
from tests.flow.routing_fixtures import incident, routed
from tests.flow.rulemaking import rule

Browsers = Callable[[str], Browser]
FACETS = "/v1/incidents/facets"
EVENTS = (
    {"key": "a", "severity": "CRITICAL", "resource": "host:db-1", "tags": ["prod", "db"], "type": "disk.usage"},
    {"key": "b", "severity": "ERROR", "resource": "host:db-2", "tags": ["prod"], "type": "disk.usage"},
    {"key": "c", "severity": "ERROR", "resource": "job:backup", "tags": ["nightly"], "type": "job.failed"},
    {"key": "d", "severity": "ERROR", "resource": "plain"},
)


@pytest.fixture
def four(cast: Cast) -> list[Incident]:
    """Four incidents of one source; a rule routed the critical one, and the last one is Mia's and resolved."""
    rule(cast.workspace, {"field": "severity", "op": "eq", "value": "CRITICAL"}, name="Critical")
    found = [incident(routed(cast.source, present(), **event).id) for event in EVENTS]
    resolved: dict[str, Any] = {"state": "resolved", "resolved_at": present(), "assignee_id": cast.users["mia"].id}
    Incident.update(resolved).where(Incident.id == found[3].id).execute()
    return found


def counts(answer: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The numbers of each facet by label."""
    return {
        name: {each["label"]: each["count"] for each in facet["values"]} for name, facet in answer["facets"].items()
    }


def test_a_facet_names_its_values_and_their_numbers(browser: Browsers, four: list[Incident]) -> None:
    answer = browser("vic").get(FACETS).get_json()

    assert counts(answer) == {
        "state": {"open": 3, "resolved": 1},
        "severity": {"ERROR": 3, "CRITICAL": 1},
        "sourceId": {"Prometheus": 4},
        "tag": {"prod": 2, "db": 1, "nightly": 1},
        "resourceKind": {"host": 2, "job": 1},
        "type": {"disk.usage": 2, "job.failed": 1},
        "assigneeId": {"Nobody": 3, "Mia": 1},
        "ruleId": {"Critical": 1},
    }
    assert answer["partial"] is False
    assert {facet["more"] for facet in answer["facets"].values()} == {False}


def test_each_value_is_one_that_the_filter_of_its_name_takes(browser: Browsers, four: list[Incident]) -> None:
    vic = browser("vic")
    facets = vic.get(FACETS).get_json()["facets"]

    assert len(facets) == len(INCIDENTS.faceted.dimensions)
    for name, facet in facets.items():
        for each in facet["values"]:
            listed = vic.get(f"/v1/incidents?{urlencode({name: each['value']})}").get_json()["items"]
            assert len(listed) == each["count"], (name, each)


def test_a_filter_narrows_every_facet_but_its_own(browser: Browsers, four: list[Incident]) -> None:
    found = counts(browser("vic").get(f"{FACETS}?severity=CRITICAL").get_json())

    assert found["severity"] == {"ERROR": 3, "CRITICAL": 1}
    assert found["tag"] == {"prod": 1, "db": 1}
    both = counts(browser("vic").get(f"{FACETS}?severity=CRITICAL&tag=nightly").get_json())
    assert (both["severity"], both["tag"], both["state"]) == ({"ERROR": 1}, {"prod": 1, "db": 1}, {})


def test_only_the_requested_facets_are_answered(browser: Browsers, four: list[Incident]) -> None:
    found = browser("vic").get(f"{FACETS}?facet=tag&facet=sourceId&facet=tag").get_json()

    assert set(found["facets"]) == {"tag", "sourceId"}


@pytest.mark.parametrize(
    ("prefix", "facet", "found"),
    [
        ("pr", "tag", {"prod": 2}),
        ("DB", "tag", {"db": 1}),
        ("", "tag", None),
        ("%25", "tag", {}),
        ("_", "type", {}),
        ("disk.", "type", {"disk.usage": 2}),
        ("h", "resourceKind", {"host": 2}),
        ("prom", "sourceId", {"Prometheus": 4}),
        ("src_", "sourceId", {}),
        ("no", "assigneeId", {"Nobody": 3}),
        ("mi", "assigneeId", {"Mia": 1}),
        ("crit", "ruleId", {"Critical": 1}),
        ("err", "severity", {"ERROR": 3}),
    ],
)
def test_a_prefix_leaves_the_values_whose_label_begins_with_it(
    browser: Browsers, four: list[Incident], prefix: str, facet: str, found: dict[str, int] | None
) -> None:
    answer = browser("vic").get(f"{FACETS}?facet={facet}&prefix={prefix}")

    assert answer.status_code == (422 if found is None else 200)
    assert found is None or counts(answer.get_json()) == {facet: found}


def test_a_prefix_finds_values_that_are_not_among_the_most_frequent(
    browser: Browsers, cast: Cast, four: list[Incident]
) -> None:
    Incident.update(tags=[f"tag-{number}" for number in range(30)]).where(Incident.id == four[0].id).execute()

    vic = browser("vic")

    assert "tag-29" not in counts(vic.get(f"{FACETS}?facet=tag").get_json())["tag"]
    assert counts(vic.get(f"{FACETS}?facet=tag&prefix=tag-29").get_json())["tag"] == {"tag-29": 1}
    shown = vic.get(f"{FACETS}?facet=tag&prefix=tag-").get_json()["facets"]["tag"]
    assert (len(shown["values"]), shown["more"]) == (20, True)


@pytest.mark.parametrize("name", ["limit=5", "sort=severity", "cursor=x", "offset=0", "facet=title", "facet=source_id"])
def test_an_unknown_filter_or_facet_of_incidents_is_refused(browser: Browsers, name: str) -> None:
    assert browser("vic").get(f"{FACETS}?{name}").status_code == 422


@pytest.mark.parametrize(("most", "is_partial"), [(3, True), (4, False), (5, False)])
def test_facets_of_too_many_incidents_are_partial(
    browser: Browsers, four: list[Incident], monkeypatch: pytest.MonkeyPatch, most: int, is_partial: bool
) -> None:
    monkeypatch.setattr(services, "MAX_INCIDENTS", most)

    answer = browser("vic").get(FACETS).get_json()

    assert answer["partial"] is is_partial
    assert sum(counts(answer)["state"].values()) == min(most, 4)


def test_facets_cover_the_workspaces_of_the_caller_alone(browser: Browsers, cast: Cast, four: list[Incident]) -> None:
    other = make_workspace("Other", viewer=cast.users["vic"])
    routed(make_source(other, "Elsewhere")[0], present(), key="e", severity="ERROR")
    everywhere = counts(browser("vic").get(FACETS).get_json())
    there = counts(browser("vic").get(f"{FACETS}?workspaceId={typeid('wsp', other.id)}").get_json())

    assert everywhere["sourceId"] == {"Prometheus": 4, "Elsewhere": 1}
    assert there["sourceId"] == {"Elsewhere": 1}
    assert set(map(len, counts(browser("eve").get(FACETS).get_json()).values())) == {0}
    foreign = browser("eve").get(f"{FACETS}?workspaceId={typeid('wsp', cast.workspace.id)}")
    assert set(map(len, counts(foreign.get_json()).values())) == {0}
