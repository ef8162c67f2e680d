"""When a web process could last receive and store pings."""

from __future__ import annotations

from datetime import datetime

from inbox.models.sql.base import db
from inbox.models.tables.heartbeats import PingAvailability

ABANDONED = "interval '15 seconds'"
"""A later time that was not reported again for so long is of a clock that was ahead."""


def lock_last() -> datetime | None:
    """Lock the row, and return when pings could last be received; None when this is the first time."""
    return _last("FOR UPDATE")


def last() -> datetime | None:
    """When pings could last be received. It waits for a process that is about to report the end of an outage."""
    return _last("FOR SHARE")


def report(now: datetime) -> None:
    """Store that pings can be received now. An earlier time does not replace a later one that is still reported.

    Where the clock of a host is ahead, its processes report the later times, and there is no gap between them.
    """
    db.execute_sql(
        "INSERT INTO ping_availability AS stored (id, alive_at, reported_at) VALUES (1, %s, clock_timestamp())"
        " ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at, reported_at = excluded.reported_at"
        " WHERE stored.alive_at <= excluded.alive_at"
        f" OR stored.reported_at NOT BETWEEN excluded.reported_at - {ABANDONED} AND excluded.reported_at",
        (now,),
    )


def _last(lock: str) -> datetime | None:
    row: PingAvailability | None = PingAvailability.select().for_update(lock).first()
    return None if row is None else row.alive_at
