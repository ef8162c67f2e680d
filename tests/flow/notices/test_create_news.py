"""Informational notices of rules, for events without an incident."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import orjson
import pytest

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.flow.notices.notice import EventNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.unit_of_work import work
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.events import queue as event_queue
from inbox.models.incidents.tables import Incident, Timer
from tests.cast import NOW, Cast
from tests.flow.plans import MORNING, be_quiet, follow, step
from tests.flow.routing_fixtures import decisions, listen, reported


def inform(cast: Cast, *to: Destination, severity: Severity = Severity.INFO, **fields: Any) -> UUID:
    """Create an informational notice of an event; its id."""
    event_id = new_id(NOW)
    values = {"routing_profile_id": None, "destination_ids": [each.id for each in to], "resource": None, **fields}
    with work() as done:
        row_writer = IncidentWriter(NOW, done, event_queue.source_contexts([cast.source.id]))
        row_writer.add_event_notice(
            EventNotice(
                workspace_id=cast.workspace.id,
                event_id=event_id,
                source_id=cast.source.id,
                title="Backup done",
                severity=severity,
                received_at=NOW,
                **values,
            )
        )
        write_changes(row_writer)
    return event_id


def test_an_informational_notice_has_an_event_and_no_incident(cast: Cast) -> None:
    pager = listen(cast.workspace)
    event_id = inform(cast, resource="host:db1")

    notice = Notice.get()
    text = ids.encode("evt", event_id)
    assert orjson.loads(notice.body) == {
        "type": "incident.informational",
        "timestamp": "2026-11-21T09:00:00.000Z",
        "data": {
            "v": 1,
            "title": "Backup done",
            "severity": "INFO",
            "state": "",
            "sourceName": "Prometheus",
            "resource": "host:db1",
            "workspaceName": "Acme",
            "incidentId": "",
            "firstSeenAt": "2026-11-21T09:00:00.000Z",
            "url": f"http://127.0.0.1:8080/w/acme/events/{text}",
            "reason": "informational",
            "eventId": text,
        },
    }
    assert (notice.incident_id, notice.event_id, notice.seq) == (None, event_id, 0)
    assert reported(pager) == [("informational", "pending", None)]
    assert Incident.select().count() == Timer.select().count() == 0


def test_an_informational_notice_goes_only_to_the_destinations_of_its_rule(cast: Cast) -> None:
    pager, chat = listen(cast.workspace), listen(cast.workspace, "Chat", routed=False)
    inform(cast, chat)
    assert (reported(pager), [reason for reason, _, _ in reported(chat)]) == ([], ["informational"])


def test_an_informational_notice_goes_to_the_first_step_of_its_profile(cast: Cast) -> None:
    pager, boss = listen(cast.workspace, "Pager", routed=False), listen(cast.workspace, "Boss", routed=False)
    profile = follow(cast.workspace, step(0, pager), step(10, boss))
    inform(cast, routing_profile_id=profile.id)
    assert (len(reported(pager)), reported(boss)) == (1, [])


@pytest.mark.parametrize(
    ("fields", "decision"),
    [
        ({"enabled": False}, "disabled"),
        ({"min_severity": "ERROR"}, "below_min_severity"),
        ({"stopped_at": NOW, "stopped_reason": "http_401"}, "stopped"),
        ({"send_updates": False}, "notify"),
    ],
)
def test_a_destination_decides_about_informational_notices(cast: Cast, fields: dict[str, Any], decision: str) -> None:
    listen(cast.workspace, **fields)
    inform(cast)
    assert decisions(Notice.get()) == {"Pager": decision}


def test_quiet_hours_hold_informational_notices(cast: Cast) -> None:
    pager = listen(cast.workspace)
    be_quiet(cast.workspace)
    inform(cast)
    inform(cast, severity=Severity.CRITICAL)
    assert sorted(status for _, status, _ in reported(pager)) == ["held", "pending"]
    assert Delivery.get(Delivery.status == "held").due_at == MORNING
