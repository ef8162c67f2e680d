"""The timer loop of a worker. Each due timer runs once, in the transaction that removes it, however late it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog

from inbox.database.base import db
from inbox.flow.heartbeats import deadline, transitions
from inbox.flow.notices import fallback, quiet_hours
from inbox.flow.oncall import problem_watch, record
from inbox.flow.people import pages_of_events
from inbox.flow.routing.batch import SlowWorkspaces
from inbox.flow.timers import departures, incident_timers, reschedule, silences, source_deletion
from inbox.flow.timers.incident_schedule import DEPARTED
from inbox.flow.unit_of_work import RETRYABLE, AfterCommit, is_outage, retry_on_conflict, sqlstate, work
from inbox.models.deliveries.deferred import RECHECK, SECOND_RECHECK
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule
from inbox.runtime import metrics
from inbox.runtime.queue import QueueName, is_shutting_down, job_queues

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
TimerHandler = Callable[[Timer, datetime, AfterCommit], Reschedule | None]
GroupHandler = Callable[[Sequence[Timer], datetime, AfterCommit], Sequence[Reschedule | None]]


@dataclass(frozen=True, slots=True)
class TimerKind:
    """A kind of timer. `act` may find nothing to do, and returns when the timer runs again.

    `act_together` runs many due timers in one transaction, because thousands of jobs can have the same deadline. A
    timer with `low_priority` runs when no other timer is due, so that no alert waits for it.
    """

    act: TimerHandler
    act_together: GroupHandler | None = None
    low_priority: bool = False


def _once(act: Callable[[UUID, datetime, AfterCommit], None]) -> TimerKind:
    """Returns a kind whose timer never runs again. `act` gets the subject."""

    def run(timer: Timer, now: datetime, done: AfterCommit) -> None:
        act(timer.subject_id, now, done)

    return TimerKind(run)


KINDS: Mapping[str, TimerKind] = {
    **{kind: _once(act) for kind, act in incident_timers.KINDS.items()},
    CHECK: _once(fallback.check),
    pages_of_events.PAGE_OF_EVENT: _once(pages_of_events.page_people),
    RECHECK: _once(quiet_hours.recheck),
    SECOND_RECHECK: _once(quiet_hours.recheck),
    transitions.CHECK: TimerKind(deadline.check, act_together=deadline.check_many),
    silences.TRANSITION: TimerKind(silences.apply_transition),
    silences.RECHECK: TimerKind(silences.recheck),
    silences.CHANGED_LATE: TimerKind(silences.recheck),
    silences.STRAY_CHECK: TimerKind(silences.release_strays),
    source_deletion.DELETED: TimerKind(source_deletion.resolve_batch),
    source_deletion.DELETED_LATE: TimerKind(source_deletion.resolve_batch),
    record.CHANGE: TimerKind(record.write_log),
    record.PROBLEMS: TimerKind(problem_watch.check, low_priority=True),
    DEPARTED: TimerKind(departures.release_batch),
    departures.DEPARTED_LATE: TimerKind(departures.release_batch),
    reschedule.RESCHEDULE: TimerKind(reschedule.reschedule_batch, low_priority=True),
    reschedule.RESCHEDULE_LATE: TimerKind(reschedule.reschedule_batch, low_priority=True),
}
"""All kinds of timers."""

LOW_PRIORITY = [kind for kind, each in KINDS.items() if each.low_priority]

GROUP = 200
"""The number of timers in a group."""

SLOW_RUN_SECONDS = 0.25
"""The duration of a timer's run above which its workspace is slow. Timers of slow workspaces run when no other is due."""

slow_workspaces = SlowWorkspaces()
"""The slow workspaces of this process."""

IDLE_SECONDS = timedelta(seconds=45)
FAILURE_DELAY = timedelta(minutes=1)


class TimerFailed(Exception):
    """A timer or a group of timers failed; the cause is chained."""

    def __init__(self, timers: Sequence[Timer]) -> None:
        super().__init__(timers[0].kind)
        self.timers = timers


def run_due(clock: Clock, *, idle_seconds: timedelta = IDLE_SECONDS) -> int:
    """Runs due timers, the oldest first, until time is up or the process ends; returns their number.

    1. The worker locks the next due timer and reads it again.
    2. It runs the handler in the same transaction, then deletes or reschedules the timer.
    3. A failed timer is due again a minute later, and does not block the others.

    Timers of a kind with `act_together` run in groups. After a failed group, as many timers run one by one. Any number
    of workers may run at once.
    """
    until, run_count, alone = clock() + idle_seconds, 0, 0
    while clock() < until and not is_shutting_down():
        now = clock()
        try:
            increment = retry_on_conflict(partial(_run_next, now, 1 if alone else GROUP))
            alone = max(0, alone - 1)
            if increment is None:
                return run_count
            run_count += increment
        except TimerFailed as unfired:
            alone = _postpone(unfired, now) or alone
    job_queues().wake(QueueName.TIMERS)
    return run_count


def _postpone(failed: TimerFailed, now: datetime) -> int:
    """Postpones a failed timer. Returns, for a group, how many timers must run alone."""
    kind, several = failed.timers[0].kind, len(failed.timers) > 1
    if several:
        log.warning("timers not run together", kind=kind, timers=len(failed.timers), fault=repr(failed.__cause__))
        return len(failed.timers)
    metrics.TIMERS_FIRED.labels(kind, "failed").inc()
    log.exception("a timer failed", kind=kind, subject=str(failed.timers[0].subject_id))
    with db.atomic():
        timers.postpone(failed.timers[0], now + FAILURE_DELAY)
    return 0


def _run_next(now: datetime, limit: int) -> int | None:
    """Runs the next timer, or the next group of at most `limit`. Returns their number, or None."""
    due: list[Timer] = []
    try:
        with work() as done:
            locked = timers.lock_next_due(now, LOW_PRIORITY, slow_workspaces.ids)
            if locked is None:
                return None
            first = timers.reload_if_due(*locked, now)
            due = [] if first is None else [first, *_others(first, now, limit)]
            if due:
                _run(due, now, done)
        for timer in due:
            metrics.TIMERS_FIRED.labels(timer.kind, "done").inc()
            metrics.TIMER_LATENESS.observe(max(0.0, (now - timer.due_at).total_seconds()))
        return len(due)
    except Exception as fault:
        if not due or is_outage(fault) or sqlstate(fault) in RETRYABLE:
            raise
        raise TimerFailed(due) from fault


def _others(first: Timer, now: datetime, limit: int) -> list[Timer]:
    """Returns the due timers that run together with the first one. Their subjects are locked."""
    kind = KINDS.get(first.kind)
    if limit == 1 or kind is None or kind.act_together is None:
        return []
    due = timers.lock_due_of_kind(first.kind, now, limit)
    return [timer for timer in due if timer.subject_id != first.subject_id][: limit - 1]


def _run(due: Sequence[Timer], now: datetime, done: AfterCommit) -> None:
    kind = KINDS.get(due[0].kind)
    if kind is not None and kind.act_together is not None:
        timers.complete_many(due, kind.act_together(due, now, done))
        return
    began = time.monotonic()
    run_timer(due[0], now, done)
    if time.monotonic() - began > SLOW_RUN_SECONDS:
        slow_workspaces.add(due[0].workspace_id)


def run_timer(timer: Timer, now: datetime, done: AfterCommit) -> None:
    """Runs the handler of a timer, then deletes or reschedules the timer, in the caller's transaction."""
    timers.complete(timer, KINDS[timer.kind].act(timer, now, done))
