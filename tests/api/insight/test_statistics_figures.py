"""The figures of statistics over HTTP: filters, events, notices, deliveries, a heat map, rankings, who resolved.

Specification 7.9.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.database.base import new_id
from inbox.domain.deliveries.delivery import Status
from inbox.models.deliveries.tables import Delivery
from inbox.models.events.tables import ReceivedEvent
from inbox.models.insight.statistics import incidents, volumes
from inbox.models.insight.statistics.scope import Scope
from inbox.models.workspaces.tables import Workspace
from tests.api.insight.statistics_steps import START, STATISTICS, Browsers, happened, read
from tests.cast import Cast, make_source, typeid
from tests.stand_ins.outgoing_posts import make_destination, owe

HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
END = START + timedelta(days=5)


def received(cast: Cast, hours: float, **more: object) -> None:
    at = START + hours * HOUR
    ReceivedEvent.create(
        **{
            "workspace_id": cast.workspace.id, "id": new_id(at), "source_id": cast.source.id, "received_at": at,
            "occurred_at": at, "severity": "ERROR", "action": "trigger", "title": "Disk full", "fingerprint": "f1:1",
            **more,
        }
    )  # fmt: skip


def test_each_filter_narrows_incidents_events_and_deliveries(browser: Browsers, cast: Cast) -> None:
    cron, _ = make_source(cast.workspace, "Cron")
    pager = make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager")
    owe(pager, happened(cast, START + HOUR, 1, tags=["prod", "db"]), 1, created_at=START + HOUR)
    owe(pager, happened(cast, START + HOUR, 2, severity="CRITICAL"), 1, created_at=START + HOUR)
    owe(pager, happened(cast, START + HOUR, 3, source_id=cron.id), 1, created_at=START + HOUR)
    owe(pager, None, reason="informational", created_at=START + HOUR)
    received(cast, 1, tags=["prod"]), received(cast, 2, severity="CRITICAL"), received(cast, 3, source_id=cron.id)

    def counted(**query: str) -> tuple[int, int, int]:
        found = read(browser("vic"), **query)
        events = sum(each["events"] for each in found["buckets"])
        deliveries = sum(each["deliveries"]["pending"] for each in found["buckets"])
        return sum(each["incidents"] for each in found["buckets"]), events, deliveries

    assert counted() == (3, 3, 4)
    assert counted(sourceId=typeid("src", cron.id)) == (1, 1, 1)
    assert counted(severity="CRITICAL") == (1, 1, 1)
    assert counted(severity="CRITICAL&severity=ERROR") == (3, 3, 3)
    assert counted(tag="prod") == (1, 1, 1)
    assert counted(tag="prod", severity="CRITICAL") == (0, 0, 0)
    assert counted(sourceId=typeid("src", cast.source.id), severity="ERROR") == (1, 1, 1)


def test_events_belong_to_the_bucket_of_their_receipt(browser: Browsers, cast: Cast) -> None:
    for hours in (-0.001, 0, 23.999, 24, 119.999, 120):
        received(cast, hours)

    found = read(browser("vic"))

    assert [each["events"] for each in found["buckets"]] == [2, 1, 0, 0, 1]


def test_deliveries_are_counted_by_status_and_notices_by_reason(browser: Browsers, cast: Cast) -> None:
    pager = make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager")
    phone = make_destination(cast.workspace, "http://127.0.0.1:9/", name="Phone")
    incident = happened(cast, START, 1)
    for seq, status in enumerate(Status, 1):
        owe(pager, incident, seq, status=str(status), created_at=START + HOUR)
    owe(phone, incident, 1, status="sent", created_at=START + HOUR)
    resolved = owe(pager, incident, 20, reason="resolved", status="sent", created_at=START + 25 * HOUR)
    owe(pager, incident, 21, status="sent", created_at=START + 25 * HOUR, replay_of=resolved.id)

    found = read(browser("vic"))

    first, second, *_ = found["buckets"]
    assert first["deliveries"] == {
        "sent": 2,
        "failed": 1,
        "held": 1,
        "skipped": 1,
        "expired": 1,
        "gathered": 1,
        "pending": 3,
    }
    assert first["notices"] == {"opened": len(Status)}
    assert (second["notices"], second["deliveries"]["sent"]) == ({"resolved": 1}, 1)
    assert [(each["name"], each["notices"], each["sent"], each["pending"]) for each in found["destinations"]] == [
        ("Pager", len(Status) + 1, 2, 3),
        ("Phone", 1, 1, 0),
    ]


def test_statistics_exclude_tests_and_count_the_notices_of_a_digest(browser: Browsers, cast: Cast) -> None:
    chat = make_destination(cast.workspace, "http://127.0.0.1:9/", name="Chat")
    owe(chat, None, reason="test", status="sent", created_at=START + HOUR)
    digest = owe(chat, None, reason="digest", status="sent", created_at=START + HOUR)
    gathered = {"status": "gathered", "digest_id": digest.id, "created_at": START + HOUR}
    for number in (1, 2):
        owe(chat, happened(cast, START, number), 1, **gathered)

    found = read(browser("vic"))

    assert found["buckets"][0]["notices"] == {"opened": 2}
    assert (found["buckets"][0]["deliveries"]["sent"], found["buckets"][0]["deliveries"]["gathered"]) == (1, 2)
    assert [(each["name"], each["notices"]) for each in found["destinations"]] == [("Chat", 2)]


def test_each_bucket_has_its_own_durations(browser: Browsers, cast: Cast) -> None:
    happened(cast, START, 1, acknowledged_at=START + MINUTE, resolved_at=START + 3 * MINUTE)
    happened(cast, START, 2, acknowledged_at=START + 3 * MINUTE)
    late = START + 24 * HOUR
    happened(cast, late, 3, resolved_at=late + HOUR)

    first, second, third, *_ = read(browser("vic"))["buckets"]

    assert first["timeToAcknowledge"] == {
        "n": 2, "meanSeconds": 120.0, "medianSeconds": 120.0, "p90Seconds": pytest.approx(168.0),
    }  # fmt: skip
    assert (first["timeToResolve"]["n"], first["timeToResolve"]["medianSeconds"]) == (1, 180.0)
    assert (second["timeToAcknowledge"]["n"], second["timeToResolve"]["medianSeconds"]) == (0, 3600.0)
    assert third["timeToResolve"] == {"n": 0, "meanSeconds": None, "medianSeconds": None, "p90Seconds": None}


def test_the_heat_map_is_on_the_clock_of_the_workspace(browser: Browsers, cast: Cast) -> None:
    Workspace.update(timezone="Asia/Kolkata").where(Workspace.id == cast.workspace.id).execute()
    for number, at in enumerate((START, START + 29 * MINUTE, START + 30 * MINUTE, START + 42 * HOUR + 30 * MINUTE)):
        happened(cast, at, number)

    heat_map = read(browser("vic"), workspaceId=typeid("wsp", cast.workspace.id))["heatMap"]

    assert [len(hours) for hours in heat_map] == [24] * 7
    counted = {(day, hour): n for day, hours in enumerate(heat_map) for hour, n in enumerate(hours) if n}
    assert counted == {(4, 5): 2, (4, 6): 1, (6, 0): 1}


def test_rankings_of_incidents_have_titles_and_matching_filters(browser: Browsers, cast: Cast) -> None:
    happened(cast, START, 1, title="Once", resolved_at=START + MINUTE, state="resolved")
    for number in range(2, 14):
        at = START + number * HOUR
        happened(cast, at, number, title=f"Back {number}", reopen_count=number, state="resolved",
                 resolved_at=at + number * MINUTE)  # fmt: skip
    found = read(browser("vic"))

    assert [(each["title"], each["reopenings"]) for each in found["mostReopened"]] == [
        (f"Back {number}", number) for number in range(13, 3, -1)
    ]
    assert [each["title"] for each in found["longestOpen"]] == [f"Back {number}" for number in range(13, 3, -1)]
    longest = found["longestOpen"][0]
    assert (longest["openedAt"], longest["resolvedAt"]) == ("2026-10-23T13:00:00.000Z", "2026-10-23T13:13:00.000Z")
    assert [(each["openings"], each["incidents"]) for each in found["topFlapping"]] == [
        (number + 1, 1) for number in range(13, 3, -1)
    ]
    first = found["topFlapping"][0]
    listed = browser("vic").get(f"/v1/incidents?fingerprint={first['fingerprint']}").get_json()["items"]
    assert [each["id"] for each in listed] == [first["incidentId"]]


def test_an_unresolved_incident_is_open_until_now(browser: Browsers, cast: Cast) -> None:
    resolved = {"state": "resolved", "resolved_at": START + 3 * HOUR}
    happened(cast, START, 1, title="Short", **resolved), happened(cast, START + 2 * HOUR, 2, title="Open")

    longest = read(browser("vic"))["longestOpen"]

    assert [(each["title"], each["resolvedAt"] is None) for each in longest] == [("Open", True), ("Short", False)]


def test_resolutions_are_counted_by_people_recoveries_and_automation(browser: Browsers, cast: Cast) -> None:
    mia = {"type": "user", "id": typeid("usr", cast.users["mia"].id), "name": "Mia"}
    actors = [mia, mia, *({"type": kind, "id": "", "name": ""} for kind in ("event", "monitor", "timer", "system"))]
    for number, actor in enumerate(actors):
        happened(cast, START, number, state="resolved", resolved_at=START + HOUR, resolved_by=actor)
    happened(cast, START, 20)

    found = read(browser("vic"))["resolvedBy"]

    assert (found["person"], found["recovery"], found["automatic"]) == (2, 2, 2)
    assert found["people"] == [{"userId": mia["id"], "name": cast.users["mia"].name, "incidents": 2}]


@pytest.mark.parametrize(("end", "status"), [("2026-11-23T00:00:00Z", 200), ("2026-11-23T00:00:01Z", 422)])
def test_buckets_of_an_hour_cover_at_most_31_days(browser: Browsers, cast: Cast, end: str, status: int) -> None:
    answer = browser("vic").get(f"{STATISTICS}?since=2026-10-23T00:00:00Z&until={end}&bucket=hour")

    assert answer.status_code == status
    assert [each["pointer"] for each in answer.get_json().get("errors", [])] == ["/query/bucket"] * (status == 422)


def test_everything_is_counted_unless_there_is_too_much(browser: Browsers, cast: Cast) -> None:
    happened(cast, START + HOUR, 1), received(cast, 1)

    counted_from = read(browser("vic"))["countedFrom"]

    assert set(counted_from.values()) == {"2026-10-23T00:00:00.000Z"}


@pytest.mark.parametrize(("most", "number"), [(2, 2), (3, 1), (4, None)])
def test_the_newest_rows_are_counted(cast: Cast, most: int, number: int | None) -> None:
    pager = make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager")
    for place in (1, 2, 3, 4):
        at = START + place * HOUR
        owe(pager, happened(cast, at, place), 1, created_at=at), received(cast, place)
    scope = Scope([cast.workspace.id], START, END)
    last_incident = incidents.counted_from(scope, most)
    last_event, last_delivery = (
        volumes.counted_events_from(scope, most),
        volumes.counted_deliveries_from(scope, most),
    )

    assert last_incident == (None if number is None else START + number * HOUR)
    found = incidents.figures(scope, [START], last_incident, END)
    assert found["counts"] == [{"bucket": 1, "severity": "ERROR", "n": most}]
    assert volumes.events(scope, [START], last_event) == [(1, most)]
    assert volumes.deliveries(scope, [START], last_delivery)[0] == [{"bucket": 1, "status": "pending", "n": most}]


def test_statistics_count_nothing_of_another_workspace(browser: Browsers, cast: Cast) -> None:
    pager = make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager")
    incident = happened(cast, START, 1, reopen_count=3, resolved_at=START + HOUR, state="resolved")
    owe(pager, incident, 1, created_at=START + HOUR), received(cast, 1)
    source = typeid("src", cast.source.id)

    for query in ({}, {"sourceId": source}, {"severity": "ERROR"}, {"workspaceId": typeid("wsp", cast.workspace.id)}):
        found = read(browser("eve"), **query)

        assert not any(each["events"] or each["notices"] or each["incidents"] for each in found["buckets"])
        assert not any(found[name] for name in ("topFlapping", "longestOpen", "mostReopened", "destinations"))
        assert not any(map(sum, found["heatMap"])) and found["resolvedBy"]["automatic"] == 0
    assert Delivery.select().count() == 1
