"""Destinations of notices."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import SeverityField, Table, TimestampField
from inbox.models.workspaces.tables import Workspace


class Destination(Table):
    """A receiver of notices (specification 9.3). `config` may be shown; secrets are only in `sealed`.

    `generation` increases with every edit and test, so that a response to an earlier configuration cannot stop the new
    one. `rejections_in_a_row` counts consecutive other-4xx responses without a success in between (specification 9.7).
    `next_call_at` is the earliest time of the next call, if the service demands a pace. `digest` is `{every, at}`, or
    null without digests (`domain.deliveries.digests`). `template` is `{title, body}`, or null for the standard text.
    `owner_id` is the person whom it pages by `method`, of their notification rules; it is in no list of the workspace.
    `for_contact_methods`: members may name it in contact methods. `provider_id` is the destination whose settings and
    secrets reach the person. `summarised_at` is the time of the last summary of a storm (`domain.deliveries.storms`).
    """

    id = peewee.UUIDField(primary_key=True)
    workspace = peewee.ForeignKeyField(Workspace, backref="destinations", on_delete="CASCADE")
    workspace_id: UUID
    name = peewee.TextField()
    kind = peewee.TextField()
    config = BinaryJSONField(default=dict, index=False)
    sealed = peewee.BlobField(null=True)
    enabled = peewee.BooleanField(default=True)
    send_updates = peewee.BooleanField(default=True)
    send_notes = peewee.BooleanField(default=True)
    min_severity = SeverityField(null=True)
    alerts = peewee.TextField(default="all")
    quiet_hours_threshold = SeverityField(null=True, default="CRITICAL")
    digest = BinaryJSONField(null=True, index=False)
    template = BinaryJSONField(null=True, index=False)
    include_details = peewee.BooleanField(default=True)
    stopped_at = TimestampField(null=True)
    stopped_reason = peewee.TextField(null=True)
    rejections_in_a_row = peewee.IntegerField(default=0)
    device_id = peewee.UUIDField(null=True)
    owner_id = peewee.UUIDField(null=True)
    method = peewee.TextField(null=True)
    next_call_at = TimestampField(null=True)
    summarised_at = TimestampField(null=True)
    for_contact_methods = peewee.BooleanField(default=False)
    provider_id = peewee.UUIDField(null=True)
    generation = peewee.IntegerField(default=1)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "destinations"


class DestinationMessage(Table):
    """The message of an incident at a destination. The kind uses `reference` to change the message or to reply to it."""

    destination = peewee.ForeignKeyField(Destination, on_delete="CASCADE")
    incident_id = peewee.UUIDField()
    reference = BinaryJSONField(index=False)
    updated_at = TimestampField()

    class Meta:
        table_name = "destination_messages"
        primary_key = peewee.CompositeKey("destination", "incident_id")


def start_again(destination_id: UUID, **changes: Any) -> None:
    """Saves these changes as the next revision of a locked destination. Clears its stop, and ignores earlier calls."""
    Destination.update(
        **changes,
        stopped_at=None,
        stopped_reason=None,
        rejections_in_a_row=0,
        generation=Destination.generation + 1,
        rev=Destination.rev + 1,
    ).where(Destination.id == destination_id).execute()
