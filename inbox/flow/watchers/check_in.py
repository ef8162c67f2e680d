"""Applies a check-in to a locked watcher and its locked heartbeat monitor (specification 20.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats import watchers as rules
from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.heartbeats.watchers import ReportedCheck
from inbox.flow.heartbeats import ping
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.flow.unit_of_work import AfterCommit
from inbox.flow.watchers import check_events
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.heartbeats.watchers import Watcher


@dataclass(frozen=True, slots=True)
class Report:
    """A check-in as received. Its texts are redacted and cut. Without `checks` the stored ones are kept."""

    watcher_id: str
    name: str
    hostname: str = ""
    version: str = ""
    interval_seconds: int = rules.DEFAULT_INTERVAL
    labels: Mapping[str, str] = field(default_factory=dict)
    checks: tuple[ReportedCheck, ...] | None = None
    user_agent: str = ""


def apply(watcher: Watcher, monitor: HeartbeatMonitor, report: Report, now: datetime, done: AfterCommit) -> None:
    """Applies a check-in.

    1. The description is stored. With another interval the monitor has another schedule.
    2. The monitor is pinged.
    3. The checks are compared and stored, and changed ones become events.
    4. A change that people see is published.
    """
    before = _visible_fields(watcher)
    _describe(watcher, monitor, report, done)
    ping.apply(monitor, _ping_of(report), now, done)
    watcher.last_check_in_at = now
    if report.checks is not None:
        is_paused = monitor.paused_at is not None
        compared = rules.compare(watcher.stored_checks, report.checks, now, is_paused=is_paused)
        watcher.checks = [check.record() for check in compared.checks]
        check_events.store(watcher, compared.changed, compared.removed, now, done)
    if _visible_fields(watcher) != before:
        done.publish_change("watcher", watcher.id, watcher.workspace_id, rev=watcher.rev)


def schedule(interval_seconds: int) -> dict[str, object]:
    """Returns the schedule of a watcher's monitor."""
    return {"kind": "simple", "periodSeconds": interval_seconds}


def _describe(watcher: Watcher, monitor: HeartbeatMonitor, report: Report, done: AfterCommit) -> None:
    former_interval, former_name = watcher.interval_seconds, watcher.name
    if watcher.name == watcher.reported_name:
        watcher.name = report.name
    watcher.reported_name = report.name
    watcher.hostname, watcher.version, watcher.labels = report.hostname, report.version, dict(report.labels)
    watcher.interval_seconds = report.interval_seconds
    if (report.interval_seconds, watcher.name) != (former_interval, former_name):
        if monitor.grace_seconds == rules.default_grace(former_interval):
            monitor.grace_seconds = rules.default_grace(report.interval_seconds)
        monitor.schedule, monitor.name = schedule(report.interval_seconds), watcher.name
        monitor.rev += 1
        monitor.save()
        done.publish_change("monitor", monitor.id, monitor.workspace_id, rev=monitor.rev)


def _ping_of(report: Report) -> ReceivedPing:
    bad = [f"{check.status}: {check.name}: {check.message}" for check in report.checks or () if check.status != "ok"]
    text = pings.stored_text("\n".join(bad).encode())
    return ReceivedPing(PingKind.SUCCESS, method="POST", user_agent=report.user_agent, body=text)


def _visible_fields(watcher: Watcher) -> tuple[object, ...]:
    """Returns the visible fields of a watcher, except the time of its last check-in."""
    described = (watcher.name, watcher.hostname, watcher.version, watcher.interval_seconds, watcher.labels)
    return (*described, [(check["name"], check["status"], check["message"]) for check in watcher.checks])
