"""The door to timers: heard, then fired."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inbox.flow.timers.run import run_due
from inbox.models.sql.base import db
from inbox.queue import TURN_SECONDS, Bell, bells

TURN = timedelta(seconds=TURN_SECONDS)


def run() -> None:
    """Act on the timers that are due, for a turn; the next one is rung for."""
    bells().heard(Bell.TIMERS)
    with db.connection_context():
        run_due(lambda: datetime.now(UTC), idle_seconds=TURN)
