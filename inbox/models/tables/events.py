"""Events as received and what became of them, the narrow queue of those not yet routed, and what recognises a replay."""

from __future__ import annotations

from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField, JSONField

from inbox.models.sql.base import SeverityField, Table, TimestampField

SHARDS = 16
"""Over how many shards sources are spread; events of one shard are routed by one worker at a time."""


def shard_of(source_id: UUID) -> int:
    """The shard of a source: always the same one, or its events would overtake each other."""
    return source_id.int % SHARDS


class ReceivedEvent(Table):
    """An accepted event as it came (specification 4.1); it is never changed."""

    workspace_id = peewee.UUIDField()
    id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    received_at = TimestampField()
    occurred_at = TimestampField()
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

    class Meta:
        table_name = "received_events"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class RoutedEvent(Table):
    """What became of an event. Its `trace`, or the record that it shares, explains it (specification 4.10).

    One that is set aside is explained, and `pending`.
    """

    workspace_id = peewee.UUIDField()
    event_id = peewee.UUIDField()
    disposition = peewee.TextField()
    incident_id = peewee.UUIDField(null=True)
    trace = JSONField(null=True)
    trace_id = peewee.UUIDField(null=True)

    class Meta:
        table_name = "routed_events"
        primary_key = peewee.CompositeKey("workspace_id", "event_id")


class RoutingTrace(Table):
    """The explanation that many events of a source share which were routed on one day, of which its id is."""

    workspace_id = peewee.UUIDField()
    id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    record = JSONField()

    class Meta:
        table_name = "routing_traces"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class Event(ReceivedEvent):
    """An event as it came with what became of it, a view: `pending` until it is routed.

    `routed_as` is the disposition too, by which an index is found, and None until the event is routed.
    """

    disposition = peewee.TextField(default="pending")
    routed_as = peewee.TextField(null=True)
    incident_id = peewee.UUIDField(null=True)
    routing = JSONField(null=True)

    class Meta:
        table_name = "events"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class RoutedEventView(Event):
    """The events of which something became, walked by that: by disposition or by incident."""

    class Meta:
        table_name = "routed_events_view"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class PendingEventView(Event):
    """The events that are pending, walked by the queue."""

    class Meta:
        table_name = "pending_events_view"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class EventQueueRow(Table):
    """An event that is not routed yet: the outbox of ingest, in which each stands once. `seq` is the order of acceptance within a shard."""

    shard = peewee.SmallIntegerField()
    seq = peewee.BigIntegerField()
    workspace_id = peewee.UUIDField()
    event_id = peewee.UUIDField()
    attempts = peewee.SmallIntegerField(default=0)
    quarantined_at = TimestampField(null=True)

    class Meta:
        table_name = "event_queue"
        primary_key = peewee.CompositeKey("shard", "seq")


class RoutingShard(Table):
    """The shards that there are. How often routing of one was begun without coming to its end is in a sequence (`models.routing`)."""

    shard = peewee.SmallIntegerField(primary_key=True)

    class Meta:
        table_name = "routing_shards"


class IdempotencyRecord(Table):
    """The exact answer to a request that carried an `Idempotency-Key`, kept for 48 hours (specification 4.8)."""

    source_id = peewee.UUIDField()
    route = peewee.TextField()
    key = peewee.TextField()
    body_hash = peewee.BlobField()
    status = peewee.SmallIntegerField()
    response = peewee.BlobField()
    created_at = TimestampField()

    class Meta:
        table_name = "idempotency_records"
        primary_key = peewee.CompositeKey("source_id", "route", "key")


class EventDedup(Table):
    """By what an event is known again: its own key, or its occurrence (source, fingerprint, `occurredAt` as sent)."""

    source_id = peewee.UUIDField()
    kind = peewee.TextField()
    digest = peewee.BlobField()
    event_id = peewee.UUIDField()
    content_digest = peewee.BlobField(null=True)
    created_at = TimestampField()

    class Meta:
        table_name = "event_dedup"
        primary_key = peewee.CompositeKey("source_id", "kind", "digest")
