"""The job of the queue `routing`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inbox.flow.routing.route import route
from inbox.models.sql.base import db
from inbox.queue import SLICE_SECONDS, QueueName, job_queues

BATCH_SECONDS = timedelta(seconds=SLICE_SECONDS)


def run() -> None:
    """Route queued events for one time slice; `route` wakes the queue again when events are left."""
    job_queues().acknowledge(QueueName.ROUTING)
    with db.connection_context():
        route(lambda: datetime.now(UTC), idle_seconds=BATCH_SECONDS)
