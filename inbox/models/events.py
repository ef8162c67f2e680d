"""Events as stored, the narrow queue of those not yet routed, and what recognises a replay."""

from __future__ import annotations

from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.models.base import MomentField, SeverityField, Table

SHARDS = 16
"""Over how many shards sources are spread; events of one shard are routed by one worker at a time."""


def shard_of(source_id: UUID) -> int:
    """The shard of a source: always the same one, or its events would overtake each other."""
    return source_id.int % SHARDS


class Event(Table):
    """An accepted event (spec 2.1, decision 6); `routing` explains what was done with it (decision 8)."""

    workspace_id = peewee.UUIDField()
    id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    received_at = MomentField()
    occurred_at = MomentField()
    severity = SeverityField()
    action = peewee.TextField()
    title = peewee.TextField()
    type = peewee.TextField(null=True)
    resource = peewee.TextField(null=True)
    dedup_key = peewee.TextField(null=True)
    body = peewee.TextField(null=True)
    tags = ArrayField(peewee.TextField, default=list, index=False)
    url = peewee.TextField(null=True)
    external_id = peewee.TextField(null=True)
    idempotency_key = peewee.TextField(null=True)
    metadata = BinaryJSONField(null=True, index=False)
    fingerprint = peewee.TextField()
    flags = ArrayField(peewee.TextField, default=list, index=False)
    warnings = BinaryJSONField(default=list, index=False)
    disposition = peewee.TextField(default="pending")
    incident_id = peewee.UUIDField(null=True)
    routing = BinaryJSONField(null=True, index=False)

    class Meta:
        table_name = "events"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class QueuedEvent(Table):
    """An event that is not routed yet: the outbox of ingest. `seq` is the order of acceptance within a shard."""

    shard = peewee.SmallIntegerField()
    seq = peewee.BigIntegerField()
    workspace_id = peewee.UUIDField()
    event_id = peewee.UUIDField()
    attempts = peewee.SmallIntegerField(default=0)
    quarantined_at = MomentField(null=True)

    class Meta:
        table_name = "event_queue"
        primary_key = peewee.CompositeKey("shard", "seq")


class RoutingShard(Table):
    """How often routing of a shard was begun without coming to its end; a crash loop shows here."""

    shard = peewee.SmallIntegerField(primary_key=True)
    tries = peewee.SmallIntegerField(default=0)

    class Meta:
        table_name = "routing_shards"


class IdempotencyRecord(Table):
    """The exact answer to a request that carried an `Idempotency-Key`, kept for 48 hours (decision 6)."""

    source_id = peewee.UUIDField()
    route = peewee.TextField()
    key = peewee.TextField()
    body_hash = peewee.BlobField()
    status = peewee.SmallIntegerField()
    response = peewee.BlobField()
    created_at = MomentField()

    class Meta:
        table_name = "idempotency_records"
        primary_key = peewee.CompositeKey("source_id", "route", "key")


class EventIdentity(Table):
    """By what an event is known again: its own key, or its occurrence (source, fingerprint, `occurredAt` as sent)."""

    source_id = peewee.UUIDField()
    kind = peewee.TextField()
    digest = peewee.BlobField()
    event_id = peewee.UUIDField()
    content_digest = peewee.BlobField(null=True)
    created_at = MomentField()

    class Meta:
        table_name = "event_identities"
        primary_key = peewee.CompositeKey("source_id", "kind", "digest")
