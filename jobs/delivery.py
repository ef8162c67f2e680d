"""The job of the queue `delivery`."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.flow.delivery.deliver import deliver
from inbox.models.sql.base import db
from inbox.queue import QueueName, job_queues


def run() -> None:
    """Send due deliveries (specification 9.5)."""
    job_queues().acknowledge(QueueName.DELIVERY)
    with db.connection_context():
        deliver(lambda: datetime.now(UTC))
