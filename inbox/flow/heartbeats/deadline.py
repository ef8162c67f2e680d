"""Runs the timer of a monitor: the monitor becomes late at its expected time, and fails at its deadline."""

from __future__ import annotations

from datetime import datetime, timedelta

from inbox.domain.heartbeats import monitor as rules
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.availability import OUTAGE
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.heartbeats import availability, monitors
from inbox.models.tables.incidents import Timer
from inbox.models.timers import Reschedule

UNKNOWN = timedelta(seconds=10)
"""When a check is repeated while no web process can receive pings."""


def check(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Check the monitor, and return the time of its next check.

    While no web process reports that it can receive pings, no monitor fails: the ping may be on its way. The report
    that ends the outage excuses the monitors first (`availability`).
    """
    last = availability.last()
    if last is not None and now - last > OUTAGE:
        return Reschedule(now + UNKNOWN)
    monitor = monitors.lock(timer.subject_id)
    if monitor is None:
        return None
    monitor.check_at = None
    change = rules.apply_time(monitor.state, monitor.settings, now)
    next_at = rules.next_check(monitor.state if change is None else change.state, monitor.settings)
    monitor.check_at = next_at
    if change is None:
        monitors.save_state(monitor)
    else:
        transitions.apply(monitor, change, now, done)
    return None if next_at is None else Reschedule(next_at)
