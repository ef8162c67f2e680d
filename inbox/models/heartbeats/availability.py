"""Records when a web process could last receive and store pings."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

import peewee

from inbox.database.base import db
from inbox.models.heartbeats.tables import PingAvailability

OUTAGE = timedelta(seconds=15)
"""A longer gap between two reports is an outage."""


class LastReport(NamedTuple):
    """The last report: `at` by the reporting process's clock, and its `age` by the database's clock."""

    at: datetime
    age: timedelta

    def is_outage(self, now: datetime) -> bool:
        """Returns whether no process has reported since.

        Both clocks must show the gap, because the clocks of two hosts may differ.
        """
        return now - self.at > OUTAGE and self.age > OUTAGE


def lock_last() -> LastReport | None:
    """Locks the row, and returns the last report; None when this is the first one."""
    return _last("FOR UPDATE")


def last() -> LastReport | None:
    """Returns the last report. Waits for a process that is about to report the end of an outage."""
    return _last("FOR SHARE")


def report(now: datetime) -> None:
    """Stores that pings can be received now. An earlier time does not replace a later one that is still reported.

    A later time that is not reported again within the length of an outage comes from a fast clock.
    """
    db.execute_sql(
        "INSERT INTO ping_availability AS stored (id, alive_at, reported_at) VALUES (1, %s, clock_timestamp())"
        " ON CONFLICT (id) DO UPDATE SET alive_at = excluded.alive_at, reported_at = excluded.reported_at"
        " WHERE stored.alive_at <= excluded.alive_at"
        " OR stored.reported_at NOT BETWEEN excluded.reported_at - %s AND excluded.reported_at",
        (now, OUTAGE),
    )


def _last(lock: str) -> LastReport | None:
    columns = PingAvailability.alive_at, peewee.SQL("clock_timestamp() - reported_at")
    found = PingAvailability.select(*columns).for_update(lock).tuples().first()
    return None if found is None else LastReport(*found)
