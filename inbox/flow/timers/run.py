"""Timers that are due: each is acted on once, in the transaction that takes it out of the table, however late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog

from inbox import metrics
from inbox.flow.notices import fallback, quiet_hours
from inbox.flow.retries import RETRYABLE, is_outage, retry_on_conflict, sqlstate
from inbox.flow.timers import departures, incident_timers, reschedule, silences, source_deletion
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models import timers
from inbox.models.deliveries.deferred import AGAIN, CHANGED
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.sql.base import db
from inbox.models.tables.incidents import Timer
from inbox.models.timers import Reschedule
from inbox.queue import QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
Fire = Callable[[UUID, datetime, AfterCommit], None]
BatchHandler = Callable[[Timer, datetime, AfterCommit], Reschedule | None]

HANDLERS: Mapping[str, Fire] = {
    **incident_timers.KINDS,
    CHECK: fallback.check,
    CHANGED: quiet_hours.recheck,
    AGAIN: quiet_hours.recheck,
}
"""What a timer of each kind does to its subject. It may find that nothing is to be done any more."""

BATCH_HANDLERS: Mapping[str, BatchHandler] = {
    silences.TRANSITION: silences.apply_transition,
    silences.RECHECK: silences.recheck,
    silences.HIT: silences.release_strays,
    source_deletion.DELETED: source_deletion.resolve_batch,
    source_deletion.DELETED_LATE: source_deletion.resolve_batch,
    departures.DEPARTED: departures.release_batch,
    departures.DEPARTED_LATE: departures.release_batch,
    reschedule.RESCHEDULE: reschedule.reschedule_batch,
    reschedule.RESCHEDULE_LATE: reschedule.reschedule_batch,
}
"""What timers do that go through many incidents, one stretch at a time: each answers when it is due again, and up to
where it came."""

LOW_PRIORITY = reschedule.KINDS
"""What comes when nothing else is due: nobody's alarm waits for it."""

IDLE_SECONDS = timedelta(seconds=45)
POSTPONED = timedelta(minutes=1)


class TimerFailed(Exception):
    """A timer could not be acted on; the cause is chained."""

    def __init__(self, timer: Timer) -> None:
        super().__init__(timer.kind)
        self.timer = timer


def run_due(clock: Clock, *, idle_seconds: timedelta = IDLE_SECONDS) -> int:
    """Act on every timer that is due, the oldest first, until time is up or the process is to end; answers how many were.

    Any number may call at once. One that fails is due again a minute later and does not keep the others.
    """
    until, fired = clock() + idle_seconds, 0
    while clock() < until and not is_shutting_down():
        now = clock()
        try:
            acted = retry_on_conflict(partial(_run_one, now))
            if acted is None:
                return fired
            fired += acted
        except TimerFailed as unfired:
            metrics.TIMERS_FIRED.labels(unfired.timer.kind, "failed").inc()
            log.exception("a timer failed", kind=unfired.timer.kind, subject=str(unfired.timer.subject_id))
            with db.atomic():
                timers.postpone(unfired.timer, now + POSTPONED)
    job_queues().wake(QueueName.TIMERS)
    return fired


def _run_one(now: datetime) -> int | None:
    """How many timers were acted on, one or none; None when there is none to act on."""
    timer = None
    try:
        with work() as done:
            locked = timers.lock_next_due(now, LOW_PRIORITY)
            if locked is None:
                return None
            timer = timers.reload_if_due(*locked, now)
            if timer is None:
                return 0
            timers.complete(timer, _act(timer, now, done))
        metrics.TIMERS_FIRED.labels(timer.kind, "done").inc()
        metrics.TIMER_LATENESS.observe(max(0.0, (now - timer.due_at).total_seconds()))
        return 1
    except Exception as fault:
        if timer is None or is_outage(fault) or sqlstate(fault) in RETRYABLE:
            raise
        raise TimerFailed(timer) from fault


def _act(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    batch_handler = BATCH_HANDLERS.get(timer.kind)
    if batch_handler is not None:
        return batch_handler(timer, now, done)
    HANDLERS[timer.kind](timer.subject_id, now, done)
    return None
