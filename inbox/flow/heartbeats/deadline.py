"""Runs the timers of monitors: a monitor becomes late at its expected time, and fails at its deadline."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from inbox.domain.heartbeats import monitor as rules
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.transitions import MonitorWrites
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.heartbeats import availability, monitors
from inbox.models.heartbeats.locked import AnyMonitor
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import CLOSED_WORKSPACE_DELAY, Reschedule

UNKNOWN = timedelta(seconds=10)
"""The delay before a check is repeated while no web process can receive pings."""

IN_USE = timedelta(seconds=1)
"""The delay before a check is repeated of a monitor that another transaction has locked, for example for a ping."""


def check(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Checks one monitor, and returns the time of its next check."""
    return check_many([timer], now, done)[0]


def check_many(due: Sequence[Timer], now: datetime, done: AfterCommit) -> list[Reschedule | None]:
    """Checks the monitors of these timers, and returns the time of the next check of each.

    While no web process reports that it can receive pings, no monitor fails: the ping may arrive later. The report that
    ends the outage excuses the monitors first (`availability`).
    """
    last = availability.last()
    if last is not None and last.is_outage(now):
        return [Reschedule(now + UNKNOWN)] * len(due)
    free, in_use, closed = monitors.lock_free([timer.subject_id for timer in due])
    next_checks = dict.fromkeys(in_use, now + IN_USE) | dict.fromkeys(closed, now + CLOSED_WORKSPACE_DELAY)
    writes = MonitorWrites()
    for monitor in free:
        next_at = _check(monitor, now, done, writes)
        if next_at is not None:
            next_checks[monitor.id] = next_at
    writes.flush(done)
    return [Reschedule(next_checks[timer.subject_id]) if timer.subject_id in next_checks else None for timer in due]


def _check(monitor: AnyMonitor, now: datetime, done: AfterCommit, writes: MonitorWrites) -> datetime | None:
    """Updates a locked monitor for the current time, and returns the time of its next check."""
    change = rules.apply_time(monitor.state, monitor.settings, now)
    monitor.check_at = rules.next_check(monitor.state if change is None else change.state, monitor.settings)
    if change is None:
        writes.monitors[monitor.id] = monitor
    else:
        transitions.apply(monitor, change, now, done, writes=writes)
    return monitor.check_at
