"""Stores the changes of a locked monitor, in the transaction that holds the lock.

A ping, a deadline or a person causes them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.heartbeats import bar
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats.monitor import Cause, Change, MonitorState
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.ingest.own_events import OwnEvent
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.heartbeats import history, monitors
from inbox.models.heartbeats.locked import AnyMonitor
from inbox.models.heartbeats.monitors import dedup_key
from inbox.models.incidents import timers
from inbox.models.incidents.timers import TimerSpec
from inbox.runtime import metrics

CHECK = "heartbeat.check"
"""The kind of timer that checks a monitor at its expected time and at its deadline."""

LONGEST_BODY = 4_000
"""The number of characters from the end of a ping's text that its event shows."""

TITLES = {
    Cause.MISSED: "{} did not ping in time",
    Cause.TIMED_OUT: "{} runs longer than its maximum run time",
    Cause.NEVER_SEEN: "{} has never pinged",
    Cause.FAILED: "{} failed",
    Cause.RECOVERED: "{} is back",
    Cause.PAUSED: "{} is paused",
    Cause.DELETED: "{} is deleted",
}
"""The titles of the events. Other causes create no event."""

UNENDED = "{} started and did not end in time"
"""The title of a missed deadline of a run that has begun."""


class MonitorWrites:
    """Collects the writes of changes to locked monitors. `flush` writes each table in one statement."""

    def __init__(self) -> None:
        self.monitors: dict[UUID, AnyMonitor] = {}
        self.flips: list[tuple[Any, ...]] = []
        self.checks: dict[UUID, TimerSpec] = {}
        self.events: list[OwnEvent] = []

    def flush(self, done: AfterCommit) -> None:
        """Writes all collected changes, and clears them."""
        monitors.save_states(self.monitors.values())
        history.insert_flips(self.flips)
        timers.set_many(list(self.checks.values()))
        if self.events:
            own_events.store_all(self.events, done)
        for written in (self.monitors, self.flips, self.checks, self.events):
            written.clear()


def apply(
    monitor: AnyMonitor,
    change: Change,
    now: datetime,
    done: AfterCommit,
    *,
    facts: dict[str, Any] | None = None,
    writes: MonitorWrites | None = None,
) -> None:
    """Stores a change of a locked monitor: at once, or with other changes when the caller flushes `writes`.

    1. The state, the bar and the last duration are set.
    2. A change of status is recorded and published.
    3. The next check is scheduled.
    4. An alert or a recovery becomes an event.
    """
    collected = MonitorWrites() if writes is None else writes
    before = monitor.state
    monitor.take(change.state)
    if change.outcome is not None:
        monitor.bar = bar.with_outcome(monitor.bar, change.outcome, now, monitor.settings.schedule)
    if change.duration is not None:
        monitor.last_duration_ms = change.duration // timedelta(milliseconds=1)
    _record_flip(monitor, change.cause, now, collected)
    schedule_check(monitor, collected)
    collected.monitors[monitor.id] = monitor
    if change.cause is not None or (before.started_at is None) != (change.state.started_at is None):
        done.publish_change("monitor", monitor.id, monitor.workspace_id, rev=monitor.rev)
    if change.cause is not None and (change.alert or change.recovery):
        about = {**_facts(before), **(facts or {})}
        collected.events.append(_alarm_event(monitor, change.cause, now, alert=change.alert, facts=about))
        metrics.HEARTBEAT_ALARMS.labels(str(change.cause)).inc()
    if writes is None:
        collected.flush(done)


def schedule_check(monitor: AnyMonitor, writes: MonitorWrites | None = None) -> None:
    """Sets the timer of a locked monitor if the monitor must be checked before its present timer.

    The timer is set at once, or by the flush of `writes`. The sweep wakes a worker when it is due.
    """
    next_check = rules.next_check(monitor.state, monitor.settings)
    if next_check is not None and (monitor.check_at is None or next_check < monitor.check_at):
        monitor.check_at = next_check
        timer = TimerSpec(CHECK, monitor.id, monitor.workspace_id, next_check)
        if writes is None:
            timers.set_many([timer])
        else:
            writes.checks[monitor.id] = timer


def _record_flip(monitor: AnyMonitor, cause: Cause | None, now: datetime, writes: MonitorWrites) -> None:
    if cause is None:
        return
    status = rules.lasting_status(monitor.state, monitor.settings, now)
    if status == monitor.status:
        return
    ids = (new_id(now), monitor.workspace_id, monitor.id)
    writes.flips.append((*ids, now, monitor.status, str(status), str(cause)))
    monitor.status = str(status)


def _facts(before: MonitorState) -> dict[str, Any]:
    moments = {"lastPingAt": before.last_ping_at, "dueAt": before.due_at, "startedAt": before.started_at}
    return {name: times.rfc3339(value) for name, value in moments.items() if value is not None}


def _alarm_event(monitor: AnyMonitor, cause: Cause, now: datetime, *, alert: bool, facts: dict[str, Any]) -> OwnEvent:
    """Returns the event of a monitor. An event without an alert resolves the monitor's incident.

    `facts` may contain `exitCode`, `lastPingAt`, `dueAt` and `body`.
    """
    text = facts.pop("body", "")[-LONGEST_BODY:] or _reason(cause, facts)
    title = UNENDED if cause is Cause.MISSED and "startedAt" in facts else TITLES[cause]
    document = {
        "title": title.format(monitor.name),
        "type": f"heartbeat.{cause}",
        "dedupKey": dedup_key(monitor.id),
        "tags": list(monitor.tags),
        "body": text or None,
        "severity": str(monitor.severity if alert else Severity.SUCCESS),
        "action": "trigger" if alert else "resolve",
        "occurredAt": times.rfc3339(now),
        "metadata": {"monitorId": ids.encode(Prefix.MONITOR, monitor.id), "monitor": monitor.name, **facts},
    }
    sender = SourceKeyContext(monitor.id, monitor.source_id, monitor.workspace_id, Severity.INFO, ())
    return OwnEvent(document, sender, now)


def _reason(cause: Cause, facts: dict[str, Any]) -> str:
    """Returns what is known about a run that is missing or has not ended."""
    if cause not in (Cause.MISSED, Cause.TIMED_OUT):
        return ""
    if "startedAt" in facts:
        return f"Started at {facts['startedAt']}, not ended."
    last = facts.get("lastPingAt")
    return f"Expected at {facts.get('dueAt')}. " + (f"Last ping: {last}." if last else "No ping has arrived.")
