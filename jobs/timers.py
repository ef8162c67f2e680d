"""The door to timers: heard, then fired."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inbox.flow.timers.run import run_due
from inbox.models.sql.base import db
from inbox.queue import STEP_SECONDS, QueueName, job_queues

BATCH_SECONDS = timedelta(seconds=STEP_SECONDS)


def run() -> None:
    """Act on the timers that are due, for a turn; the next one is rung for."""
    job_queues().acknowledge(QueueName.TIMERS)
    with db.connection_context():
        run_due(lambda: datetime.now(UTC), idle_seconds=BATCH_SECONDS)
