"""Receives a ping: looks up its token, applies the rules, stores the ping and the monitor's new state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.config import settings
from inbox.database.base import new_id
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats.monitor import Change, Ping, PingKind
from inbox.domain.values.refusals import NotFound, Unauthenticated
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.transitions import MonitorWrites
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.heartbeats import history, monitors
from inbox.models.heartbeats.locked import AnyMonitor
from inbox.runtime import metrics

MINUTE = timedelta(minutes=1)
TRIM_EVERY = 50


@dataclass(frozen=True, slots=True)
class ReceivedPing:
    """A ping as it arrived. `body` is redacted and cut. One that is no sign of life does not count (`previews`)."""

    kind: PingKind
    exit_code: int | None = None
    run_id: UUID | None = None
    method: str = "GET"
    user_agent: str = ""
    body: str = ""
    counts: bool = True

    def kind_at(self, monitor: AnyMonitor) -> PingKind:
        """Returns the kind that the monitor counts. Other methods than GET and HEAD count as POST."""
        method = self.method if self.method in ("GET", "HEAD") else "POST"
        return self.kind if self.counts and method in monitor.methods else PingKind.IGNORED


def receive(digest: bytes, ping: ReceivedPing, now: datetime) -> None:
    """Applies a ping to the monitor of this token, and stores it. Raises `Unauthenticated` for an unknown token.

    A ping beyond the rate limit of the monitor is neither applied nor stored.
    """
    interval = ping_interval()
    with work() as done:
        monitor = monitors.lock_by_token(digest, now + MINUTE - interval)
        if monitor is None:
            if not monitors.is_token(digest):
                raise Unauthenticated
            metrics.HEARTBEAT_PINGS.labels("throttled").inc()
            return
        monitors.throttle(monitor, now, interval)
        apply(monitor, ping, now, done)
    metrics.HEARTBEAT_PINGS.labels(str(ping.kind_at(monitor))).inc()


def receive_by_name(source_id: UUID, name: str, ping: ReceivedPing, now: datetime) -> None:
    """Applies a ping to the monitor of a source with this name, and stores it. Raises `NotFound`.

    A ping beyond the rate limit of the monitor is neither applied nor stored.
    """
    with work() as done:
        monitor = monitors.lock_by_name(source_id, name)
        if monitor is None:
            raise NotFound("The source has no heartbeat monitor with this name.")
        is_throttled = charge(monitor, now) > timedelta()
        if not is_throttled:
            apply(monitor, ping, now, done)
    metrics.HEARTBEAT_PINGS.labels("throttled" if is_throttled else str(ping.kind_at(monitor))).inc()


def apply(monitor: AnyMonitor, ping: ReceivedPing, now: datetime, done: AfterCommit) -> None:
    """Applies a ping to a locked monitor, and stores it."""
    writes = MonitorWrites()
    row = change(monitor, ping, now, done, writes)
    writes.flush(done)
    history.insert([row])


def change(
    monitor: AnyMonitor, ping: ReceivedPing, now: datetime, done: AfterCommit, writes: MonitorWrites
) -> dict[str, Any]:
    """Applies a ping to a locked monitor; returns the row of the ping. The caller inserts it and flushes `writes`."""
    ping = replace(ping, kind=ping.kind_at(monitor))
    counted = Ping(ping.kind, str(ping.run_id) if ping.run_id else None)
    if _is_repeat(monitor, ping):
        changed = Change(monitor.state)
    else:
        changed = rules.apply_ping(monitor.state, monitor.settings, counted, now)
    duration = _duration(monitor, ping, changed, now)
    facts = {"body": ping.body} | ({} if ping.exit_code is None else {"exitCode": ping.exit_code})
    transitions.apply(monitor, changed, now, done, facts=facts, writes=writes)
    return _row(monitor, ping, duration, now)


def charge(monitor: AnyMonitor, now: datetime) -> timedelta:
    """Charges one ping to the rate limit of a locked monitor.

    Returns zero, or the time for which the sender of a refused ping must wait.
    """
    interval = ping_interval()
    wait = monitor.throttle_at - (now + MINUTE - interval)
    if wait > timedelta():
        return wait
    monitors.throttle(monitor, now, interval)
    return timedelta()


def ping_interval() -> timedelta:
    """Returns the time that one ping uses of the rate limit; zero when the limit is off."""
    chosen = settings.current()
    if not chosen.rate_limits or not chosen.pings_per_minute:
        return timedelta()
    return MINUTE / chosen.pings_per_minute


def _is_repeat(monitor: AnyMonitor, ping: ReceivedPing) -> bool:
    """Returns whether the sender repeats a run's failure, because it did not get the answer. A run fails only once."""
    return ping.kind is PingKind.FAIL and ping.run_id is not None and history.has_failed(monitor.id, ping.run_id)


def _duration(monitor: AnyMonitor, ping: ReceivedPing, change: Change, now: datetime) -> timedelta | None:
    """Returns the duration of the run that this ping ends. Run ids distinguish concurrent runs."""
    if change.duration is not None or change.outcome is None or ping.run_id is None:
        return change.duration
    began = history.start_of_run(monitor.id, ping.run_id)
    return None if began is None else now - began.at


def _row(monitor: AnyMonitor, ping: ReceivedPing, duration: timedelta | None, now: datetime) -> dict[str, Any]:
    """Returns the row of the ping. One in `TRIM_EVERY` pings removes old pings of the monitor, which bounds their number."""
    ping_id = new_id(now)
    if ping_id.int % TRIM_EVERY == 0:
        history.trim(monitor.id)
    return {
        "id": ping_id,
        "workspace_id": monitor.workspace_id,
        "monitor_id": monitor.id,
        "at": now,
        "kind": str(ping.kind),
        "exit_code": ping.exit_code,
        "run_id": ping.run_id,
        "duration_ms": None if duration is None else duration // timedelta(milliseconds=1),
        "method": ping.method,
        "user_agent": ping.user_agent,
        "body": ping.body,
    }
