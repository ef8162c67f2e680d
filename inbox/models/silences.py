"""Silences: what is not told for a while, why, and how much that was (decision 10)."""

from __future__ import annotations

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.models.base import MomentField, Table


class Silence(Table):
    """A silence; whether it is pending, active or expired follows from its times. `hits` counts events."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    match = BinaryJSONField(index=False)
    source_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    starts_at = MomentField()
    ends_at = MomentField()
    recurrence = BinaryJSONField(null=True, index=False)
    comment = peewee.TextField(default="")
    created_by = peewee.UUIDField(null=True)
    hits = peewee.BigIntegerField(default=0)
    last_hit_at = MomentField(null=True)
    created_at = MomentField()
    deleted_at = MomentField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "silences"
