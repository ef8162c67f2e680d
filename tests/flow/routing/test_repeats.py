"""A repeat of an alarm is a sign of life, and reopens what a person resolved too early (specification 3.3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event, EventQueueRow, RoutedEvent
from inbox.models.incidents.alerts import IncidentAlert, present
from inbox.models.incidents.tables import Incident
from inbox.models.senders.sources import Source
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, pass_to
from tests.flow.routing_fixtures import bodies, incident, listen, reasons, routed, settle, timeline, waiting

MIA = Actor("user", "", "Mia")


def repeat(source: Source, event_id: UUID, minutes: float) -> None:
    """Queue the repeat of an event, as ingest does, and route it at its time."""
    at = NOW + minutes * MINUTE
    EventQueueRow.insert(
        shard=shard_of(source.id), workspace_id=source.workspace_id, event_id=event_id, repeated_at=at
    ).execute()
    route(lambda: at)


def resolve(existing: Incident, minutes: float) -> None:
    with work() as done:
        incidents.act(existing.id, incidents.ActRequest(Act.RESOLVE, by=MIA), NOW + minutes * MINUTE, done)


def read(existing: Incident) -> Incident:
    found: Incident = Incident.get_by_id(existing.id)
    return found


def test_a_repeat_moves_the_time_of_an_unresolved_incident_and_nothing_else(cast: Cast) -> None:
    listen(cast.workspace)
    event = routed(cast.source)
    before = incident(event.id)

    repeat(cast.source, event.id, 60)

    after = read(before)
    assert after.last_seen_at == NOW + timedelta(hours=1)
    assert (after.event_count, after.state, after.opened_at) == (1, "open", before.opened_at)
    assert (reasons(before.id), timeline(before.id)) == (["opened"], ["opened"])
    assert (Event.select().count(), RoutedEvent.select().count(), waiting()) == (1, 1, 0)


def test_a_repeat_keeps_an_incident_from_being_resolved_automatically(cast: Cast) -> None:
    settle(cast.workspace, autoResolveMinutes=1)
    event = routed(cast.source)
    for number in range(1, 7):
        repeat(cast.source, event.id, number / 3)
        pass_to(number / 3)
    assert incident(event.id).state == "open"

    pass_to(3.1)
    assert incident(event.id).state == "resolved"


def test_an_automatically_resolved_incident_reopens_at_its_next_repeat(cast: Cast) -> None:
    settle(cast.workspace, autoResolveMinutes=1)
    event = routed(cast.source)
    pass_to(1)

    repeat(cast.source, event.id, 1.5)

    assert (incident(event.id).state, timeline(incident(event.id).id)) == ("open", ["opened", "resolved", "reopened"])


def test_repeats_within_five_minutes_of_a_resolution_are_one_line_and_a_later_one_reopens(cast: Cast) -> None:
    listen(cast.workspace)
    event = routed(cast.source)
    existing = incident(event.id)
    resolve(existing, 10)
    for minutes in (11.0, 12, 15):
        repeat(cast.source, event.id, minutes)
    assert (read(existing).state, timeline(existing.id)) == ("resolved", ["opened", "resolved", "still_reported"])

    repeat(cast.source, event.id, 15.1)

    reopened = read(existing)
    assert (reopened.state, reopened.reopen_count, reopened.event_count) == ("open", 1, 1)
    assert timeline(existing.id)[-1] == "reopened"
    assert reasons(existing.id) == ["opened", "resolved", "reopened"]
    assert bodies(existing.id)[-1]["data"]["actor"]["name"] == cast.source.name


def test_a_repeat_reopens_its_incident_beyond_the_window_for_events(cast: Cast) -> None:
    event = routed(cast.source)
    resolve(incident(event.id), 10)

    repeat(cast.source, event.id, 10 + 26 * 60)

    assert (incident(event.id).state, Incident.select().count()) == ("open", 1)


def test_where_nothing_reopens_a_repeat_opens_a_related_incident(cast: Cast) -> None:
    settle(cast.workspace, reopenWindowMinutes=0)
    event = routed(cast.source)
    resolve(incident(event.id), 10)

    repeat(cast.source, event.id, 20)

    [follow_up] = Incident.select().where(Incident.state == "open")
    assert follow_up.related_incident_id == event.incident_id


def test_a_repeat_that_was_received_before_the_resolution_changes_nothing(cast: Cast) -> None:
    event = routed(cast.source)
    resolve(incident(event.id), 30)

    repeat(cast.source, event.id, 29)

    assert (incident(event.id).state, timeline(incident(event.id).id)) == ("resolved", ["opened", "resolved"])


@pytest.mark.parametrize("severity", ["INFO", "DEBUG"])
def test_a_repeat_of_an_event_that_is_only_logged_opens_nothing(cast: Cast, severity: str) -> None:
    event = routed(cast.source, severity=severity)

    repeat(cast.source, event.id, 60)

    assert (Incident.select().count(), waiting()) == (0, 0)


def test_a_repeat_and_an_event_in_one_batch_keep_their_order(cast: Cast) -> None:
    event = routed(cast.source)
    for minutes in (1, 2):
        EventQueueRow.insert(**row(cast.source, event.id, NOW + minutes * MINUTE)).execute()
    routed(cast.source, NOW + 3 * MINUTE, severity="CRITICAL")

    existing = incident(event.id)
    assert (existing.event_count, existing.severity, existing.last_seen_at) == (2, "CRITICAL", NOW + 3 * MINUTE)


def row(source: Source, event_id: UUID, at: datetime) -> dict[str, Any]:
    return {"shard": shard_of(source.id), "workspace_id": source.workspace_id, "event_id": event_id, "repeated_at": at}


def test_a_repeat_is_counted_on_its_alert_which_knows_its_beginning(cast: Cast) -> None:
    began = NOW - timedelta(days=9)
    event = routed(cast.source, occurred_at=began)
    for minutes in (60, 120):
        repeat(cast.source, event.id, minutes)

    [alert] = IncidentAlert.select()
    alert = present(alert, incident(event.id))
    assert (alert.event_count, alert.repeat_count, alert.began_at) == (1, 2, began)
    assert alert.last_seen_at == NOW + timedelta(hours=2)


def test_each_alert_of_a_group_that_is_still_reported_fires_again(cast: Cast) -> None:
    one, other = (routed(cast.source, key=key, by="group") for key in ("a", "b"))
    resolve(incident(one.id), 10)
    for event, minutes in ((one, 20.0), (other, 21.0)):
        repeat(cast.source, event.id, minutes)

    existing = incident(one.id)
    assert (existing.state, existing.firing_count, existing.reopen_count) == ("open", 2, 1)
