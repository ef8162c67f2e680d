"""Silences, their hit counts, and the incidents that they cover (specification 8.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import array_literal
from inbox.domain.events.subject import Subject
from inbox.domain.incidents.incident import Actor
from inbox.domain.routing import silences as rules
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.models.people.accounts import User

RECHECK = "silence.recheck"
"""The kind of timer that rechecks the incidents of a silence after concurrent transactions are committed."""

EXPIRY_CHECK = "silence.stray_check"
"""The kind of timer that checks after the last hit whether the silence was already over at that hit."""

IN_FLIGHT_GRACE = timedelta(seconds=30)
"""After this time no concurrent transaction is open, because the database ends transactions that idle for half as long."""

CHUNK = 200


class Silence(Table):
    """A silence; its status (pending, active or expired) follows from its times. `hits` counts events."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    match = BinaryJSONField(index=False)
    source_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    starts_at = TimestampField()
    ends_at = TimestampField()
    recurrence = BinaryJSONField(null=True, index=False)
    comment = peewee.TextField(default="")
    created_by = peewee.UUIDField(null=True)
    hits = peewee.BigIntegerField(default=0)
    last_hit_at = TimestampField(null=True)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "silences"


class MatchableIncident(NamedTuple):
    """The fields of an incident that silences match: its names, its severity and its newest event.

    The event has the severity after the rules. If the event is purged, the incident's fields replace it. `body` and
    `metadata` are loaded only on request.
    """

    incident_id: UUID
    source: UUID
    title: str
    type: str | None
    resource: str | None
    dedup_key: str | None
    tags: Sequence[str]
    severity: Severity
    event: Subject

    @property
    def views(self) -> tuple[Subject, ...]:
        """The subjects that a silence is matched against (`domain.routing.silences.views`)."""
        return rules.views(self, self.severity, self.event)

    def with_names(self, incident: rules.NamedIncident, severity: Severity) -> MatchableIncident:
        """Returns a copy with the incident's current title and tags, and with this severity."""
        return self._replace(title=incident.title, tags=incident.tags, severity=severity)


class SilenceTimes(NamedTuple):
    """The times of a silence."""

    id: UUID
    starts_at: datetime
    ends_at: datetime
    recurrence: Mapping[str, Any]


def recurring(workspace_ids: Sequence[UUID], now: datetime, *, deleted: bool = False) -> Iterator[SilenceTimes]:
    """Yields the recurring silences of these workspaces that have started and not ended, or their deleted ones.

    The matches are not loaded, because they may be large.
    """
    own = Silence.workspace_id.in_(list(workspace_ids)) & Silence.deleted_at.is_null(not deleted)
    begun = (Silence.starts_at <= now) & (Silence.ends_at > now)
    columns = (Silence.id, Silence.starts_at, Silence.ends_at, Silence.recurrence)
    rows = Silence.select(*columns).where(own, begun, Silence.recurrence.is_null(False))
    return (SilenceTimes(*row) for row in rows.tuples().iterator())


def silenced_counts(silence_ids: Collection[UUID]) -> dict[UUID, int]:
    """Returns the number of unresolved incidents that each of these silences covers now."""
    found = db.execute_sql(
        "SELECT silenced_by, count(*) FROM incidents WHERE silenced_by = ANY(%s::uuid[]) AND state = 'silenced'"
        " GROUP BY silenced_by",
        (array_literal(silence_ids, unquoted=True),),
    )
    return {id: 0 for id in silence_ids} | dict(found.fetchall())


def creators(rows: Iterable[Silence]) -> dict[UUID, dict[str, str]]:
    """Returns the creators of these silences as actors, by id; closed accounts are omitted."""
    user_ids = User.select(User.id, User.name).where(User.id.in_({row.created_by for row in rows}))
    active_users = user_ids.where(User.deleted_at.is_null())
    return {user.id: Actor("user", ids.encode(Prefix.USER, user.id), user.name).record() for user in active_users}


def unsilenced(workspace_id: UUID, source_ids: Collection[UUID], limit: int | None = None) -> list[UUID]:
    """Returns the unresolved incidents of these sources (all if empty) that no silence covers, last seen first."""
    of_sources = " AND source_id = ANY(%s::uuid[])" if source_ids else ""
    found = db.execute_sql(
        "SELECT id FROM incidents WHERE workspace_id = %s AND state <> 'resolved' AND state <> 'silenced'"
        f"{of_sources} ORDER BY last_seen_at DESC, id DESC LIMIT %s",
        (workspace_id, *([array_literal(source_ids, unquoted=True)] if source_ids else []), limit),
    )
    return [row[0] for row in found.fetchall()]


def matchable_incidents(incident_ids: Sequence[UUID], needs: Collection[str]) -> Iterator[MatchableIncident]:
    """Yields these incidents in no order, read in chunks on demand; `needs` as in `matchers.needs`."""
    for first in range(0, len(incident_ids), CHUNK):
        yield from _read(incident_ids[first : first + CHUNK], needs)


def _read(incident_ids: Iterable[UUID], needs: Collection[str]) -> Iterator[MatchableIncident]:
    chosen = ", ".join("NULL" if name in _LONG and name not in needs else sql for name, sql in _OF_EVENT.items())
    found = db.execute_sql(
        f"SELECT i.id, i.source_id, s.name, {', '.join(f'i.{name}' for name in _OWN)}, {chosen}"
        " FROM incidents i JOIN sources s ON s.id = i.source_id"
        " LEFT JOIN LATERAL (SELECT * FROM routed_events_view WHERE incident_id = i.id ORDER BY id DESC LIMIT 1) e ON true"
        " WHERE i.id = ANY(%s::uuid[])",
        (array_literal(incident_ids, unquoted=True),),
    )
    for id, source, source_name, *rest in found.fetchall():
        own, (last_severity, *event), details = rest[:6], rest[6:13], rest[13:]
        source_id = ids.encode(Prefix.SOURCE, source)
        newest = Subject._make((Severity(last_severity), *event, source_id, source_name, *details))
        yield MatchableIncident._make((id, source, *own[:5], Severity(own[5]), newest))


_OWN = ("title", "type", "resource", "dedup_key", "tags", "severity")
_LONG = ("body", "metadata")
_OF_EVENT = {
    "severity": "i.last_severity",
    "action": "coalesce(e.action, 'trigger')",
    **{
        name: f"CASE WHEN e.id IS NULL THEN i.{name} ELSE e.{name} END"
        for name in ("title", "type", "resource", "dedup_key")
    },
    "tags": "coalesce(e.tags, '{}')",
    **{name: f"e.{name}" for name in ("body", "url", "external_id", "metadata")},
}
