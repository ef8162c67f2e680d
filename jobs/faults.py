"""Logs faults of jobs: one line for an outage, a traceback for an error in the code."""

from __future__ import annotations

import logging

import structlog
from redis.exceptions import RedisError

from inbox.runtime import outages
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)


class OutagesInOneLine(logging.Filter):
    """Drops RQ's tracebacks and retry lines for a lost Redis; `outages` has logged it once."""

    def filter(self, record: logging.LogRecord) -> bool:
        fault = record.exc_info[1] if record.exc_info else None
        if isinstance(fault, RedisError | OSError):
            outages.redis.record_failure(fault)
            return False
        return "connect to Redis" not in record.getMessage() and "Redis connection timeout" not in record.getMessage()


def log_fault(fault: BaseException | None, event: str, queue: str) -> None:
    """Log an unavailable server in one line per cause, and any other fault of a job with its traceback."""
    if isinstance(fault, RedisError):
        outages.redis.record_failure(fault)
    elif fault is not None and outages.is_postgres_unavailable(fault):
        outages.postgres.record_failure(fault)
    else:
        log.error(event, queue=queue, exc_info=fault)


def note_success(queue: str) -> None:
    """Note that PostgreSQL responds, as the job of this queue has shown. A delivery job only starts a thread."""
    if queue != QueueName.DELIVERY:
        outages.postgres.record_success()
