"""Facets of events through the API: labels, filters, completions and limits (specification 4.11)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from inbox.models.events.search import EVENTS
from inbox.services.incidents import facets as services
from tests.browser import Browser
from tests.cast import Cast, make_source, make_workspace, present, typeid
from tests.flow.routing_fixtures import routed
from tests.flow.rulemaking import rule

Browsers = Callable[[str], Browser]
FACETS = "/v1/events/facets"
SENT = (
    {"key": "a", "severity": "CRITICAL", "resource": "host:db-1", "tags": ["prod", "db"], "type": "disk.usage"},
    {"key": "a", "severity": "ERROR", "resource": "host:db-1", "tags": ["prod"], "type": "disk.usage"},
    {"key": "b", "severity": "INFO", "resource": "plain"},
    {"key": "a", "action": "resolve"},
)


@pytest.fixture
def four(cast: Cast) -> None:
    """Four events of one source; a rule routed the critical one."""
    rule(cast.workspace, {"field": "severity", "op": "eq", "value": "CRITICAL"}, name="Critical")
    for event in SENT:
        routed(cast.source, present(), **event)


def counts(answer: dict[str, Any]) -> dict[str, dict[str, int]]:
    """The numbers of each facet by label."""
    return {
        name: {each["label"]: each["count"] for each in facet["values"]} for name, facet in answer["facets"].items()
    }


@pytest.mark.usefixtures("four")
def test_a_facet_of_events_names_its_values_and_their_numbers(browser: Browsers) -> None:
    answer = browser("vic").get(FACETS).get_json()

    found = counts(answer)
    assert found["sourceId"] == {"Prometheus": 4}
    assert found["tag"] == {"prod": 2, "db": 1}
    assert found["resourceKind"] == {"host": 2}
    assert found["type"] == {"disk.usage": 2}
    assert found["ruleId"] == {"Critical": 1}
    assert found["action"]["resolve"] == 1
    assert sum(found["disposition"].values()) == 4
    assert answer["partial"] is False


@pytest.mark.usefixtures("four")
def test_each_value_is_one_that_the_filter_of_events_takes(browser: Browsers) -> None:
    vic = browser("vic")
    facets = vic.get(FACETS).get_json()["facets"]

    assert len(facets) == len(EVENTS.faceted.dimensions)
    for name, facet in facets.items():
        for each in facet["values"]:
            listed = vic.get(f"/v1/events?{urlencode({name: each['value']})}").get_json()["items"]
            assert len(listed) == each["count"], (name, each)


@pytest.mark.usefixtures("four")
def test_a_filter_narrows_every_facet_of_events_but_its_own(browser: Browsers) -> None:
    found = counts(browser("vic").get(f"{FACETS}?severity=CRITICAL").get_json())

    assert found["tag"] == {"prod": 1, "db": 1}
    assert found["severity"]["INFO"] == 1


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(
    ("prefix", "facet", "found"),
    [("PR", "tag", {"prod": 2}), ("prom", "sourceId", {"Prometheus": 4}), ("crit", "ruleId", {"Critical": 1}),
     ("%25", "tag", {})],
)  # fmt: skip
def test_a_prefix_completes_values_of_events(browser: Browsers, prefix: str, facet: str, found: dict[str, int]) -> None:
    answer = browser("vic").get(f"{FACETS}?facet={facet}&prefix={prefix}").get_json()

    assert counts(answer) == {facet: found}


@pytest.mark.parametrize("name", ["limit=5", "sort=severity", "cursor=x", "offset=0", "facet=state", "prefix="])
def test_an_unknown_filter_or_facet_of_events_is_refused(browser: Browsers, name: str) -> None:
    assert browser("vic").get(f"{FACETS}?{name}").status_code == 422


@pytest.mark.usefixtures("four")
@pytest.mark.parametrize(("most", "is_partial"), [(3, True), (4, False)])
def test_facets_of_too_many_events_are_partial(
    browser: Browsers, monkeypatch: pytest.MonkeyPatch, most: int, is_partial: bool
) -> None:
    monkeypatch.setattr(services, "MAX_EVENTS", most)

    answer = browser("vic").get(FACETS).get_json()

    assert answer["partial"] is is_partial
    assert sum(counts(answer)["severity"].values()) == most


@pytest.mark.usefixtures("four")
def test_facets_of_events_cover_the_workspaces_of_the_caller_alone(browser: Browsers, cast: Cast) -> None:
    other = make_workspace("Other", viewer=cast.users["vic"])
    routed(make_source(other, "Elsewhere")[0], present(), key="e", severity="ERROR")
    everywhere = counts(browser("vic").get(FACETS).get_json())
    there = counts(browser("vic").get(f"{FACETS}?workspaceId={typeid('wsp', other.id)}").get_json())

    assert everywhere["sourceId"] == {"Prometheus": 4, "Elsewhere": 1}
    assert there["sourceId"] == {"Elsewhere": 1}
    assert set(map(len, counts(browser("eve").get(FACETS).get_json()).values())) == {0}
    foreign = browser("eve").get(f"{FACETS}?workspaceId={typeid('wsp', cast.workspace.id)}&prefix=p")
    assert set(map(len, counts(foreign.get_json()).values())) == {0}
