"""Stores what a ping, a deadline or a person changed of a monitor, in the transaction that has locked the monitor."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from inbox import metrics
from inbox.domain import times
from inbox.domain.heartbeats import bar
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats.monitor import Cause, Change
from inbox.flow.heartbeats import alarm_event
from inbox.flow.unit_of_work import AfterCommit
from inbox.models import timers
from inbox.models.heartbeats import monitors
from inbox.models.sql.base import new_id
from inbox.models.tables.heartbeats import HeartbeatFlip, HeartbeatMonitor

CHECK = "heartbeat.check"
"""The kind of timer that checks a monitor at its expected time and at its deadline."""


def apply(
    monitor: HeartbeatMonitor,
    change: Change,
    now: datetime,
    done: AfterCommit,
    *,
    facts: dict[str, Any] | None = None,
) -> None:
    """Store a change of a locked monitor.

    1. The state, the bar and the last duration are set.
    2. A change of status is recorded and published.
    3. The next check is scheduled.
    4. An alert or a recovery becomes an event.
    """
    was_running = monitor.started_at is not None
    about = {**_facts(monitor), **(facts or {})}
    monitor.take(change.state)
    if change.outcome is not None:
        monitor.bar = bar.with_outcome(monitor.bar, change.outcome, now, monitor.settings.schedule)
    if change.duration is not None:
        monitor.last_duration_ms = change.duration // timedelta(milliseconds=1)
    _record_flip(monitor, change.cause, now)
    schedule_check(monitor)
    monitors.save_state(monitor)
    if change.cause is not None or was_running != (monitor.started_at is not None):
        done.publish_change("monitor", monitor.id, monitor.workspace_id, rev=monitor.rev)
    if change.cause is not None and (change.alert or change.recovery):
        alarm_event.store(monitor, change.cause, now, done, alert=change.alert, facts=about)
        metrics.HEARTBEAT_ALARMS.labels(str(change.cause)).inc()


def schedule_check(monitor: HeartbeatMonitor) -> None:
    """Set the timer of a locked monitor when it must be checked before its present timer. A later check needs none.

    The sweep wakes a worker when the timer is due.
    """
    next_check = rules.next_check(monitor.state, monitor.settings)
    if next_check is not None and (monitor.check_at is None or next_check < monitor.check_at):
        timers.set_timer(CHECK, monitor.id, monitor.workspace_id, next_check)
        monitor.check_at = next_check


def _record_flip(monitor: HeartbeatMonitor, cause: Cause | None, now: datetime) -> None:
    status = rules.lasting_status(monitor.state, monitor.settings, now)
    if cause is None or status == monitor.status:
        return
    HeartbeatFlip.create(
        id=new_id(now),
        workspace_id=monitor.workspace_id,
        monitor_id=monitor.id,
        at=now,
        from_status=monitor.status,
        to_status=str(status),
        cause=str(cause),
    )
    monitor.status = str(status)


def _facts(monitor: HeartbeatMonitor) -> dict[str, Any]:
    moments = {"lastPingAt": monitor.last_ping_at, "dueAt": monitor.due_at, "startedAt": monitor.started_at}
    return {name: times.rfc3339(value) for name, value in moments.items() if value is not None}
