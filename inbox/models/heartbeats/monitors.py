"""Reading, locking and saving heartbeat monitors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import peewee

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.models.incidents.open_by_key import open_by_key
from inbox.models.tables.heartbeats import HeartbeatMonitor

STATE = tuple(
    HeartbeatMonitor._meta.fields[name]
    for name in (
        *("status", "watched_since", "last_ping_at", "last_duration_ms", "started_at", "run_id", "due_at", "failures"),
        *("late_since", "down_since", "paused_at", "check_at", "throttle_at", "bar"),
    )
)
"""The columns that pings and deadlines change."""

BATCH = 200


def existing(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect[HeartbeatMonitor]:
    """Select the monitors of these workspaces that are not deleted."""
    own = HeartbeatMonitor.workspace_id.in_(list(workspace_ids))
    return HeartbeatMonitor.select().where(own, HeartbeatMonitor.deleted_at.is_null())


def find(monitor_id: UUID) -> HeartbeatMonitor | None:
    """Return the monitor, or None when it is unknown or deleted."""
    found: HeartbeatMonitor | None = HeartbeatMonitor.get_or_none(
        HeartbeatMonitor.id == monitor_id, HeartbeatMonitor.deleted_at.is_null()
    )
    return found


def lock(monitor_id: UUID) -> HeartbeatMonitor | None:
    """Lock the monitor until the end of the transaction; None when it is deleted."""
    return _locked(HeartbeatMonitor.id == monitor_id)


def lock_by_token(digest: bytes, latest_throttle: datetime) -> HeartbeatMonitor | None:
    """Lock the monitor of a token, unless its rate limit is used up. Then nothing is locked or written."""
    within = HeartbeatMonitor.throttle_at <= latest_throttle
    return _locked((HeartbeatMonitor.token_hash == digest) & within)


def lock_by_name(source_id: UUID, name: str) -> HeartbeatMonitor | None:
    """Lock the monitor of a source with this name, the oldest of several; None when there is none."""
    named = (HeartbeatMonitor.source_id == source_id) & (HeartbeatMonitor.name == name)
    oldest = HeartbeatMonitor.select().where(named, HeartbeatMonitor.deleted_at.is_null()).order_by(HeartbeatMonitor.id)
    found = oldest.first()
    return None if found is None else lock(found.id)


def is_token(digest: bytes) -> bool:
    """Whether a monitor has this token."""
    live = HeartbeatMonitor.deleted_at.is_null() & (HeartbeatMonitor.token_hash == digest) & _WORKSPACE_IS_OPEN
    return bool(HeartbeatMonitor.select(peewee.Value(1)).where(live).exists())


def of_badge(digest: bytes) -> HeartbeatMonitor | None:
    """The monitor of a badge token; None when there is none."""
    found: HeartbeatMonitor | None = (
        HeartbeatMonitor.select()
        .where(HeartbeatMonitor.badge_hash == digest, HeartbeatMonitor.deleted_at.is_null(), _WORKSPACE_IS_OPEN)
        .first()
    )
    return found


def save_state(monitor: HeartbeatMonitor) -> None:
    """Save the columns that pings and deadlines change. The row is locked."""
    monitor.save(only=STATE)


def lock_expecting(until: datetime) -> Iterator[HeartbeatMonitor]:
    """Lock, in the order of ids, all monitors that expect a ping until this time or have a run in progress."""
    after = UUID(int=0)
    while True:
        rows = list(
            HeartbeatMonitor.select()
            .where(
                HeartbeatMonitor.id > after,
                HeartbeatMonitor.deleted_at.is_null(),
                HeartbeatMonitor.paused_at.is_null(),
                HeartbeatMonitor.down_since.is_null(),
                (HeartbeatMonitor.due_at <= until)
                | HeartbeatMonitor.started_at.is_null(False)
                | (HeartbeatMonitor.due_at.is_null() & HeartbeatMonitor.never_seen_seconds.is_null(False)),
            )
            .order_by(HeartbeatMonitor.id)
            .limit(BATCH)
            .for_update("FOR NO KEY UPDATE")
        )
        yield from rows
        if len(rows) < BATCH:
            return
        after = rows[-1].id


def delete_of_source(source_id: UUID, now: datetime) -> list[HeartbeatMonitor]:
    """Delete the monitors of a source, and return them."""
    of_source = (HeartbeatMonitor.source_id == source_id) & HeartbeatMonitor.deleted_at.is_null()
    changed = HeartbeatMonitor.update(deleted_at=now, rev=HeartbeatMonitor.rev + 1).where(of_source)
    return list(changed.returning(HeartbeatMonitor).execute())


def open_incidents(monitors: Sequence[HeartbeatMonitor]) -> dict[UUID, UUID]:
    """The unresolved incident of each of these monitors that has one."""
    found = open_by_key((each.source_id, dedup_key(each.id)) for each in monitors)
    pairs = ((each.id, found.get((each.source_id, dedup_key(each.id)))) for each in monitors)
    return {monitor_id: incident_id for monitor_id, incident_id in pairs if incident_id is not None}


def dedup_key(monitor_id: UUID) -> str:
    """The dedup key of all events of a monitor."""
    return f"heartbeat:{ids.encode(Prefix.MONITOR, monitor_id)}"


def throttle(monitor: HeartbeatMonitor, now: datetime, interval: timedelta) -> None:
    """Charge one ping to the rate limit."""
    monitor.throttle_at = max(monitor.throttle_at, now) + interval


_WORKSPACE_IS_OPEN = peewee.SQL(
    "EXISTS (SELECT FROM workspaces w WHERE w.id = t1.workspace_id AND w.deleted_at IS NULL)"
)


def _locked(condition: peewee.Expression) -> HeartbeatMonitor | None:
    found: HeartbeatMonitor | None = (
        HeartbeatMonitor.select()
        .where(condition, HeartbeatMonitor.deleted_at.is_null(), _WORKSPACE_IS_OPEN)
        .for_update("FOR NO KEY UPDATE")
        .first()
    )
    return found
