"""Queries for the explanation of an incident or an event: events, notices, and the objects that belong to them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.deliveries.quiet_hours import DeferredNotice
from inbox.domain.values.ids import uuid7
from inbox.domain.values.paging import Position
from inbox.domain.values.severity import Severity
from inbox.models.deliveries import recipients as notice_recipients
from inbox.models.deliveries.deferred import DEFERRED, LAST_NOTIFIED_SEQ
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.deliveries.tables import Notice
from inbox.models.events.tables import Event, RoutedEventView
from inbox.models.incidents.tables import Incident
from inbox.models.lists.pages import RowPage
from inbox.models.people.accounts import User
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.silences import Silence

RECENT_NOTICES = 20
"""The number of an incident's newest notices whose fallback check may still be pending."""


class NoticeInQuietHours(NamedTuple):
    """A notice that quiet hours hold for a destination; `last_notified_seq` as in `deferred.DeferredDelivery`."""

    destination_id: UUID
    name: str
    until: datetime
    last_notified_seq: int
    notice: DeferredNotice


class DestinationSettings(NamedTuple):
    """The current settings of a destination that explanations need."""

    id: UUID
    name: str
    enabled: bool
    send_updates: bool
    min_severity: str | None
    stopped_reason: str | None
    created_at: datetime
    is_personal: bool = False
    """Whether it is a contact of a person, which no route names."""

    def accepts(self, severity: Severity) -> bool:
        """Returns whether the destination gets alarms of this severity."""
        return self.enabled and (self.min_severity is None or severity.rank >= Severity(self.min_severity).rank)


def page(
    incident: Incident, *, kind: str | None = None, after: Position | None, descending: bool, limit: int
) -> RowPage:
    """Returns the next page of ids of the incident's events and notices, or of one `kind`, by time.

    Events are scanned along their index. Notices have no index in this order, since an incident has few of them. OFFSET
    0 makes the database read all notices of the incident by its index. Without it, the planner might scan the notices
    of all incidents.
    """
    own = Notice.select(Notice.id).where(Notice.incident_id == incident.id).offset(0).alias("own")
    events = RoutedEventView.select(RoutedEventView.id).where(RoutedEventView.incident_id == incident.id)
    found: list[UUID] = []
    both = {"event": (events, RoutedEventView.id), "notice": (Notice.select(own.c.id).from_(own), own.c.id)}
    for each, (rows, id) in both.items():
        if kind not in (None, each):
            continue
        if after is not None:
            rows = rows.where(id < after.id if descending else id > after.id)
        chosen = rows.order_by(id.desc() if descending else id.asc()).limit(limit + 1)
        found += [row_id for (row_id,) in chosen.tuples()]
    ids = sorted(found, reverse=descending)[: limit + 1]
    page = ids[:limit]
    return RowPage(page, Position(page[-1], page[-1]) if len(ids) > limit else None)


def id_query(incident: Incident, kind: str | None = None) -> tuple[Any, Any]:
    """Returns (query of the ids as rows of `id`, the id column), for pages by number and for counting."""
    events = RoutedEventView.select(RoutedEventView.id).where(RoutedEventView.incident_id == incident.id)
    notices = Notice.select(Notice.id).where(Notice.incident_id == incident.id)
    chosen = {"event": events, "notice": notices}.get(kind or "", None)
    both = (events.union_all(notices) if chosen is None else chosen).alias("found")
    return Event.select(both.c.id).from_(both).dicts(), both.c.id


def notices_caused_by(event: Event) -> list[UUID]:
    """Returns the ids of the notices that the event caused, in the order of time.

    They belong to the event's incident, or, for an event without an incident, to the event itself.
    """
    incident_condition = (
        Notice.incident_id.is_null() if event.incident_id is None else Notice.incident_id == event.incident_id
    )
    found = Notice.select(Notice.id).where(Notice.event_id == event.id, incident_condition)
    return sorted(id for (id,) in found.tuples())


def counted_since(incident_id: UUID, at: datetime, limit: int) -> int:
    """Returns the number of events of the incident received after this moment; at most `limit + 1`."""
    first = uuid7(int(at.timestamp() * 1000), bytes(10))
    found = db.execute_sql(
        "SELECT count(*) FROM (SELECT FROM routed_events_view WHERE incident_id = %s AND id >= %s AND received_at > %s"
        " ORDER BY id LIMIT %s) e",
        (incident_id, first, at, limit + 1),
    )
    return int(found.fetchone()[0])


def events(workspace_id: UUID, ids: Collection[UUID]) -> dict[UUID, Event]:
    """Returns events by id, with the columns that an explanation needs."""
    requested = (
        Event.id,
        Event.received_at,
        Event.title,
        Event.severity,
        Event.disposition,
        Event.incident_id,
        Event.routing,
    )
    found = Event.select(*requested).where(Event.workspace_id == workspace_id, Event.id.in_(list(ids)))
    return {event.id: event for event in found}


def notices(workspace_id: UUID, ids: Collection[UUID]) -> dict[UUID, Notice]:
    """Returns notices by id."""
    found = Notice.select().where(Notice.workspace_id == workspace_id, Notice.id.in_(list(ids)))
    return {notice.id: notice for notice in found}


def deliveries(notice_ids: Iterable[UUID]) -> dict[tuple[UUID, UUID], tuple[Any, ...]]:
    """Returns the original deliveries of these notices, by (notice, destination).

    The values are the delivery's id, status, cause, due time and settlement time. Then follow the time of its first
    sent replay, and the id of its digest.
    """
    found = db.execute_sql(
        "SELECT d.notice_id, d.destination_id, d.id, d.status, d.cause, d.due_at, d.settled_at,"
        " (SELECT min(r.settled_at) FROM deliveries r WHERE r.replay_of = d.id AND r.status = 'sent'),"
        " d.digest_id"
        " FROM deliveries d WHERE d.notice_id = ANY(%s::uuid[]) AND d.replay_of IS NULL",
        (array_literal(notice_ids, unquoted=True),),
    )
    return {(notice_id, destination_id): tuple(values) for notice_id, destination_id, *values in found.fetchall()}


def silences(workspace_id: UUID, ids: Collection[UUID]) -> dict[UUID, tuple[Silence, str | None]]:
    """Returns silences of the workspace by id, each with its creator's name; also deleted ones until they are purged."""
    rows = Silence.select().where(Silence.workspace_id == workspace_id, Silence.id.in_(list(ids))) if ids else ()
    found = list(rows)
    creators = people({row.created_by for row in found})
    return {row.id: (row, creators.get(row.created_by)) for row in found}


def people(ids: Collection[UUID | None]) -> dict[UUID | None, str]:
    """Returns names of people by id."""
    requested = [id for id in ids if id is not None]
    return (
        {user.id: user.name for user in User.select(User.id, User.name).where(User.id.in_(requested))}
        if requested
        else {}
    )


def profiles(workspace_id: UUID, ids: Collection[UUID]) -> dict[UUID, str]:
    """Returns names of routing profiles of the workspace by id; also deleted ones until they are purged."""
    here = RoutingProfile.workspace_id == workspace_id
    rows = RoutingProfile.select().where(here, RoutingProfile.id.in_(list(ids))) if ids else ()
    return {row.id: row.name for row in rows}


def destinations(workspace_id: UUID) -> list[DestinationSettings]:
    """Returns all destinations of the workspace that are not deleted, by name."""
    here = (Destination.workspace == workspace_id, Destination.deleted_at.is_null())
    columns = (
        Destination.id,
        Destination.name,
        Destination.enabled,
        Destination.send_updates,
        Destination.min_severity,
    )
    personal = Destination.owner_id.is_null(False)
    rows = Destination.select(*columns, Destination.stopped_reason, Destination.created_at, personal).where(*here)
    return [DestinationSettings(*row) for row in rows.order_by(Destination.name, Destination.id).tuples()]


def count_destinations(workspace_id: UUID) -> int:
    """Returns the number of destinations of the workspace that are not deleted, without contacts of people."""
    return int(
        Destination.select()
        .where(Destination.workspace == workspace_id, Destination.deleted_at.is_null(), Destination.owner_id.is_null())
        .count()
    )


def pending_check(incident_id: UUID) -> tuple[UUID, datetime] | None:
    """Returns the alarm of the incident with the next fallback check, and the time of the check; None without one."""
    found = db.execute_sql(
        "SELECT n.id, t.due_at FROM (SELECT id FROM notices WHERE incident_id = %s ORDER BY seq DESC LIMIT %s) n"
        " JOIN timers t ON t.kind = %s AND t.subject_id = n.id ORDER BY t.due_at, n.id LIMIT 1",
        (incident_id, RECENT_NOTICES, CHECK),
    ).fetchone()
    return None if found is None else (found[0], found[1])


def notified(incident_id: UUID) -> set[UUID]:
    """Returns the destinations that notices of the incident addressed."""
    return {destination_id for _, destination_id in notice_recipients.notified_before([incident_id])}


def notified_by_route(incident_id: UUID) -> set[UUID]:
    """Returns the destinations that the incident's route named for its notices, without destinations of a fallback alone."""
    found = db.execute_sql(
        "SELECT DISTINCT destination_id FROM deliveries WHERE incident_id = %s AND reason <> 'fallback'", (incident_id,)
    )
    return {destination_id for (destination_id,) in found.fetchall()}


def deferred(workspace_id: UUID, incident_id: UUID) -> list[NoticeInQuietHours]:
    """Returns the notices of the incident that quiet hours hold, by destination and then in their order."""
    found = db.execute_sql(
        f"SELECT t.id, t.name, d.due_at, {LAST_NOTIFIED_SEQ}, d.id, d.seq, d.reason FROM deliveries d"
        " JOIN destinations t ON t.id = d.destination_id WHERE t.workspace_id = %s AND t.deleted_at IS NULL"
        f" AND d.incident_id = %s AND d.{DEFERRED.replace('AND ', 'AND d.')} ORDER BY t.name, t.id, d.seq, d.id",
        (workspace_id, incident_id),
    )
    rows = found.fetchall()
    return [
        NoticeInQuietHours(id, name, until, last_notified_seq, DeferredNotice(*notice))
        for id, name, until, last_notified_seq, *notice in rows
    ]
