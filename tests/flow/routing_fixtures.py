"""Fixtures of flow tests: accepted events, destinations in the default route, and reads of the results."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID

import orjson

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.routing.route import route
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.tables import Delivery, Notice
from inbox.models.events.tables import Event, EventQueueRow, ReceivedEvent
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.routing.routing_config import bump_revision
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW
from tests.database.stored import wait

_ORDER = count()
"""Events of one millisecond are newer in the order in which they are accepted, as those of one request are."""


def accept(source: Source, at: datetime = NOW, *, key: str | None = "disk", by: str = "", **fields: Any) -> UUID:
    """An event as ingest leaves it: stored, pending, in the queue. Events with one `key` (or `by`) are one fingerprint."""
    event_id = ids.uuid7(int(at.timestamp() * 1000), (next(_ORDER) << 40 | secrets.randbits(40)).to_bytes(10))
    about: dict[str, Any] = {"title": "Disk full", "severity": "ERROR", "action": "trigger", "dedup_key": key}
    about |= {"occurred_at": at, **fields}
    fingerprint = "f1:" + hashlib.sha256(f"{source.id} {by or key or about['title']}".encode()).hexdigest()[:40]
    ReceivedEvent.insert(
        workspace_id=source.workspace_id,
        id=event_id,
        source_id=source.id,
        received_at=at,
        fingerprint=fingerprint,
        **about,
    ).execute()
    wait(source.workspace_id, event_id, source.id)
    return event_id


def routed(source: Source, at: datetime = NOW, **fields: Any) -> Event:
    """Accept an event and route it at that same time; the event as it then is."""
    event_id = accept(source, at, **fields)
    route(lambda: at)
    return event(event_id)


def event(event_id: UUID) -> Event:
    found: Event = Event.get(Event.id == event_id)
    return found


def incident(event_id: UUID) -> Incident:
    """The incident to which an event was counted."""
    found: Incident = Incident.get_by_id(event(event_id).incident_id)
    return found


def listen(workspace: Workspace, name: str = "Pager", *, routed: bool = True, **fields: Any) -> Destination:
    """A webhook, at the end of the workspace's default route."""
    made = {"created_at": NOW - timedelta(days=30), **fields}
    destination: Destination = Destination.create(id=new_id(), workspace=workspace, name=name, kind="webhook", **made)
    if routed:
        route_to(workspace, [*Workspace.get_by_id(workspace.id).default_route.get("destinationIds", []), destination])
    return destination


def route_to(workspace: Workspace, destinations: list[Any]) -> None:
    """Make these, and no others, the destinations of the default route."""
    chosen = [str(getattr(each, "id", each)) for each in destinations]
    stored = Workspace.get_by_id(workspace.id).default_route
    Workspace.update(default_route={**stored, "destinationIds": chosen}).where(Workspace.id == workspace.id).execute()
    bump_revision(workspace.id)


def settle(workspace: Workspace, **settings: Any) -> None:
    """Store settings of the workspace."""
    Workspace.update(settings=settings).where(Workspace.id == workspace.id).execute()
    bump_revision(workspace.id)


def notices(incident_id: UUID) -> list[Notice]:
    return list(Notice.select().where(Notice.incident_id == incident_id).order_by(Notice.seq))


def reasons(incident_id: UUID) -> list[str]:
    return [notice.reason for notice in notices(incident_id)]


def bodies(incident_id: UUID) -> list[dict[str, Any]]:
    return [orjson.loads(notice.body) for notice in notices(incident_id)]


def reported(destination: Destination) -> list[tuple[str, str, str | None]]:
    """(reason, status, cause) of the deliveries to a destination, in their order."""
    found = (
        Delivery.select()
        .where(Delivery.destination_id == destination.id)
        .order_by(Delivery.created_at, Delivery.seq, Delivery.id)
    )
    return [(delivery.reason, delivery.status, delivery.cause) for delivery in found]


def decisions(notice: Notice) -> dict[str, str]:
    """Each destination's name with what was decided for it."""
    return {decision["name"]: decision["decision"] for decision in notice.decisions}


def timeline(incident_id: UUID) -> list[str]:
    found = TimelineEntry.select().where(TimelineEntry.incident_id == incident_id).order_by(TimelineEntry.id)
    return [entry.kind for entry in found]


def waiting() -> int:
    """How many events are in the queue."""
    return int(EventQueueRow.select().count())
