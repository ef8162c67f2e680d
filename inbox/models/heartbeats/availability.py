"""When a web process could last receive and store pings."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.models.sql.base import db
from inbox.models.tables.heartbeats import PingAvailability

CLOCK_DIFFERENCE = timedelta(minutes=5)
"""How much the clocks of the web processes may differ at most."""


def lock_last() -> datetime | None:
    """Lock the row, and return when pings could last be received; None when this is the first time."""
    return _last("FOR UPDATE")


def last() -> datetime | None:
    """When pings could last be received. It waits for a process that is about to report the end of an outage."""
    return _last("FOR SHARE")


def report(now: datetime) -> None:
    """Store that pings can be received now. An earlier report does not replace a later one of another process.

    A stored time that is further ahead than `CLOCK_DIFFERENCE` is of a clock that was ahead, and is replaced.
    """
    db.execute_sql(
        "INSERT INTO ping_availability AS stored (id, alive_at) VALUES (1, %s)"
        " ON CONFLICT (id) DO UPDATE SET alive_at = CASE WHEN stored.alive_at <= excluded.alive_at + %s"
        " THEN greatest(stored.alive_at, excluded.alive_at) ELSE excluded.alive_at END",
        (now, CLOCK_DIFFERENCE),
    )


def _last(lock: str) -> datetime | None:
    row: PingAvailability | None = PingAvailability.select().for_update(lock).first()
    return None if row is None else row.alive_at
