"""Use cases of heartbeat monitors: create, edit, pause, resume, ping, rotate, badge, delete (specification 18.1)."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats.monitor import Cause, Change, MonitorState, PingKind
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, NotFound, ValidationFailed, check_rev
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.heartbeats import ping as flow
from inbox.flow.heartbeats import transitions
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.heartbeats import locked_watchers as queries
from inbox.models.heartbeats import monitors
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.routing import routing_config
from inbox.services.records import audit, reference_checks
from inbox.services.records.record_limits import check_room

MAX_MONITORS = 500
"""The maximum number of monitors of a workspace."""

FIELDS = (
    *("name", "slug", "tags", "schedule", "grace_seconds", "severity", "failures_before_incident"),
    *("max_runtime_seconds", "never_seen_seconds", "methods"),
)
"""The columns that people set."""

TIMING = frozenset({"schedule", "grace_seconds", "max_runtime_seconds", "never_seen_seconds"})
"""The columns that decide when a ping is expected."""

OF_RUNS = TIMING - {"never_seen_seconds"}
"""The columns that affect later pings. The other one matters only before the first ping."""

SLUG_INDEX = "heartbeat_monitors_slug"

OF_WATCHERS = frozenset({"name", "schedule"})
"""The columns that a watcher sets in its monitor."""


class Created(NamedTuple):
    """A monitor, with the token that is shown once."""

    monitor: HeartbeatMonitor
    token: str


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> Created:
    """Create a monitor with its token.

    Raises `ValidationFailed`, and `Conflict` beyond `MAX_MONITORS` or for a slug that another monitor of the source has.
    """
    with refusing_used_slugs(), work() as done:
        routing_config.bump_revision(workspace_id)
        check(workspace_id, fields)
        created = insert(workspace_id, fields, now, done)
        _note("monitor.created", created.monitor, now, audit_view(created.monitor))
    return created


def insert(workspace_id: UUID, fields: Mapping[str, Any], now: datetime, done: AfterCommit) -> Created:
    """Insert a monitor in the transaction of the caller, which has locked the workspace. Raises `Conflict`."""
    check_room(monitors.existing([workspace_id]), MAX_MONITORS, "A workspace has at most {} heartbeat monitors.")
    token = _token(KeyKind.HEARTBEAT)
    monitor = HeartbeatMonitor(
        id=new_id(now),
        workspace_id=workspace_id,
        token_hash=keys.digest(token),
        token_hint=keys.hint(token),
        created_at=now,
        watched_since=now,
        throttle_at=now,
        bar=[],
        **fields,
    )
    transitions.schedule_check(monitor)
    monitor.save(force_insert=True)
    done.publish_change("monitor", monitor.id, workspace_id, op="created", rev=monitor.rev)
    return Created(monitor, token)


def edit(
    monitor: HeartbeatMonitor, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime
) -> HeartbeatMonitor:
    """Change the given fields. With other times of runs, the next ping is expected from now on.

    Raises `RevMismatch`. Raises `Conflict` for the name and the schedule of a watcher's monitor, and for a slug in use.
    """
    changed = {name for name in OF_WATCHERS & fields.keys() if fields[name] != getattr(monitor, name)}
    if changed and queries.of_monitors([monitor.id]):
        raise Conflict("The name and the schedule follow the watcher of this monitor.")

    def change(locked: HeartbeatMonitor, done: AfterCommit) -> Mapping[str, Any]:
        before = audit_view(locked)
        timing = {name for name in TIMING & fields.keys() if fields[name] != getattr(locked, name)}
        for name, value in fields.items():
            setattr(locked, name, value)
        if timing:
            state = rules.rescheduled(locked.state, locked.settings, now) if timing & OF_RUNS else locked.state
            if "max_runtime_seconds" in timing:  # it holds for later runs
                state = replace(state, started_at=None, run_id=None)
            transitions.apply(locked, Change(state, Cause.CHANGED), now, done)
        return audit.changes(before, audit_view(locked))

    with refusing_used_slugs():
        return _changed("monitor.changed", monitor, change, expected_rev=expected_rev, now=now)


def pause(monitor: HeartbeatMonitor, *, expected_rev: int | None, now: datetime) -> HeartbeatMonitor:
    """Pause the monitor; its open incident resolves. A paused monitor stays unchanged. Raises `RevMismatch`."""

    def change(locked: HeartbeatMonitor, done: AfterCommit) -> None:
        transitions.apply(locked, rules.pause(locked.state, now), now, done)

    if monitor.paused_at is not None:
        return monitor
    return _changed("monitor.paused", monitor, change, expected_rev=expected_rev, now=now)


def resume(monitor: HeartbeatMonitor, *, expected_rev: int | None, now: datetime) -> HeartbeatMonitor:
    """Resume the monitor; the next ping is expected from now on. A monitor that is not paused stays unchanged."""

    def change(locked: HeartbeatMonitor, done: AfterCommit) -> None:
        transitions.apply(locked, rules.resume(locked.state, locked.settings, now), now, done)

    if monitor.paused_at is None:
        return monitor
    return _changed("monitor.resumed", monitor, change, expected_rev=expected_rev, now=now)


def ping(monitor: HeartbeatMonitor, *, by: str, now: datetime) -> HeartbeatMonitor:
    """Ping the monitor in place of its job: a success. `by` is the name of the person, for the log of pings."""
    text = pings.stored_text(f"Sent by {by}.".encode())
    sent = ReceivedPing(PingKind.SUCCESS, method="POST", body=text)

    def change(locked: HeartbeatMonitor, done: AfterCommit) -> None:
        flow.apply(locked, sent, now, done)

    return _changed("monitor.pinged", monitor, change, expected_rev=None, now=now)


def rotate(monitor: HeartbeatMonitor, *, now: datetime) -> Created:
    """Replace the token. The former token is refused from the next request on."""
    token = _token(KeyKind.HEARTBEAT)

    def change(locked: HeartbeatMonitor, _: AfterCommit) -> Mapping[str, Any]:
        former, locked.token_hint = locked.token_hint, keys.hint(token)
        locked.token_hash = keys.digest(token)
        return {"hint": locked.token_hint, "formerHint": former}

    return Created(_changed("monitor.token_rotated", monitor, change, expected_rev=None, now=now), token)


def create_badge(monitor: HeartbeatMonitor, *, now: datetime) -> Created:
    """Create a new badge with a new token for a monitor. A former badge ends."""
    token = _token(KeyKind.BADGE)

    def change(locked: HeartbeatMonitor, _: AfterCommit) -> None:
        locked.badge_hash = keys.digest(token)

    return Created(_changed("monitor.badge_created", monitor, change, expected_rev=None, now=now), token)


def remove_badge(monitor: HeartbeatMonitor, *, now: datetime) -> None:
    """End the badge. A monitor without one stays unchanged."""

    def change(locked: HeartbeatMonitor, _: AfterCommit) -> None:
        locked.badge_hash = None

    if monitor.badge_hash is not None:
        _changed("monitor.badge_removed", monitor, change, expected_rev=None, now=now)


def remove(monitor: HeartbeatMonitor, *, expected_rev: int | None, now: datetime) -> None:
    """Delete the monitor. Its token ends at once, and its open incident resolves.

    Raises `RevMismatch`, and `Conflict` for a monitor that belongs to a watcher.
    """
    with work() as done:
        locked = _locked(monitor, expected_rev)
        if queries.of_monitors([monitor.id]):
            raise Conflict("This monitor belongs to a watcher. Delete the watcher.")
        _note("monitor.deleted", locked, now, audit.removed(audit_view(locked)))
        delete(locked, now, done)


def delete(locked: HeartbeatMonitor, now: datetime, done: AfterCommit) -> None:
    """Delete a locked monitor in the transaction of the caller, which records it."""
    ended = MonitorState(locked.watched_since, locked.last_ping_at, paused_at=now)
    change = Change(ended, Cause.DELETED, recovery=locked.down_since is not None)
    transitions.apply(locked, change, now, done)
    locked.deleted_at, locked.rev = now, locked.rev + 1
    locked.save()
    done.publish_change("monitor", locked.id, locked.workspace_id, op="deleted", rev=locked.rev)


@contextmanager
def refusing_used_slugs() -> Iterator[None]:
    """Raise `Conflict` when the block gives a monitor the slug of another monitor of its source."""
    try:
        yield
    except peewee.IntegrityError as fault:
        if SLUG_INDEX not in str(fault):
            raise
        raise Conflict("Another heartbeat monitor of the source has this slug.") from None


def check(workspace_id: UUID, fields: Mapping[str, Any]) -> None:
    """Check that the source belongs to the workspace. Raises `ValidationFailed`."""
    faults: list[Fault] = []
    if "source_id" in fields and reference_checks.sources(workspace_id, [fields["source_id"]], ""):
        faults.append(Fault("/sourceId", "No such source in this workspace."))
    if faults:
        raise ValidationFailed(errors=faults)


def _changed(
    action: AuditAction,
    monitor: HeartbeatMonitor,
    change: Callable[[HeartbeatMonitor, AfterCommit], Mapping[str, Any] | None],
    *,
    expected_rev: int | None,
    now: datetime,
) -> HeartbeatMonitor:
    """Lock the monitor, change it, and record the change."""
    with work() as done:
        locked = _locked(monitor, expected_rev)
        details = change(locked, done)
        locked.rev += 1
        locked.save()
        _note(action, locked, now, details)
        done.publish_change("monitor", locked.id, locked.workspace_id, rev=locked.rev)
    return locked


def _locked(monitor: HeartbeatMonitor, expected_rev: int | None) -> HeartbeatMonitor:
    locked = monitors.lock(monitor.id)
    if locked is None:
        raise NotFound
    check_rev(locked.rev, expected_rev)
    return locked


def _token(kind: KeyKind) -> str:
    return keys.mint(kind, secrets.token_bytes(keys.ENTROPY_BYTES))


def audit_view(monitor: HeartbeatMonitor) -> dict[str, Any]:
    """Return the monitor as the audit log shows it."""
    shown = audit.columns(monitor, *FIELDS)
    return {**shown, "severity": str(monitor.severity), "source_id": ids.encode(Prefix.SOURCE, monitor.source_id)}


def _note(
    action: AuditAction, monitor: HeartbeatMonitor, now: datetime, details: Mapping[str, Any] | None = None
) -> None:
    about = audit.target("monitor", monitor.id, monitor.name)
    audit.record(action, target=about, now=now, workspace_id=monitor.workspace_id, details=details)
