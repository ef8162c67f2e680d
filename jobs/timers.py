"""The job of the queue `timers`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inbox.database.base import db
from inbox.flow.timers.run import run_due
from inbox.runtime.queue import SLICE_SECONDS, QueueName, job_queues

BATCH_SECONDS = timedelta(seconds=SLICE_SECONDS)


def run() -> None:
    """Run due timers for one time slice; `run_due` wakes the queue again when timers may be left."""
    job_queues().acknowledge(QueueName.TIMERS)
    with db.connection_context():
        run_due(lambda: datetime.now(UTC), idle_seconds=BATCH_SECONDS)
