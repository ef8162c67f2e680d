"""Forwardings of people on call (specification 23.9)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField


class OnCallForwarding(Table):
    """The person of `to_user_id` is on call in place of `user_id` in all schedules of the workspace, for a time."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    user_id = peewee.UUIDField()
    to_user_id = peewee.UUIDField()
    starts_at = TimestampField()
    ends_at = TimestampField()
    reason = peewee.TextField(default="")
    created_by = peewee.UUIDField(null=True)
    created_at = TimestampField()

    class Meta:
        table_name = "oncall_forwardings"


def forwardings_within(workspace_ids: Collection[UUID], start: datetime, end: datetime) -> list[OnCallForwarding]:
    """Returns the forwardings of these workspaces that are active between two times, in the order of creation."""
    active = (OnCallForwarding.starts_at < end) & (OnCallForwarding.ends_at > start)
    own = OnCallForwarding.select().where(OnCallForwarding.workspace_id.in_([*workspace_ids]), active)
    return list(own.order_by(OnCallForwarding.created_at, OnCallForwarding.id))
