"""Tables of received events, routing results and traces, the event queue, and the deduplication of events."""

from __future__ import annotations

from datetime import datetime

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField, JSONField

from inbox.database.base import SeverityField, Table, TimestampField


class ReceivedEvent(Table):
    """An accepted event as received (specification 4.1). Only the flag `late` is added to it."""

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
    group_fingerprint = peewee.TextField(null=True)
    flags = ArrayField(peewee.TextField, default=list, index=False)
    warnings = BinaryJSONField(default=list, index=False)

    is_repeat = False

    @property
    def sent_at(self) -> datetime | None:
        """The time that the sender gave; None without one, or with a wrong clock."""
        return None if self.occurred_at == self.received_at else self.occurred_at

    class Meta:
        table_name = "received_events"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class RoutedEvent(Table):
    """The routing result of an event. A separate or a shared `trace` explains it (specification 4.10).

    A quarantined event has a trace, and the disposition `pending`.
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
    """A trace that many events of a source share. They were routed on the day of its id."""

    workspace_id = peewee.UUIDField()
    id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    record = JSONField()

    class Meta:
        table_name = "routing_traces"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class Event(ReceivedEvent):
    """A view of an event with its routing result: `pending` until it is routed.

    `routed_as` is the same disposition in a form that an index supports, and None until the event is routed.
    """

    disposition = peewee.TextField(default="pending")
    routed_as = peewee.TextField(null=True)
    incident_id = peewee.UUIDField(null=True)
    routing = JSONField(null=True)

    class Meta:
        table_name = "events"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class RoutedEventView(Event):
    """A view of the routed events, which is scanned by disposition or by incident."""

    class Meta:
        table_name = "routed_events_view"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class PendingEventView(Event):
    """A view of the pending events, which is scanned along the queue."""

    class Meta:
        table_name = "pending_events_view"
        primary_key = peewee.CompositeKey("workspace_id", "id")


class EventQueueRow(Table):
    """An event that is not routed: the outbox of ingest. `seq` is the order of acceptance within a shard.

    With `repeated_at`, the sender reported the event again then, and routing counts the repeat. An event that
    `may_overtake` is routed before a backlog of other fingerprints, which `fingerprint_hash` tells apart (decision 0039).
    """

    shard = peewee.SmallIntegerField()
    seq = peewee.BigIntegerField()
    workspace_id = peewee.UUIDField()
    event_id = peewee.UUIDField()
    attempts = peewee.SmallIntegerField(default=0)
    quarantined_at = TimestampField(null=True)
    repeated_at = TimestampField(null=True)
    fingerprint_hash = peewee.IntegerField(default=0)
    may_overtake = peewee.BooleanField(default=False)

    class Meta:
        table_name = "event_queue"
        primary_key = peewee.CompositeKey("shard", "seq")


class IdempotencyRecord(Table):
    """The exact response to a request with an `Idempotency-Key`, stored for 48 hours (specification 4.8)."""

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
    """The identity of an event: its idempotency key, or its occurrence (source, fingerprint, `occurredAt` as sent).

    An occurrence of a higher severity replaces the row.
    """

    source_id = peewee.UUIDField()
    kind = peewee.TextField()
    digest = peewee.BlobField()
    event_id = peewee.UUIDField()
    content_digest = peewee.BlobField(null=True)
    severity_rank = peewee.SmallIntegerField(default=0)
    created_at = TimestampField()

    class Meta:
        table_name = "event_dedup"
        primary_key = peewee.CompositeKey("source_id", "kind", "digest")
