"""The state of a heartbeat monitor, and the effect of pings, deadlines and people (specification 18.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from inbox.domain.heartbeats.schedule import Schedule


class HeartbeatStatus(StrEnum):
    """The status of a monitor at a moment."""

    NEW = "new"
    """No ping has arrived yet."""

    UP = "up"
    """Pings arrive in time."""

    LATE = "late"
    """A ping is overdue and the grace time runs, or a failure did not open an incident yet."""

    DOWN = "down"
    """The deadline has passed, or a run failed. The incident is open."""

    PAUSED = "paused"
    """A person paused the monitor. No ping is expected."""

    RUNNING = "running"
    """A start ping arrived, and its end did not arrive yet."""


class PingKind(StrEnum):
    """The kind of a ping."""

    SUCCESS = "success"
    """The run ended well: no suffix, or exit code 0."""

    START = "start"
    """The run began."""

    FAIL = "fail"
    """The run failed: `/fail`, or an exit code from 1 to 255."""

    LOG = "log"
    """Text for the log. It changes no state."""

    IGNORED = "ignored"
    """A preview of the link, a scanner, the end of an alert, or a method that does not count. It changes no state."""


class Outcome(StrEnum):
    """The outcome of one period in the bar of a monitor."""

    ON_TIME = "on_time"
    """A success arrived before the deadline, thus also within the grace."""

    LATE = "late"
    """A success arrived after the deadline."""

    MISSED = "missed"
    """No ping arrived before the deadline."""

    FAILED = "failed"
    """A run reported a failure."""


class Cause(StrEnum):
    """The cause of a change of a monitor's status. The value is also the `type` of the event: `heartbeat.missed`."""

    MISSED = "missed"
    """No ping arrived before the deadline."""

    TIMED_OUT = "timed_out"
    """A run took longer than its maximum run time."""

    NEVER_SEEN = "never_seen"
    """A new monitor got no ping in the time that was set for its first one."""

    FAILED = "failed"
    """A ping reported a failure."""

    RECOVERED = "recovered"
    """A success arrived."""

    PAUSED = "paused"
    """A person paused the monitor."""

    RESUMED = "resumed"
    """A person resumed the monitor."""

    CHANGED = "changed"
    """A person changed the schedule."""

    DELETED = "deleted"
    """A person deleted the monitor."""

    EXCUSED = "excused"
    """The service could not receive the ping. The next one is expected instead."""


@dataclass(frozen=True, slots=True)
class MonitorSettings:
    """The settings that people choose."""

    schedule: Schedule
    grace: timedelta
    max_runtime: timedelta | None = None
    failures_before_incident: int = 1
    never_seen_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class MonitorState:
    """The stored state of a monitor. `watched_since` is when it was created or resumed."""

    watched_since: datetime
    last_ping_at: datetime | None = None
    """The last success or failure."""
    started_at: datetime | None = None
    run_id: str | None = None
    due_at: datetime | None = None
    """The time of the next expected ping; set by the first ping. A pause keeps it, as a sign of earlier pings."""
    failures: int = 0
    """Consecutive failed or missed runs."""
    late_since: datetime | None = None
    down_since: datetime | None = None
    paused_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ping:
    """A ping with the values that the rules need."""

    kind: PingKind
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """A new state: the cause of a change of status, the outcome of a period, the duration of a run.

    `alert` opens the incident, `recovery` resolves it.
    """

    state: MonitorState
    cause: Cause | None = None
    outcome: Outcome | None = None
    duration: timedelta | None = None
    alert: bool = False
    recovery: bool = False


def status(state: MonitorState, settings: MonitorSettings, now: datetime) -> HeartbeatStatus:
    """Returns the status at this moment, even if no worker has acted on a passed deadline yet."""
    if state.paused_at is not None:
        return HeartbeatStatus.PAUSED
    passed = deadline(state, settings)
    if state.down_since is not None or (passed is not None and passed <= now and _is_last_failure(state, settings)):
        return HeartbeatStatus.DOWN
    if state.started_at is not None:
        return HeartbeatStatus.RUNNING
    if state.failures or (state.due_at is not None and state.due_at <= now):
        return HeartbeatStatus.LATE
    return HeartbeatStatus.UP if state.last_ping_at or state.due_at else HeartbeatStatus.NEW


def lasting_status(state: MonitorState, settings: MonitorSettings, now: datetime) -> HeartbeatStatus:
    """Returns the status without regard to a run in progress, as the history of changes records it."""
    return status(replace(state, started_at=None), settings, now) if state.started_at else status(state, settings, now)


def deadline(state: MonitorState, settings: MonitorSettings) -> datetime | None:
    """Returns when the monitor fails without a ping; None while nothing is expected, or after it has failed."""
    if state.paused_at is not None or state.down_since is not None:
        return None
    if state.started_at is not None and settings.max_runtime is not None:
        return state.started_at + settings.max_runtime
    if state.due_at is not None:
        return state.due_at + settings.grace
    if settings.never_seen_after is not None:
        return state.watched_since + settings.never_seen_after
    return None


def next_check(state: MonitorState, settings: MonitorSettings) -> datetime | None:
    """Returns when a worker must check the monitor next: at the expected time, then at the deadline."""
    last = deadline(state, settings)
    if last is None or state.due_at is None or state.late_since is not None or state.started_at is not None:
        return last
    return min(last, state.due_at)


def apply_ping(state: MonitorState, settings: MonitorSettings, ping: Ping, now: datetime) -> Change:
    """Applies a ping. A paused monitor, a log ping and an ignored ping change nothing."""
    if state.paused_at is not None or ping.kind in (PingKind.LOG, PingKind.IGNORED):
        return Change(state)
    if ping.kind is PingKind.START:
        return _begun(state, settings, ping, now)
    duration = now - state.started_at if state.started_at and state.run_id == ping.run_id else None
    if ping.kind is PingKind.FAIL:
        return _failed(_ended(state, settings, now, started_at=None, run_id=None), settings, now, duration)
    return _succeeded(state, settings, ping, now, duration)


def apply_time(state: MonitorState, settings: MonitorSettings, now: datetime) -> Change | None:
    """Applies the passing of time: the monitor becomes late or misses a deadline; None when nothing changes."""
    last = deadline(state, settings)
    if last is not None and last <= now:
        return _missed(state, settings, now)
    if state.late_since is None and state.started_at is None and last and state.due_at and state.due_at <= now:
        return Change(replace(state, late_since=state.due_at), Cause.MISSED)
    return None


def pause(state: MonitorState, now: datetime) -> Change:
    """Stops expecting pings. An open incident resolves, because no ping can end it any more."""
    paused = MonitorState(state.watched_since, state.last_ping_at, due_at=state.due_at, paused_at=now)
    return Change(paused, Cause.PAUSED, recovery=state.down_since is not None)


def resume(state: MonitorState, settings: MonitorSettings, now: datetime) -> Change:
    """Expects pings again, the next one by the schedule from now on."""
    due_at = settings.schedule.next_after(now) if state.last_ping_at or state.due_at else None
    return Change(MonitorState(now, state.last_ping_at, due_at=due_at), Cause.RESUMED)


def rescheduled(state: MonitorState, settings: MonitorSettings, now: datetime) -> MonitorState:
    """Returns the state after people changed the schedule. The new schedule determines the next ping from now on."""
    if state.due_at is None or state.down_since is not None:
        return state
    return replace(state, due_at=settings.schedule.next_after(now), late_since=None)


def _begun(state: MonitorState, settings: MonitorSettings, ping: Ping, now: datetime) -> Change:
    """Returns the state after a start. In time it is a sign of life: the end is expected by the run after the next one.

    A further start before the end moves nothing, so that a job which always dies is found.
    """
    begun = replace(state, started_at=now, run_id=ping.run_id)
    if state.due_at is None:
        return Change(replace(begun, due_at=settings.schedule.next_after(now)))
    is_running = state.started_at is not None and state.down_since is None
    if settings.max_runtime is not None:
        return Change(state if is_running else begun)  # the deadline of the run before stays
    last = deadline(state, settings)
    if is_running or last is None or last < now:
        return Change(begun)
    following = settings.schedule.next_after(max(now, state.due_at))
    is_late = state.late_since is not None
    return Change(replace(begun, due_at=following, late_since=None), Cause.RECOVERED if is_late else None)


def _is_last_failure(state: MonitorState, settings: MonitorSettings) -> bool:
    return state.due_at is None or state.failures + 1 >= settings.failures_before_incident


def _ended(state: MonitorState, settings: MonitorSettings, now: datetime, **changes: Any) -> MonitorState:
    """Returns the state after the end of a run at `now`, with more changes."""
    due_at = settings.schedule.next_after(now)
    return replace(state, last_ping_at=now, due_at=due_at, late_since=None, **changes)


def _succeeded(
    state: MonitorState, settings: MonitorSettings, ping: Ping, now: datetime, duration: timedelta | None
) -> Change:
    run = {"started_at": None, "run_id": None} if ping.run_id in (None, state.run_id) else {}
    ended = _ended(state, settings, now, failures=0, down_since=None, **run)
    is_back = state.down_since is not None
    last = deadline(replace(state, down_since=None) if is_back else state, settings)
    outcome = Outcome.LATE if last is not None and last < now else Outcome.ON_TIME
    changes = is_back or state.late_since is not None or state.failures or state.last_ping_at is None
    return Change(ended, Cause.RECOVERED if changes else None, outcome, duration, recovery=is_back)


def _failed(state: MonitorState, settings: MonitorSettings, now: datetime, duration: timedelta | None) -> Change:
    failures = state.failures + 1
    opens = state.down_since is None and failures >= settings.failures_before_incident
    down_since = now if opens else state.down_since
    failed = replace(state, failures=failures, down_since=down_since)
    return Change(failed, Cause.FAILED, Outcome.FAILED, duration, alert=opens)


def _missed(state: MonitorState, settings: MonitorSettings, now: datetime) -> Change:
    if state.due_at is None:
        cause = Cause.NEVER_SEEN
    elif state.started_at is not None and settings.max_runtime is not None:
        cause = Cause.TIMED_OUT
    else:
        cause = Cause.MISSED
    failures, opens = state.failures + 1, _is_last_failure(state, settings)
    missed = replace(state, failures=failures, started_at=None, run_id=None, late_since=None)
    if opens:
        return Change(replace(missed, down_since=now), cause, Outcome.MISSED, alert=True)
    following = settings.schedule.next_after(state.due_at or now)
    if following + settings.grace <= now:
        following = settings.schedule.next_after(now)
    return Change(replace(missed, due_at=following), cause, Outcome.MISSED)
