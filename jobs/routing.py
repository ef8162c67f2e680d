"""The job of the queue `routing`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from inbox.database.base import db
from inbox.flow.routing.route import route
from inbox.runtime.queue import SLICE_SECONDS, QueueName, job_queues, worker_queues
from jobs import delivery

BATCH_SECONDS = timedelta(seconds=SLICE_SECONDS)


def run() -> None:
    """Route queued events for one time slice; `route` wakes the queue again when events are left."""
    job_queues().acknowledge(QueueName.ROUTING)
    with db.connection_context():
        route(lambda: datetime.now(UTC), idle_seconds=BATCH_SECONDS, between_batches=_start_waiting_deliveries)


def _start_waiting_deliveries() -> None:
    """Send deliveries in this process that no other worker has begun to send. Their job waits behind this one."""
    if QueueName.DELIVERY in worker_queues() and job_queues().is_pending(QueueName.DELIVERY):
        delivery.thread.wake()
