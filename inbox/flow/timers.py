"""Timers that are due: each is acted on once, in the transaction that takes it out of the table, however late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog

from inbox import metrics
from inbox.flow import clocks, departures, fallbacks, quiet, rewinding, silences, sources
from inbox.flow.again import PASSING, is_outage, persistently, sqlstate
from inbox.flow.work import Done, work
from inbox.models import timers
from inbox.models.deliveries.deferred import AGAIN, CHANGED
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.sql.base import db
from inbox.models.tables.incidents import Timer
from inbox.models.timers import Reschedule
from inbox.queue import Bell, bells, is_leaving

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
Fire = Callable[[UUID, datetime, Done], None]
Walk = Callable[[Timer, datetime, Done], Reschedule | None]

KINDS: Mapping[str, Fire] = {
    **clocks.KINDS,
    CHECK: fallbacks.look,
    CHANGED: quiet.changed,
    AGAIN: quiet.changed,
}
"""What a timer of each kind does to its subject. It may find that nothing is to be done any more."""

WALKS: Mapping[str, Walk] = {
    silences.TURN: silences.turn,
    silences.LOOK: silences.look,
    silences.HIT: silences.strays,
    sources.GONE: sources.settle,
    sources.GONE_AGAIN: sources.settle,
    departures.DEPARTED: departures.settle,
    departures.DEPARTED_AGAIN: departures.settle,
    rewinding.REWIND: rewinding.rewind,
    rewinding.REWIND_AGAIN: rewinding.rewind,
}
"""What timers do that go through many incidents, one stretch at a time: each answers when it is due again, and up to
where it came."""

PATIENT = rewinding.KINDS
"""What comes when nothing else is due: nobody's alarm waits for it."""

PATIENCE = timedelta(seconds=45)
POSTPONED = timedelta(minutes=1)


class Unfired(Exception):
    """A timer could not be acted on; the cause is chained."""

    def __init__(self, timer: Timer) -> None:
        super().__init__(timer.kind)
        self.timer = timer


def fire(clock: Clock, *, patience: timedelta = PATIENCE) -> int:
    """Act on every timer that is due, the oldest first, until time is up or the process is to end; answers how many were.

    Any number may call at once. One that fails is due again a minute later and does not keep the others.
    """
    until, fired = clock() + patience, 0
    while clock() < until and not is_leaving():
        now = clock()
        try:
            acted = persistently(partial(_fire_one, now))
            if acted is None:
                return fired
            fired += acted
        except Unfired as unfired:
            metrics.TIMERS_FIRED.labels(unfired.timer.kind, "failed").inc()
            log.exception("a timer failed", kind=unfired.timer.kind, subject=str(unfired.timer.subject_id))
            with db.atomic():
                timers.postpone(unfired.timer, now + POSTPONED)
    bells().ring(Bell.TIMERS)
    return fired


def _fire_one(now: datetime) -> int | None:
    """How many timers were acted on, one or none; None when there is none to act on."""
    timer = None
    try:
        with work() as done:
            held = timers.lock_next_due(now, PATIENT)
            if held is None:
                return None
            timer = timers.reload_if_due(*held, now)
            if timer is None:
                return 0
            timers.complete(timer, _act(timer, now, done))
        metrics.TIMERS_FIRED.labels(timer.kind, "done").inc()
        metrics.TIMER_LATENESS.observe(max(0.0, (now - timer.due_at).total_seconds()))
        return 1
    except Exception as fault:
        if timer is None or is_outage(fault) or sqlstate(fault) in PASSING:
            raise
        raise Unfired(timer) from fault


def _act(timer: Timer, now: datetime, done: Done) -> Reschedule | None:
    walk = WALKS.get(timer.kind)
    if walk is not None:
        return walk(timer, now, done)
    KINDS[timer.kind](timer.subject_id, now, done)
    return None
