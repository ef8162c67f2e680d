"""The event of a monitor: written as received events are, in the transaction that changes the monitor."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.domain import ids, times
from inbox.domain.heartbeats.monitor import Cause
from inbox.domain.ids import Prefix
from inbox.domain.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.ingest_store import SourceKeyContext
from inbox.models.heartbeats.monitors import dedup_key
from inbox.models.tables.heartbeats import HeartbeatMonitor

LONGEST_BODY = 4_000
"""The number of characters of a ping's text that its event shows, from the end."""

TITLES = {
    Cause.MISSED: "{} did not ping in time",
    Cause.TIMED_OUT: "{} runs longer than its maximum run time",
    Cause.NEVER_SEEN: "{} has never pinged",
    Cause.FAILED: "{} failed",
    Cause.RECOVERED: "{} is back",
    Cause.PAUSED: "{} is paused",
    Cause.DELETED: "{} is deleted",
}
"""The titles of the events. Other causes make no event."""


def store(
    monitor: HeartbeatMonitor, cause: Cause, now: datetime, done: AfterCommit, *, alert: bool, facts: dict[str, Any]
) -> None:
    """Store the event of a monitor and wake routing. An event that is no alert resolves the incident of the monitor.

    `facts` may contain `exitCode`, `lastPingAt`, `dueAt` and `body`.
    """
    text = facts.pop("body", "")[-LONGEST_BODY:]
    document = {
        "title": TITLES[cause].format(monitor.name),
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
    own_events.store([document], sender, now, done)
