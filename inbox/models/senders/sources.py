"""Sources of events, and the keys that authenticate their senders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import orjson
import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.database.base import SeverityField, Table, TimestampField, db
from inbox.domain.values import ids
from inbox.models.lists.index_scan import Partitions
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace


class Source(Table):
    """A sender of events (specification 5.1)."""

    id = peewee.UUIDField(primary_key=True)
    workspace = peewee.ForeignKeyField(Workspace, backref="sources", on_delete="CASCADE")
    workspace_id: UUID
    name = peewee.TextField()
    kind = peewee.TextField(default="events")
    enabled = peewee.BooleanField(default=True)
    default_severity = SeverityField(default="INFO")
    group_by = ArrayField(peewee.TextField, default=list, index=False)
    resolve_by = peewee.TextField(default="dedupKey")
    resolve_when = peewee.TextField(default="all")
    incident_for = peewee.TextField(default="group")
    routing_profile_id = peewee.UUIDField(null=True)
    allow_query_token = peewee.BooleanField(default=False)
    allow_sender_acknowledge = peewee.BooleanField(default=False)
    keep_open_on_missing_data = peewee.BooleanField(default=False)
    built_in = peewee.BooleanField(default=False)
    expect_every_seconds = peewee.IntegerField(null=True)
    recovery_pattern = peewee.TextField(null=True)
    recovery_preset = peewee.TextField(null=True)
    mapping = BinaryJSONField(null=True, index=False)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "sources"


class SourceKey(Table):
    """A source's key: its SHA-256 and its hint; `grace_ends_at` is set by a rotation (specification 5.2).

    A signing secret has a `tool`. Its text is in `sealed`, and its `hash` is random, so that no key has it.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    source = peewee.ForeignKeyField(Source, backref="keys", on_delete="CASCADE")
    source_id: UUID
    kind = peewee.TextField(default="source_key")
    tool = peewee.TextField(null=True)
    name = peewee.TextField(default="")
    hash = peewee.BlobField(unique=True)
    hint = peewee.TextField()
    sealed = peewee.BlobField(null=True)
    created_at = TimestampField()
    created_by = peewee.ForeignKeyField(User, column_name="created_by", null=True, on_delete="SET NULL")
    created_by_id: UUID | None
    last_used_at = TimestampField(null=True)
    last_used_network = peewee.TextField(null=True)
    last_used_agent = peewee.TextField(null=True)
    grace_ends_at = TimestampField(null=True)
    revoked_at = TimestampField(null=True)

    class Meta:
        table_name = "source_keys"


class Activity(NamedTuple):
    """The time of a source's last event, and its number of events in the last 24 hours (at most `MAX_COUNTED`)."""

    last_event_at: datetime | None
    events_last_24h: int


def record_use(clients: Mapping[UUID, tuple[str, str]], now: datetime, unless_since: datetime) -> None:
    """Sets the last use of these keys, with network and user agent, unless it is later than `unless_since`."""
    rows = orjson.dumps(
        [{"id": str(id), "network": network, "agent": agent} for id, (network, agent) in clients.items()]
    )
    db.execute_sql(
        "UPDATE source_keys k SET last_used_at = %s, last_used_network = u.network, last_used_agent = u.agent"
        " FROM json_to_recordset(%s) AS u (id uuid, network text, agent text)"
        " WHERE k.id = u.id AND (k.last_used_at IS NULL OR k.last_used_at < %s)",
        (now, rows.decode(), unless_since),
    )


MAX_COUNTED = 100_000


def activity(sources: Sequence[Source], now: datetime) -> dict[UUID, Activity]:
    """Returns the recent activity of these sources, in one statement.

    Event ids are ordered by time, so the index serves it.
    """
    rows = db.execute_sql(
        """
        SELECT s.id,
               (SELECT received_at FROM received_events e WHERE e.workspace_id = s.workspace_id AND e.source_id = s.id
                 ORDER BY e.id DESC LIMIT 1),
               (SELECT count(*) FROM (SELECT 1 FROM received_events e WHERE e.workspace_id = s.workspace_id
                   AND e.source_id = s.id AND e.id >= %s LIMIT %s) lately)
          FROM sources s WHERE s.id = ANY(%s)
        """,
        (ids.uuid7(int((now - timedelta(hours=24)).timestamp() * 1000), bytes(10)), MAX_COUNTED,
         [source.id for source in sources]),
    )  # fmt: skip
    return {row[0]: Activity(row[1], row[2]) for row in rows.fetchall()}


def names(workspace_ids: Sequence[UUID], source_ids: Sequence[UUID] | None = None) -> list[tuple[UUID, UUID, str]]:
    """Returns (workspace, source, name) of the sources of these workspaces, including deleted ones, or of these sources."""
    query = Source.select(Source.workspace, Source.id, Source.name).where(Source.workspace.in_(list(workspace_ids)))
    if source_ids is not None:
        query = query.where(Source.id.in_(list(source_ids)))
    return list(query.tuples())


def by_name(workspace_ids: Sequence[UUID], source_ids: Sequence[UUID] | None = None) -> Partitions:
    """Returns the branches of a list that is sorted by the name of the source."""
    return Partitions({"workspace_id": "uuid", "source_id": "uuid"}, names(workspace_ids, source_ids), "text")
