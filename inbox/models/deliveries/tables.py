"""Notices, their deliveries and the attempts."""

from __future__ import annotations

from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField


class Notice(Table):
    """A message about an incident or an event. `decisions` holds the cause for each destination.

    `body` is the JSON for webhooks without the members that the newest event gives (`models.deliveries.event_details`).
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    incident_id = peewee.UUIDField(null=True)
    event_id = peewee.UUIDField(null=True)
    newest_event_id = peewee.UUIDField(null=True)
    seq = peewee.IntegerField(default=0)
    reason = peewee.TextField()
    created_at = TimestampField()
    body = peewee.TextField()
    decisions = BinaryJSONField(default=list, index=False)

    class Meta:
        table_name = "notices"


class Delivery(Table):
    """A notice for one destination; its id is the `webhook-id`. `attempt` is the fence against late responses.

    `digest_id` is the delivery of the digest that contains a gathered notice. Specification 9.5. `urgency` orders the
    deliveries of a destination with a pace (`domain.deliveries.storms`).
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    notice = peewee.ForeignKeyField(Notice, backref="deliveries", on_delete="CASCADE")
    notice_id: UUID
    incident_id = peewee.UUIDField(null=True)
    destination_id = peewee.UUIDField()
    seq = peewee.IntegerField(default=0)
    reason = peewee.TextField()
    status = peewee.TextField()
    attempt = peewee.IntegerField(default=0)
    due_at = TimestampField(null=True)
    lease_until = TimestampField(null=True)
    cause = peewee.TextField(null=True)
    replay_of = peewee.UUIDField(null=True)
    digest_id = peewee.UUIDField(null=True)
    urgency = peewee.SmallIntegerField(default=0)
    created_at = TimestampField()
    settled_at = TimestampField(null=True)

    class Meta:
        table_name = "deliveries"


class DeliveryAttempt(Table):
    """One attempt and its receipt; `excerpt` is at most 2 KiB, sanitised. `requests` is the JSON of the sent requests
    without secrets (`destinations.sent_requests`). `note` describes the text that was sent instead of a template's.
    """

    delivery = peewee.ForeignKeyField(Delivery, backref="attempts", on_delete="CASCADE")
    delivery_id: UUID
    number = peewee.IntegerField()
    at = TimestampField()
    status_code = peewee.IntegerField(null=True)
    duration_ms = peewee.IntegerField(null=True)
    error = peewee.TextField(null=True)
    excerpt = peewee.TextField(null=True)
    requests = peewee.TextField(null=True)
    note = peewee.TextField(null=True)

    class Meta:
        table_name = "delivery_attempts"
        primary_key = peewee.CompositeKey("delivery", "number")
