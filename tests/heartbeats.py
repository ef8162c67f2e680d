"""Creates heartbeat monitors for tests."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.senders import keys
from inbox.flow.heartbeats.ping import ReceivedPing, receive
from inbox.models.heartbeats.tables import HeartbeatMonitor, PingAvailability
from inbox.models.incidents.tables import Timer
from inbox.models.senders.sources import Source
from inbox.services.heartbeats import monitors
from tests.cast import present

HOURLY = {"kind": "simple", "periodSeconds": 3600}


def make_monitor(source: Source, now: datetime | None = None, **fields: Any) -> tuple[HeartbeatMonitor, str]:
    """A monitor that expects a ping each hour with five minutes of grace, and its token."""
    values = {"source_id": source.id, "name": "Backup", "schedule": HOURLY, "grace_seconds": 300, **fields}
    created = monitors.create(source.workspace_id, values, now=now or present())
    return created.monitor, created.token


def with_badge(monitor: HeartbeatMonitor) -> str:
    """The token of a new badge."""
    return monitors.create_badge(monitor, now=present()).token


def ping(token: str, at: datetime, kind: str = "success", **more: Any) -> None:
    """A ping at a time."""
    receive(keys.digest(token), ReceivedPing(PingKind(kind), **more), at)


def end_reports() -> None:
    """By the clock of the database, the last report that pings can be received is long ago."""
    PingAvailability.update(reported_at=present() - timedelta(hours=1)).execute()


def reread(monitor: HeartbeatMonitor) -> HeartbeatMonitor:
    """The monitor as it is stored now."""
    found: HeartbeatMonitor = HeartbeatMonitor.get_by_id(monitor.id)
    return found


def next_check(monitor: HeartbeatMonitor) -> datetime | None:
    """When a worker checks it next; None: never."""
    found = Timer.get_or_none(Timer.kind == "heartbeat.check", Timer.subject_id == monitor.id)
    return found and found.due_at
