"""The door to the sweep; a clock of the scheduler rings it, and every worker looks by itself."""

from __future__ import annotations

from datetime import UTC, datetime

from inbox.flow.upkeep.sweep import sweep
from inbox.models.sql.base import db
from inbox.queue import QueueName, job_queues


def run() -> None:
    """Ring for what waits."""
    job_queues().acknowledge(QueueName.SWEEP)
    with db.connection_context():
        sweep(datetime.now(UTC))
