"""The job of the queue `sweep`. The scheduler starts it periodically; every worker also sweeps by itself."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.flow.upkeep.sweep import sweep
from inbox.models.sql.base import db
from inbox.queue import QueueName, job_queues


def run() -> None:
    """Wake the queues with due work."""
    job_queues().acknowledge(QueueName.SWEEP)
    with db.connection_context():
        sweep(datetime.now(UTC))
