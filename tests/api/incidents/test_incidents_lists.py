"""Lists of incidents and of their events, notes and notices: filters, sorts, pages, counts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.domain.values import times
from inbox.models.incidents.tables import Incident
from tests.browser import Browser
from tests.cast import NOW, Cast, make_source, typeid
from tests.flow.routing_fixtures import incident, listen, routed

Browsers = Callable[[str], Browser]
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)
LIST = "/v1/incidents"


@pytest.fixture
def board(cast: Cast) -> dict[str, Incident]:
    """Four incidents of Acme: one in each of four states; and one of Eve's."""
    cron, _ = make_source(cast.workspace, "Cron")
    made = {
        "disk": routed(cast.source, NOW, key="disk", severity="ERROR", resource="host:db1", tags=["prod", "db"]),
        "cpu": routed(cast.source, NOW + MINUTE, key="cpu", severity="CRITICAL", title="CPU 100% busy", tags=["prod"]),
        "job": routed(cron, NOW + 2 * MINUTE, key="nightly_job", severity="WARNING", title="Backup late"),
        "old": routed(cron, NOW + 3 * MINUTE, key="old", severity="ERROR", title="Zeitüberschreitung"),
        "eve": routed(cast.foreign_source, NOW, key="disk", severity="CRITICAL"),
    }
    incidents = {name: incident(event.id) for name, event in made.items()}
    for name, state in (("cpu", "acknowledged"), ("job", "snoozed"), ("old", "resolved")):
        Incident.update(state=state).where(Incident.id == incidents[name].id).execute()
    Incident.update(assignee_id=cast.users["mia"].id, flapping=True).where(Incident.id == incidents["cpu"].id).execute()
    return incidents


def names(board: dict[str, Incident], items: list[dict[str, Any]]) -> list[str]:
    by_id = {typeid("inc", one.id): name for name, one in board.items()}
    return [by_id[item["id"]] for item in items]


def test_the_incident_list_is_ordered_by_last_seen_and_limited_to_own_workspaces(
    browser: Browsers, board: dict[str, Incident]
) -> None:
    assert names(board, browser("vic").get(LIST).get_json()["items"]) == ["old", "job", "cpu", "disk"]
    assert names(board, browser("eve").get(LIST).get_json()["items"]) == ["eve"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("state=open", "disk"),
        ("state=open&state=acknowledged", "cpu disk"),
        ("state=resolved", "old"),
        ("severity=error", "old disk"),
        ("minSeverity=ERROR", "old cpu disk"),
        ("minSeverity=INFO", "old job cpu disk"),
        ("minSeverity=CRITICAL&state=open", ""),
        ("tag=prod", "cpu disk"),
        ("tag=pro", ""),
        ("resource=host:db1", "disk"),
        ("flapping=true", "cpu"),
        ("flapping=false", "old job disk"),
        ("severity=ERROR&severity=CRITICAL", "old cpu disk"),
        ("severity=ERROR&severity=WARNING&minSeverity=ERROR", "old disk"),
        ("tag=db&tag=test", "disk"),
        ("resource=host:db1&resource=host:db2", "disk"),
        ("resourceKind=host", "disk"),
        ("resourceKind=hos", ""),
        ("dedupKey=disk", "disk"),
        ("dedupKey=dis", ""),
        ("dedupKey=cpu&dedupKey=nightly_job", "job cpu"),
        ("fingerprint=f1:nothing", ""),
        ("assigneeId=none", "old job disk"),
        ("assigneeId=none&state=open", "disk"),
        ("last=1m", ""),
        ("q=DISK", "disk"),
        ("q=HOST:", "disk"),
        ("q=nightly_", "job"),
        ("q=100%25", "cpu"),
        ("q=%25", "cpu"),
        ("q=_", "job"),
        ("q=ZEITÜBER", "old"),
        ("q=2", "cpu"),
        ("q=%233", "job"),
        ("q=99999999999999999999", ""),
        ("q=nothing", ""),
        ("since=2026-11-21T09:02:00Z", "old job"),
        ("until=2026-11-21T09:02:00Z", "cpu disk"),
        ("since=2026-11-21T09:01:00Z&until=2026-11-21T09:02:00Z", "cpu"),
    ],
)
def test_a_list_is_narrowed(browser: Browsers, board: dict[str, Incident], query: str, found: str) -> None:
    for more in ("", "&offset=0"):
        page = browser("vic").get(f"{LIST}?{query}{more}").get_json()
        assert names(board, page["items"]) == found.split()
    assert page["total"] == len(found.split())


def test_a_list_is_narrowed_to_a_source_a_person_or_a_workspace(
    browser: Browsers, cast: Cast, board: dict[str, Incident]
) -> None:
    vic = browser("vic")
    for query, found in (
        (f"sourceId={typeid('src', cast.source.id)}", ["cpu", "disk"]),
        (f"sourceId={typeid('src', cast.foreign_source.id)}", []),
        (f"assigneeId={typeid('usr', cast.users['mia'].id)}", ["cpu"]),
        (f"workspaceId={typeid('wsp', cast.workspace.id)}&state=open", ["disk"]),
        (f"workspaceId={typeid('wsp', cast.foreign.id)}", []),
    ):
        assert names(board, vic.get(f"{LIST}?{query}").get_json()["items"]) == found


def test_me_is_the_caller(browser: Browsers, cast: Cast, board: dict[str, Incident]) -> None:
    Incident.update(acknowledged_by=cast.users["mia"].id).where(Incident.id == board["cpu"].id).execute()
    for query in ("assigneeId=me", "acknowledgedBy=me"):
        assert names(board, browser("mia").get(f"{LIST}?{query}").get_json()["items"]) == ["cpu"]
        assert names(board, browser("vic").get(f"{LIST}?{query}").get_json()["items"]) == []
        assert browser("mia").get(f"{LIST}/counts?{query}").get_json()["byState"]["acknowledged"] == 1
    assert names(board, browser("mia").get(f"{LIST}?assigneeId=me&assigneeId=none").get_json()["items"]) == [
        *("old", "job", "cpu", "disk")
    ]


def test_a_list_is_narrowed_to_a_fingerprint_a_silence_a_rule_or_a_profile(
    browser: Browsers, cast: Cast, board: dict[str, Incident]
) -> None:
    vic, rule, profile, silence = browser("vic"), new_id(), new_id(), new_id()
    Incident.update(rule_id=rule, routing_profile_id=profile, silenced_by=silence).where(
        Incident.id << [board["cpu"].id, board["eve"].id]
    ).execute()
    for query in (
        *(f"fingerprint={board['cpu'].fingerprint}", f"fingerprint={board['cpu'].fingerprint}&fingerprint=f1:other"),
        *(f"ruleId={typeid('rul', rule)}", f"routingProfileId={typeid('prf', profile)}"),
        f"silenceId={typeid('sil', silence)}",
    ):
        assert names(board, vic.get(f"{LIST}?{query}").get_json()["items"]) == ["cpu"]
        assert vic.get(f"{LIST}/counts?{query}").get_json()["unresolved"] == 1


@pytest.mark.parametrize(
    ("sort", "descending"),
    [
        ("lastSeen", "old job cpu disk"),
        ("firstSeen", "old job cpu disk"),
        ("severity", "cpu old disk job"),
        ("state", "disk cpu job old"),
        ("title", "old disk cpu job"),
        ("number", "old job cpu disk"),
    ],
)
def test_a_list_is_sorted_both_ways_and_paged(
    browser: Browsers, board: dict[str, Incident], sort: str, descending: str
) -> None:
    for order, required in (("desc", descending.split()), ("asc", descending.split()[::-1])):
        got: list[str] = []
        cursor = ""
        while cursor is not None:
            more = f"&cursor={cursor}" if cursor else ""
            page = browser("vic").get(f"{LIST}?sort={sort}&order={order}&limit=1{more}").get_json()
            got += names(board, page["items"])
            cursor = page["nextCursor"]
        assert got == required


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sort=opened", "disk old job cpu"),
        ("sort=events", "job disk old cpu"),
        ("sort=events&state=open", "disk"),
        ("sort=resolved", "cpu old"),
        ("sort=resolved&state=resolved", "cpu old"),
        ("sort=resolved&severity=CRITICAL", "cpu"),
    ],
)
def test_a_list_is_sorted_by_opening_resolution_and_events(
    browser: Browsers, board: dict[str, Incident], query: str, found: str
) -> None:
    for name, change in {
        "disk": {"opened_at": NOW + 9 * MINUTE, "event_count": 7},
        "job": {"event_count": 30},
        "old": {"event_count": 3, "resolved_at": NOW + 4 * MINUTE},
        "cpu": {"state": "resolved", "resolved_at": NOW + 5 * MINUTE},
    }.items():
        Incident.update(change).where(Incident.id == board[name].id).execute()
    for order, required in (("desc", found.split()), ("asc", found.split()[::-1])):
        rows: list[str] = []
        cursor = ""
        while cursor is not None:
            more = f"&cursor={cursor}" if cursor else ""
            page = browser("vic").get(f"{LIST}?{query}&order={order}&limit=1{more}").get_json()
            rows += names(board, page["items"])
            cursor = page["nextCursor"]
        assert rows == required


@pytest.mark.parametrize("query", ["sort=resolved&state=open", "sort=resolved&state=resolved&state=open"])
def test_unresolved_incidents_are_not_sorted_by_their_resolution(browser: Browsers, cast: Cast, query: str) -> None:
    answer = browser("vic").get(f"{LIST}?{query}")

    assert answer.status_code == 422
    assert [each["pointer"] for each in answer.get_json()["errors"]] == ["/query/sort"]


def test_a_list_by_source_keeps_sources_together(browser: Browsers, board: dict[str, Incident]) -> None:
    items = browser("vic").get(f"{LIST}?sort=source&order=asc").get_json()["items"]

    assert [item["sourceName"] for item in items] == ["Cron", "Cron", "Prometheus", "Prometheus"]


@pytest.mark.parametrize(
    "query",
    [
        "state=broken",
        "severity=LOUD",
        "sort=colour",
        "sourceId=inc_x",
        "q=",
        "limit=0",
        "since=yesterday",
        "colour=red",
    ],
)
def test_an_unknown_parameter_of_the_incident_list_is_refused(
    browser: Browsers, board: dict[str, Incident], query: str
) -> None:
    assert browser("vic").get(f"{LIST}?{query}").status_code == 422


BY_SEVERITY = {"CRITICAL": 1, "ERROR": 1, "WARNING": 1, "SUCCESS": 0, "INFO": 0, "DEBUG": 0}


def test_counts_match_the_badges_of_the_dashboard(browser: Browsers, cast: Cast, board: dict[str, Incident]) -> None:
    vic, here = browser("vic"), typeid("wsp", cast.workspace.id)

    own_one = [{"workspaceId": here, "unresolved": 3, "open": 1, "bySeverity": BY_SEVERITY}]
    assert vic.get(f"{LIST}/counts").get_json() == {
        "unresolved": 3,
        "resolved": 1,
        "mine": 0,
        "unassigned": 2,
        "byState": {"open": 1, "acknowledged": 1, "snoozed": 1, "silenced": 0},
        "bySeverity": BY_SEVERITY,
        "openBySeverity": {"CRITICAL": 0, "ERROR": 1, "WARNING": 0, "SUCCESS": 0, "INFO": 0, "DEBUG": 0},
        "byWorkspace": own_one,
    }
    assert vic.get(f"{LIST}/counts?workspaceId={here}").get_json()["unresolved"] == 3
    assert browser("eve").get(f"{LIST}/counts?workspaceId={here}").get_json()["unresolved"] == 0


def test_the_timeline_lists_entries_newest_first(browser: Browsers, cast: Cast) -> None:
    first = routed(cast.source, NOW, severity="WARNING")
    worse = routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    end = routed(cast.source, NOW + 2 * MINUTE, action="resolve")
    existing = incident(first.id)

    items = browser("vic").get(f"{LIST}/{typeid('inc', existing.id)}/timeline").get_json()["items"]

    assert [item["kind"] for item in items] == ["resolved", "escalated", "opened"]
    assert [item["eventId"] for item in items] == [typeid("evt", event.id) for event in (end, worse, first)]
    assert items[0] == {
        "id": items[0]["id"],
        "at": times.rfc3339(NOW + 2 * MINUTE),
        "kind": "resolved",
        "actor": {"type": "event", "id": typeid("evt", end.id), "name": "Prometheus"},
        "eventId": typeid("evt", end.id),
        "text": "Resolved automatically by Prometheus.",
        "details": {"severity": "ERROR", "from": "open", "to": "resolved"},
    }
    assert items[1]["details"]["escalation"] == {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}
    page = browser("vic").get(f"{LIST}/{typeid('inc', existing.id)}/timeline?limit=2").get_json()
    rest = browser("vic").get(f"{LIST}/{typeid('inc', existing.id)}/timeline?limit=2&cursor={page['nextCursor']}")
    assert [item["kind"] for item in rest.get_json()["items"]] == ["opened"]


def test_the_events_and_deliveries_of_an_incident_are_its_own(browser: Browsers, cast: Cast) -> None:
    listen(cast.workspace)
    first = routed(cast.source, NOW)
    second = routed(cast.source, NOW + MINUTE)
    routed(cast.source, NOW, key="other")
    base = f"{LIST}/{typeid('inc', first.incident_id)}"

    events = browser("vic").get(f"{base}/events").get_json()["items"]
    deliveries = browser("vic").get(f"{base}/deliveries").get_json()["items"]

    assert [event["id"] for event in events] == [typeid("evt", second.id), typeid("evt", first.id)]
    assert events[1]["routing"]["incidentId"] == typeid("inc", first.incident_id)
    assert [(delivery["reason"], delivery["status"]) for delivery in deliveries] == [("opened", "pending")]
