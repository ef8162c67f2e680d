"""The job of the queue `preview`. Between the steps of a preview, it runs the jobs of this worker's other queues."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime

import structlog

from inbox.database.base import db
from inbox.flow.preview.job import run_pending
from inbox.runtime.queue import QueueName, job_queues, report_alive, worker_queues

log = structlog.get_logger(__name__)


def run() -> None:
    """Run the waiting previews (specification 6.9)."""
    job_queues().acknowledge(QueueName.PREVIEW)
    steps = run_pending(lambda: datetime.now(UTC))
    while _steps_of(steps):
        _pause()


def _steps_of(steps: object) -> bool:
    with db.connection_context():
        return next(steps, steps) is None  # type: ignore[call-overload]


def _pause() -> None:
    """Report that the worker is alive, and run the pending jobs of other queues.

    A preview takes minutes and is not urgent.
    """
    report_alive()
    for queue in worker_queues():
        if queue is not QueueName.PREVIEW and job_queues().is_pending(queue):
            try:
                importlib.import_module(f"jobs.{queue}").run()
            except Exception:  # as in a separate job: the sweep finds the remaining rows
                log.exception("a job run between steps of a preview failed", queue=queue.value)
