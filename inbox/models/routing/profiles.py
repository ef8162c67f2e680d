"""Routing profiles: the destinations, delays and repeats of notifications (specification 6.7)."""

from __future__ import annotations

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField


class RoutingProfile(Table):
    """A profile; `steps` and `renotify_minutes` in the shape of the API, the steps in the order of their times.

    The workspace's setting applies to columns that are null.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    name = peewee.TextField()
    delay_seconds = peewee.IntegerField(column_name="hold_seconds", default=0)
    steps = BinaryJSONField(index=False)
    repeat = peewee.IntegerField(default=0)
    renotify_minutes = BinaryJSONField(null=True, index=False)
    renotify_max = peewee.IntegerField(null=True)
    ack_timeout_minutes = peewee.IntegerField(null=True)
    auto_resolve_minutes = peewee.IntegerField(null=True)
    reopen_window_minutes = peewee.IntegerField(null=True)
    quiet_hours = peewee.TextField(default="inherit")
    fallback_destination_id = peewee.UUIDField(null=True)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "routing_profiles"
