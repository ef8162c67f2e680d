"""The alerts that Prometheus repeats while they fire (specification 19.10)."""

from __future__ import annotations

import peewee

from inbox.database.base import Table, TimestampField
from inbox.models.senders.sources import Source


class PushedAlert(Table):
    """A firing alert: it ends at `ends_at` unless a repeat moves that time. `expired_at` is set if it ended without a
    repeat.
    """

    source = peewee.ForeignKeyField(Source, on_delete="CASCADE")
    dedup_key = peewee.TextField()
    ends_at = TimestampField()
    expired_at = TimestampField(null=True)

    class Meta:
        table_name = "pushed_alerts"
        primary_key = peewee.CompositeKey("source", "dedup_key")
