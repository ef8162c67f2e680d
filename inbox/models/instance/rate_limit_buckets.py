"""Token buckets that must survive a flushed Redis: sign-in, set-up and other entry points (specification 2.8)."""

from __future__ import annotations

import peewee

from inbox.database.base import Table, TimestampField


class Throttle(Table):
    """A bucket and its remaining tokens; changed by one atomic statement in `inbox.limits.rates`."""

    bucket = peewee.TextField(primary_key=True)
    tokens = peewee.DoubleField()
    filled_at = TimestampField()

    class Meta:
        table_name = "rate_limit_buckets"
