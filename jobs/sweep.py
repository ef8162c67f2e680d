"""The job of the queue `sweep`. The scheduler starts it periodically; every worker also sweeps by itself."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.database.base import db
from inbox.flow.upkeep.sweep import sweep
from inbox.runtime.queue import QueueName, job_queues


def run() -> None:
    """Wake the queues with due work."""
    job_queues().acknowledge(QueueName.SWEEP)
    with db.connection_context():
        sweep(datetime.now(UTC))
