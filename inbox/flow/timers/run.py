"""The timer loop of a worker. Each due timer runs once, in the transaction that removes it, however late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog

from inbox import metrics
from inbox.flow.heartbeats import deadline, transitions
from inbox.flow.notices import fallback, quiet_hours
from inbox.flow.retries import RETRYABLE, is_outage, retry_on_conflict, sqlstate
from inbox.flow.timers import departures, incident_timers, reschedule, silences, source_deletion
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models import timers
from inbox.models.deliveries.deferred import RECHECK, SECOND_RECHECK
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.sql.base import db
from inbox.models.tables.incidents import Timer
from inbox.models.timers import Reschedule
from inbox.queue import QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
TimerHandler = Callable[[UUID, datetime, AfterCommit], None]
BatchHandler = Callable[[Timer, datetime, AfterCommit], Reschedule | None]

HANDLERS: Mapping[str, TimerHandler] = {
    **incident_timers.KINDS,
    CHECK: fallback.check,
    RECHECK: quiet_hours.recheck,
    SECOND_RECHECK: quiet_hours.recheck,
}
"""The handler for each kind of timer. It may find nothing to do."""

BATCH_HANDLERS: Mapping[str, BatchHandler] = {
    transitions.CHECK: deadline.check,
    silences.TRANSITION: silences.apply_transition,
    silences.RECHECK: silences.recheck,
    silences.STRAY_CHECK: silences.release_strays,
    source_deletion.DELETED: source_deletion.resolve_batch,
    source_deletion.DELETED_LATE: source_deletion.resolve_batch,
    departures.DEPARTED: departures.release_batch,
    departures.DEPARTED_LATE: departures.release_batch,
    reschedule.RESCHEDULE: reschedule.reschedule_batch,
    reschedule.RESCHEDULE_LATE: reschedule.reschedule_batch,
}
"""The handlers that may run again: checks of heartbeat monitors, and work on many incidents in batches.

Each returns the next due time and the last processed incident.
"""

LOW_PRIORITY = reschedule.KINDS
"""The kinds that run when no other timer is due, so that no alert waits for them."""

IDLE_SECONDS = timedelta(seconds=45)
FAILURE_DELAY = timedelta(minutes=1)


class TimerFailed(Exception):
    """A timer failed; the cause is chained."""

    def __init__(self, timer: Timer) -> None:
        super().__init__(timer.kind)
        self.timer = timer


def run_due(clock: Clock, *, idle_seconds: timedelta = IDLE_SECONDS) -> int:
    """Run due timers, the oldest first, until time is up or the process ends; returns their number.

    1. The worker locks the next due timer and reads it again.
    2. It runs the handler in the same transaction, then deletes or reschedules the timer.
    3. A failed timer is due again a minute later, and does not block the others.

    Any number of workers may run at once.
    """
    until, run_count = clock() + idle_seconds, 0
    while clock() < until and not is_shutting_down():
        now = clock()
        try:
            increment = retry_on_conflict(partial(_run_one, now))
            if increment is None:
                return run_count
            run_count += increment
        except TimerFailed as unfired:
            metrics.TIMERS_FIRED.labels(unfired.timer.kind, "failed").inc()
            log.exception("a timer failed", kind=unfired.timer.kind, subject=str(unfired.timer.subject_id))
            with db.atomic():
                timers.postpone(unfired.timer, now + FAILURE_DELAY)
    job_queues().wake(QueueName.TIMERS)
    return run_count


def _run_one(now: datetime) -> int | None:
    """The number of timers that ran, one or none; None when no timer is due."""
    timer = None
    try:
        with work() as done:
            locked = timers.lock_next_due(now, LOW_PRIORITY)
            if locked is None:
                return None
            timer = timers.reload_if_due(*locked, now)
            if timer is None:
                return 0
            run_timer(timer, now, done)
        metrics.TIMERS_FIRED.labels(timer.kind, "done").inc()
        metrics.TIMER_LATENESS.observe(max(0.0, (now - timer.due_at).total_seconds()))
        return 1
    except Exception as fault:
        if timer is None or is_outage(fault) or sqlstate(fault) in RETRYABLE:
            raise
        raise TimerFailed(timer) from fault


def run_timer(timer: Timer, now: datetime, done: AfterCommit) -> None:
    """Run the handler of a timer, then delete or reschedule the timer, in the caller's transaction."""
    timers.complete(timer, _act(timer, now, done))


def _act(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    batch_handler = BATCH_HANDLERS.get(timer.kind)
    if batch_handler is not None:
        return batch_handler(timer, now, done)
    HANDLERS[timer.kind](timer.subject_id, now, done)
    return None
