"""Counts of incidents: they follow the filters of the list, and are given for each workspace (specification 7.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inbox.models.incidents.tables import Incident
from inbox.services.incidents import counts
from tests.browser import Browser
from tests.cast import Cast, make_source, make_workspace, present, typeid
from tests.flow.routing_fixtures import incident, routed
from tests.stand_ins.outgoing_posts import make_incident

Browsers = Callable[[str], Browser]
COUNTS = "/v1/incidents/counts"


@pytest.fixture
def three(cast: Cast) -> list[Incident]:
    """A critical and two errors, of which one is acknowledged and one resolved."""
    found = [
        incident(routed(cast.source, present(), key=key, severity=severity, tags=[key]).id)
        for key, severity in (("a", "CRITICAL"), ("b", "ERROR"), ("c", "ERROR"))
    ]
    Incident.update(state="acknowledged", acknowledged_at=present()).where(Incident.id == found[1].id).execute()
    Incident.update(state="resolved", resolved_at=present()).where(Incident.id == found[2].id).execute()
    return found


@pytest.mark.parametrize(
    ("query", "unresolved", "resolved"),
    [
        ("", 2, 1),
        ("severity=ERROR", 1, 1),
        ("severity=CRITICAL", 1, 0),
        ("minSeverity=ERROR", 2, 1),
        ("tag=b", 1, 0),
        ("q=none", 0, 0),
        ("state=open", 1, 0),
        ("state=resolved", 0, 1),
        ("state=open&state=acknowledged", 2, 0),
    ],
)
def test_counts_follow_the_filters(
    browser: Browsers, three: list[Incident], query: str, unresolved: int, resolved: int
) -> None:
    found = browser("vic").get(f"{COUNTS}?{query}").get_json()

    assert (found["unresolved"], found["resolved"]) == (unresolved, resolved)
    assert sum(found["byState"].values()) == sum(found["bySeverity"].values()) == unresolved
    assert [each["unresolved"] for each in found["byWorkspace"]] == [unresolved]


def test_incidents_of_the_caller_and_unassigned_incidents_are_counted(
    browser: Browsers, cast: Cast, three: list[Incident]
) -> None:
    Incident.update(assignee_id=cast.users["mia"].id).where(Incident.id == three[0].id).execute()

    def counted(query: str = "") -> tuple[int, int]:
        found = browser("mia").get(f"{COUNTS}?{query}").get_json()
        return found["mine"], found["unassigned"]

    assert counted() == (1, 1)
    assert counted("severity=ERROR") == (0, 1)
    assert browser("vic").get(COUNTS).get_json()["mine"] == 0


def test_each_workspace_of_the_caller_has_its_counts(browser: Browsers, cast: Cast, three: list[Incident]) -> None:
    other = make_workspace("Other", viewer=cast.users["vic"])
    make_source(other, "Elsewhere")

    found: list[dict[str, Any]] = browser("vic").get(COUNTS).get_json()["byWorkspace"]

    assert {each["workspaceId"]: (each["unresolved"], each["open"]) for each in found} == {
        typeid("wsp", cast.workspace.id): (2, 1),
        typeid("wsp", other.id): (0, 0),
    }


@pytest.mark.parametrize("name", ["limit=5", "sort=severity", "cursor=x", "offset=0", "colour=red"])
def test_an_unknown_filter_of_incident_counts_is_refused(browser: Browsers, name: str) -> None:
    assert browser("vic").get(f"{COUNTS}?{name}").status_code == 422


def test_many_resolved_incidents_are_not_counted(
    browser: Browsers, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts, "MAX_RESOLVED", 2)
    for _ in range(3):
        one = make_incident(cast)
        Incident.update(state="resolved", resolved_at=present()).where(Incident.id == one.id).execute()

    assert browser("vic").get(COUNTS).get_json()["resolved"] is None
