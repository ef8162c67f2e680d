"""Reads alerts for the sender that created them: events that trigger, with the incidents to which they belong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from inbox.models.events.sender_sources import SenderSource
from inbox.models.events.tables import Event
from inbox.models.incidents.tables import Incident

EXAMINED = 1_000
"""The newest events of a source among which its alerts are found."""


class SentAlert(NamedTuple):
    """An alert of a source: an event that triggers, and its incident; None before it is routed."""

    event: Any
    incident: Any


def newest(source: SenderSource, prefix: str) -> dict[str, UUID]:
    """Returns the newest event of each alert by its key, the newest alert first, for keys that begin with `prefix`."""
    recent = (
        Event.select(Event.id, Event.dedup_key, Event.action)
        .where(Event.workspace_id == source.workspace_id, Event.source_id == source.source_id)
        .order_by(Event.id.desc())
        .limit(EXAMINED)
    )
    by_key: dict[str, UUID] = {}
    for event_id, key, action in recent.tuples():
        if action == "trigger" and (key or "").startswith(prefix):
            by_key.setdefault(key, event_id)
    return by_key


def of_key(source: SenderSource, key: str) -> SentAlert | None:
    """Returns the alert with this key, if it is unresolved or among the newest events."""
    event_id = newest(source, key).get(key)
    if event_id is None:
        event_id = _of_unresolved(source, key)
    found = [] if event_id is None else of_events(source, [event_id])
    return found[0] if found else None


def of_events(source: SenderSource, event_ids: Sequence[UUID]) -> list[SentAlert]:
    """Returns the alerts of those events that the source sent, the newest first."""
    events = list(
        Event.select()
        .where(
            Event.workspace_id == source.workspace_id,
            Event.id.in_(list(event_ids)),
            Event.source_id == source.source_id,
        )
        .order_by(Event.id.desc())
    )
    incident_ids = [event.incident_id for event in events if event.incident_id is not None]
    incidents = {each.id: each for each in Incident.select().where(Incident.id.in_(incident_ids))}
    return [SentAlert(event, incidents.get(event.incident_id)) for event in events]


def _of_unresolved(source: SenderSource, key: str) -> UUID | None:
    incident = Incident.get_or_none(
        Incident.source_id == source.source_id, Incident.dedup_key == key, Incident.state != "resolved"
    )
    if incident is None:
        return None
    first = Event.select(Event.id).where(
        Event.workspace_id == source.workspace_id, Event.incident_id == incident.id, Event.action == "trigger"
    )
    event_id: UUID | None = first.order_by(Event.id).limit(1).scalar()
    return event_id
