"""Reads, locks and saves heartbeat monitors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import peewee

from inbox.database.base import db
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.models.heartbeats.locked import AnyMonitor, LockedMonitor, lock_where
from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.incidents.open_by_key import open_by_key

_ROW = {
    "id": "uuid",
    "status": "text",
    "last_duration_ms": "bigint",
    "check_at": "timestamptz",
    "throttle_at": "timestamptz",
}
_STATE = {
    "watched_since": "timestamptz",
    "last_ping_at": "timestamptz",
    "started_at": "timestamptz",
    "run_id": "uuid",
    "due_at": "timestamptz",
    "failures": "integer",
    "late_since": "timestamptz",
    "down_since": "timestamptz",
    "paused_at": "timestamptz",
}
"""The types of the columns that pings and deadlines change, apart from `bar`."""

_SAVE = f"""
    UPDATE heartbeat_monitors m
    SET {", ".join(f"{name} = x.{name}" for name in [*_ROW, *_STATE] if name != "id")}, bar = coalesce(x.bar, m.bar)
    FROM json_to_recordset(%s) AS x ({", ".join(f"{name} {kind}" for name, kind in {**_ROW, **_STATE}.items())}, bar jsonb)
    WHERE m.id = x.id"""

_EXPECTING = """
    m.id > %(after)s AND m.paused_at IS NULL AND m.down_since IS NULL
    AND (m.due_at <= %(until)s OR m.started_at IS NOT NULL OR (m.due_at IS NULL AND m.never_seen_seconds IS NOT NULL))
    ORDER BY m.id LIMIT %(batch)s"""

UNLOCKED = "FOR NO KEY UPDATE SKIP LOCKED"

BATCH = 200


def existing(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect[HeartbeatMonitor]:
    """Selects the monitors of these workspaces that are not deleted."""
    own = HeartbeatMonitor.workspace_id.in_(list(workspace_ids))
    return HeartbeatMonitor.select().where(own, HeartbeatMonitor.deleted_at.is_null())


def find(monitor_id: UUID) -> HeartbeatMonitor | None:
    """Returns the monitor, or None when it is unknown or deleted."""
    found: HeartbeatMonitor | None = HeartbeatMonitor.get_or_none(
        HeartbeatMonitor.id == monitor_id, HeartbeatMonitor.deleted_at.is_null()
    )
    return found


def lock(monitor_id: UUID) -> HeartbeatMonitor | None:
    """Locks the monitor until the end of the transaction; None when it is deleted."""
    return _locked(HeartbeatMonitor.id == monitor_id)


class FreeMonitors(NamedTuple):
    """Locked monitors, and the ids of the others: another transaction has locked them, or their workspace is closed."""

    locked: list[LockedMonitor]
    in_use: set[UUID]
    in_closed_workspaces: set[UUID]


def lock_free(monitor_ids: Sequence[UUID]) -> FreeMonitors:
    """Locks the monitors among these that no other transaction has locked. The result does not contain deleted ones."""
    values = {"ids": list(monitor_ids)}
    free = lock_where("m.id = ANY(%(ids)s) ORDER BY m.id", values, lock=UNLOCKED)
    missing = set(monitor_ids) - {monitor.id for monitor in free}
    if not missing:
        return FreeMonitors(free, set(), set())
    live = HeartbeatMonitor.id.in_(missing) & HeartbeatMonitor.deleted_at.is_null()
    others = dict(HeartbeatMonitor.select(HeartbeatMonitor.id, _WORKSPACE_IS_OPEN).where(live).tuples())
    in_use = {id for id, is_open in others.items() if is_open}
    return FreeMonitors(free, in_use, others.keys() - in_use)


def lock_by_token(digest: bytes, latest_throttle: datetime) -> LockedMonitor | None:
    """Locks the monitor of a token. When its rate limit is used up, nothing is locked or written."""
    values = {"digest": digest, "latest": latest_throttle}
    found = lock_where("m.token_hash = %(digest)s AND m.throttle_at <= %(latest)s", values)
    return found[0] if found else None


def lock_by_tokens(digests: Collection[bytes], latest_throttle: datetime) -> dict[bytes, LockedMonitor]:
    """Locks the monitors of these tokens by digest. Skips locked monitors, and monitors whose rate limit is used up."""
    values = {"digests": list(digests), "latest": latest_throttle}
    condition = "m.token_hash = ANY(%(digests)s) AND m.throttle_at <= %(latest)s ORDER BY m.id"
    return {monitor.token_hash: monitor for monitor in lock_where(condition, values, lock=UNLOCKED)}


def throttles(digests: Collection[bytes]) -> dict[bytes, datetime]:
    """Returns the time until which each live token's rate limit is used, by digest. Locks nothing."""
    rows = (
        HeartbeatMonitor.select(HeartbeatMonitor.token_hash, HeartbeatMonitor.throttle_at)
        .where(
            HeartbeatMonitor.token_hash.in_(list(digests)), HeartbeatMonitor.deleted_at.is_null(), _WORKSPACE_IS_OPEN
        )
        .tuples()
    )
    return {bytes(digest): throttle_at for digest, throttle_at in rows}


def lock_by_name(source_id: UUID, name: str) -> HeartbeatMonitor | None:
    """Locks the monitor of a source with this name, the oldest of several; None when there is none."""
    named = (HeartbeatMonitor.source_id == source_id) & (HeartbeatMonitor.name == name)
    oldest = HeartbeatMonitor.select().where(named, HeartbeatMonitor.deleted_at.is_null()).order_by(HeartbeatMonitor.id)
    found = oldest.first()
    return None if found is None else lock(found.id)


def is_token(digest: bytes) -> bool:
    """Returns whether a monitor has this token."""
    live = HeartbeatMonitor.deleted_at.is_null() & (HeartbeatMonitor.token_hash == digest) & _WORKSPACE_IS_OPEN
    return bool(HeartbeatMonitor.select(peewee.Value(1)).where(live).exists())


def of_badge(digest: bytes) -> HeartbeatMonitor | None:
    """Returns the monitor of a badge token; None when there is none."""
    found: HeartbeatMonitor | None = (
        HeartbeatMonitor.select()
        .where(HeartbeatMonitor.badge_hash == digest, HeartbeatMonitor.deleted_at.is_null(), _WORKSPACE_IS_OPEN)
        .first()
    )
    return found


def save_states(monitors: Collection[AnyMonitor]) -> None:
    """Saves the columns that pings and deadlines change, of all these locked monitors in one statement.

    A null bar is unchanged.
    """
    if monitors:
        db.execute_sql(_SAVE, (orjson.dumps([_state_row(monitor) for monitor in monitors]).decode(),))


def _state_row(monitor: AnyMonitor) -> dict[str, Any]:
    state = monitor.state
    is_same = isinstance(monitor, LockedMonitor) and monitor.bar is monitor.stored_bar
    return {
        "id": monitor.id,
        "status": monitor.status,
        "last_duration_ms": monitor.last_duration_ms,
        "check_at": monitor.check_at,
        "throttle_at": monitor.throttle_at,
        "bar": None if is_same else monitor.bar,
        **{name: getattr(state, name) for name in _STATE},
    }


def lock_expecting(until: datetime) -> Iterator[list[LockedMonitor]]:
    """Locks all monitors that expect a ping until this time or have a run in progress.

    It locks them in batches and in the order of ids.
    """
    after = UUID(int=0)
    while True:
        rows = lock_where(_EXPECTING, {"after": after, "until": until, "batch": BATCH})
        yield rows
        if len(rows) < BATCH:
            return
        after = rows[-1].id


def expected_by_cron(after_time: datetime) -> Iterator[list[HeartbeatMonitor]]:
    """Yields the monitors with a cron schedule whose ping is expected after this time, in batches, without a lock."""
    live = HeartbeatMonitor.deleted_at.is_null() & HeartbeatMonitor.paused_at.is_null()
    is_expected = live & (HeartbeatMonitor.due_at > after_time) & (HeartbeatMonitor.schedule["kind"] == "cron")
    after = UUID(int=0)
    while True:
        own = HeartbeatMonitor.select().where(is_expected, HeartbeatMonitor.id > after)
        rows = list(own.order_by(HeartbeatMonitor.id).limit(BATCH))
        yield rows
        if len(rows) < BATCH:
            return
        after = rows[-1].id


def delete_of_source(source_id: UUID, now: datetime) -> list[HeartbeatMonitor]:
    """Deletes the monitors of a source, and returns them."""
    of_source = (HeartbeatMonitor.source_id == source_id) & HeartbeatMonitor.deleted_at.is_null()
    changed = HeartbeatMonitor.update(deleted_at=now, rev=HeartbeatMonitor.rev + 1).where(of_source)
    return list(changed.returning(HeartbeatMonitor).execute())


def open_incidents(monitors: Sequence[HeartbeatMonitor]) -> dict[UUID, UUID]:
    """Returns the unresolved incident of each of these monitors that has one."""
    found = open_by_key((each.source_id, dedup_key(each.id)) for each in monitors)
    pairs = ((each.id, found.get((each.source_id, dedup_key(each.id)))) for each in monitors)
    return {monitor_id: incident_id for monitor_id, incident_id in pairs if incident_id is not None}


def dedup_key(monitor_id: UUID) -> str:
    """Returns the dedup key of all events of a monitor."""
    return f"heartbeat:{ids.encode(Prefix.MONITOR, monitor_id)}"


def throttle(monitor: AnyMonitor, now: datetime, interval: timedelta) -> None:
    """Charges one ping to the rate limit."""
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
