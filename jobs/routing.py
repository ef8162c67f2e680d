"""The door to routing: heard, then drained."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inbox.flow.routing.route import route
from inbox.models.sql.base import db
from inbox.queue import STEP_SECONDS, QueueName, job_queues

BATCH_SECONDS = timedelta(seconds=STEP_SECONDS)


def run() -> None:
    """Route what waits, for a turn; the next one is rung for."""
    job_queues().acknowledge(QueueName.ROUTING)
    with db.connection_context():
        route(lambda: datetime.now(UTC), idle_seconds=BATCH_SECONDS)
