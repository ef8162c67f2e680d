"""The door to timers: heard, then fired."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.flow.timers import fire
from inbox.models.base import db
from inbox.queue import Bell, bells


def run() -> None:
    """Act on the timers that are due."""
    bells().heard(Bell.TIMERS)
    with db.connection_context():
        fire(lambda: datetime.now(UTC))
