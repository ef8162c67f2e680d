"""Recipients of an incident's notices, with reasons; each recipient of the alarm is notified of the end."""

from __future__ import annotations

from datetime import timedelta

import orjson
import pytest

from inbox.domain.values import ids
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from tests.cast import NOW, Cast
from tests.flow.routing_fixtures import accept, bodies, decisions, incident, listen, notices, reported, route_to, routed

MINUTE = timedelta(minutes=1)


def test_the_body_of_a_notice_is_the_specifications(cast: Cast) -> None:
    opening = routed(cast.source, resource="host:db1", severity="CRITICAL", title='Disk "sda" full\\ – ü')

    (notice,) = notices(opening.incident_id)
    assert orjson.loads(notice.body) == {
        "type": "incident.opened",
        "timestamp": "2026-11-21T09:00:00.000Z",
        "data": {
            "v": 1,
            "title": 'Disk "sda" full\\ – ü',
            "severity": "CRITICAL",
            "state": "open",
            "sourceName": "Prometheus",
            "resource": "host:db1",
            "workspaceName": "Acme",
            "incidentId": ids.encode("inc", opening.incident_id),
            "firstSeenAt": "2026-11-21T09:00:00.000Z",
            "url": f"http://127.0.0.1:8080/w/acme/incidents/{ids.encode('inc', opening.incident_id)}",
            "reason": "opened",
            "alerts": {"total": 1, "firing": 1},
        },
    }
    assert (notice.event_id, notice.seq, notice.created_at) == (opening.id, 1, NOW)


def test_each_notice_shows_the_incident_as_it_stood_then(cast: Cast) -> None:
    first = accept(cast.source, severity="WARNING")
    accept(cast.source, severity="CRITICAL")
    end = accept(cast.source, action="resolve")

    route(lambda: NOW)

    opened, escalated, resolved = bodies(incident(first).id)
    assert [body["data"]["severity"] for body in (opened, escalated, resolved)] == ["WARNING", "CRITICAL", "CRITICAL"]
    assert [body["data"]["state"] for body in (opened, escalated, resolved)] == ["open", "open", "resolved"]
    assert escalated["data"]["escalation"] == {"kind": "severity", "from": "WARNING", "to": "CRITICAL"}
    assert resolved["data"]["resolvedBy"] == {"type": "event", "id": ids.encode("evt", end), "name": "Prometheus"}


def test_a_delivery_is_due_at_once_and_in_the_order_of_its_notice(cast: Cast) -> None:
    pager, chat = listen(cast.workspace), listen(cast.workspace, "Chat")
    opening = routed(cast.source)

    for destination in (pager, chat):
        delivery = Delivery.get(Delivery.destination_id == destination.id)
        assert (delivery.status, delivery.due_at, delivery.seq, delivery.attempt) == ("pending", NOW, 1, 0)
        assert (delivery.incident_id, delivery.workspace_id) == (opening.incident_id, cast.workspace.id)
    assert [decision["name"] for decision in Notice.get().decisions] == ["Pager", "Chat"]


def test_a_notice_to_nobody_is_kept_with_its_reasons(cast: Cast) -> None:
    opening = routed(cast.source)

    (notice,) = notices(opening.incident_id)
    assert notice.decisions == []
    assert Delivery.select().count() == 0


def test_a_destination_gets_only_its_minimum_severity_and_above(cast: Cast) -> None:
    pager = listen(cast.workspace, min_severity="CRITICAL")
    opening = routed(cast.source, severity="ERROR")

    assert reported(pager) == []
    assert decisions(notices(opening.incident_id)[0]) == {"Pager": "below_min_severity"}

    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    assert reported(pager) == [("escalated", "pending", None)]


def test_a_disabled_destination_is_skipped_for_good(cast: Cast) -> None:
    pager = listen(cast.workspace, enabled=False)
    opening = routed(cast.source)

    assert reported(pager) == [("opened", "skipped", "disabled")]
    assert decisions(notices(opening.incident_id)[0]) == {"Pager": "disabled"}
    assert Delivery.get().due_at is None
    assert Delivery.get().settled_at == NOW


def test_a_skipped_alarm_sends_no_resolution(cast: Cast) -> None:
    pager = listen(cast.workspace, enabled=False)
    opening = routed(cast.source)
    Destination.update(enabled=True).execute()

    routed(cast.source, NOW + MINUTE, action="resolve")

    assert reported(pager) == [("opened", "skipped", "disabled")]
    assert decisions(notices(opening.incident_id)[1]) == {"Pager": "never_notified"}


def test_notices_for_a_stopped_destination_are_held_and_checked(cast: Cast) -> None:
    pager = listen(cast.workspace, stopped_at=NOW, stopped_reason="http_401")
    opening = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")

    assert reported(pager) == [("opened", "held", "stopped"), ("resolved", "held", "stopped")]
    assert Delivery.get(Delivery.reason == "opened").due_at == NOW
    assert [decisions(notice) for notice in notices(opening.incident_id)] == [{"Pager": "stopped"}] * 2


def test_a_destination_without_updates_gets_only_openings_and_escalations(cast: Cast) -> None:
    pager = listen(cast.workspace, send_updates=False)
    opening = routed(cast.source)
    routed(cast.source, NOW + MINUTE, action="resolve")
    routed(cast.source, NOW + 2 * MINUTE)

    assert [reason for reason, _, _ in reported(pager)] == ["opened", "reopened"]
    assert decisions(notices(opening.incident_id)[1]) == {"Pager": "updates_off"}


def test_a_recipient_of_the_alarm_gets_the_resolution_after_a_change_of_route(cast: Cast) -> None:
    pager, chat = listen(cast.workspace), listen(cast.workspace, "Chat", routed=False)
    opening = routed(cast.source)
    route_to(cast.workspace, [chat])

    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    routed(cast.source, NOW + 2 * MINUTE, action="resolve")

    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert [reason for reason, _, _ in reported(chat)] == ["escalated", "resolved"]
    assert decisions(notices(opening.incident_id)[2]) == {"Chat": "notify", "Pager": "notify"}


def test_a_recipient_of_the_alarm_gets_the_resolution_of_the_same_batch(cast: Cast) -> None:
    pager = listen(cast.workspace)
    listen(cast.workspace, "Chat", min_severity="CRITICAL")
    first = accept(cast.source)
    accept(cast.source, action="resolve")

    route(lambda: NOW)

    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]
    assert decisions(notices(incident(first).id)[1]) == {"Pager": "notify", "Chat": "never_notified"}


def test_a_resolution_goes_to_earlier_recipients_at_any_severity(cast: Cast) -> None:
    pager = listen(cast.workspace, min_severity="ERROR")
    routed(cast.source, severity="CRITICAL")
    Destination.update(min_severity="CRITICAL").execute()

    routed(cast.source, NOW + MINUTE, action="resolve", severity="INFO")

    assert [reason for reason, _, _ in reported(pager)] == ["opened", "resolved"]


@pytest.mark.parametrize("gone", ["deleted", "foreign", "unknown"])
def test_a_destination_that_is_not_there_is_notified_nothing(cast: Cast, gone: str) -> None:
    pager = listen(cast.foreign if gone == "foreign" else cast.workspace, routed=False)
    route_to(cast.workspace, [pager])
    if gone == "deleted":
        Destination.update(deleted_at=NOW).execute()
    if gone == "unknown":
        Destination.delete().execute()

    routed(cast.source)

    assert Delivery.select().count() == 0
    assert Notice.get().decisions == []


def test_five_hundred_notices_at_once_are_each_decided(cast: Cast) -> None:
    pager = listen(cast.workspace, min_severity="CRITICAL")
    for number in range(250):
        accept(cast.source, key=f"key-{number}", severity="CRITICAL")
        accept(cast.source, key=f"key-{number}", action="resolve")

    route(lambda: NOW)

    assert len(reported(pager)) == Notice.select().count() == 500
    assert Delivery.select(Delivery.notice).distinct().count() == 500
