"""When a web process could last receive and store pings."""

from __future__ import annotations

from datetime import datetime

from inbox.models.sql.base import db
from inbox.models.tables.heartbeats import PingAvailability


def lock_last() -> datetime | None:
    """Lock the row, and return when pings could last be received; None when this is the first time."""
    return _last("FOR UPDATE")


def last() -> datetime | None:
    """When pings could last be received. It waits for a process that is about to report the end of an outage."""
    return _last("FOR SHARE")


def report(now: datetime) -> None:
    """Store that pings can be received now."""
    db.execute_sql(
        "INSERT INTO ping_availability (id, alive_at) VALUES (1, %s)"
        " ON CONFLICT (id) DO UPDATE SET alive_at = greatest(ping_availability.alive_at, excluded.alive_at)",
        (now,),
    )


def _last(lock: str) -> datetime | None:
    row: PingAvailability | None = PingAvailability.select().for_update(lock).first()
    return None if row is None else row.alive_at
