"""The event of a monitor, which is written as received events are, in the transaction that changes the monitor."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from inbox.domain import ids, times
from inbox.domain.heartbeats.monitor import Cause
from inbox.domain.ids import Prefix
from inbox.domain.severity import Severity
from inbox.flow.ingest.own_events import OwnEvent
from inbox.models.events.ingest_store import SourceKeyContext
from inbox.models.heartbeats.locked import AnyMonitor
from inbox.models.heartbeats.monitors import dedup_key

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


def of(monitor: AnyMonitor, cause: Cause, now: datetime, *, alert: bool, facts: dict[str, Any]) -> OwnEvent:
    """The event of a monitor. An event that is no alert resolves the incident of the monitor.

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
    return OwnEvent(document, sender, now)
