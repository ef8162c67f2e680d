"""The job of the queue `purge`; the scheduler starts it periodically."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog

from inbox.database.base import db
from inbox.flow.upkeep.purge import purge
from inbox.runtime.queue import SLICE_SECONDS, QueueName, job_queues

log = structlog.get_logger(__name__)


def run() -> None:
    """Remove data beyond the retention. Wakes the queue again when rows are left."""
    job_queues().acknowledge(QueueName.PURGE)
    with db.connection_context():
        purged = purge(datetime.now(UTC), seconds=SLICE_SECONDS)
    if not purged.finished:
        job_queues().wake(QueueName.PURGE)
    log.info("purged", finished=purged.finished, **{table: count for table, count in purged.items() if count})
