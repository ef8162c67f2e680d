"""The alerts that Prometheus repeats while they fire (specification 19.10). Rows are locked in the order of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import unnest_rows
from inbox.models.senders.sources import Source


class PushedAlert(Table):
    """A firing alert: it ends at `ends_at` unless a repeat moves that time. `expired_at` is set if it ended without a
    repeat.
    """

    source = peewee.ForeignKeyField(Source, on_delete="CASCADE")
    dedup_key = peewee.TextField()
    ends_at = TimestampField()
    expired_at = TimestampField(null=True)

    class Meta:
        table_name = "pushed_alerts"
        primary_key = peewee.CompositeKey("source", "dedup_key")


class ExpiredAlert(NamedTuple):
    """An alert that ended without a repeat."""

    source_id: UUID
    workspace_id: UUID
    dedup_key: str


def expired(source_id: UUID, keys: Sequence[str]) -> dict[str, datetime]:
    """Returns the time at which each of these alerts expired, for the expired ones."""
    rows = PushedAlert.select(PushedAlert.dedup_key, PushedAlert.expired_at).where(
        PushedAlert.source == source_id,
        PushedAlert.dedup_key.in_(list(keys)),
        PushedAlert.expired_at.is_null(False),
    )
    return dict(rows.tuples())


def renew(source_id: UUID, ends: Mapping[str, datetime], seen_expired: Mapping[str, datetime]) -> None:
    """Stores the ends of firing alerts; an earlier end never replaces a later one.

    An expired alert fires again only if its expiry equals `seen_expired`, which the caller has answered with an event.
    """
    if not ends:
        return
    columns = {"dedup_key": "text", "ends_at": "timestamptz", "seen": "timestamptz"}
    given = [(key, ends[key], seen_expired.get(key)) for key in sorted(ends)]
    rows, values = unnest_rows(columns, given)
    db.execute_sql(
        "INSERT INTO pushed_alerts (source_id, dedup_key, ends_at)"
        f" SELECT %s, x.dedup_key, x.ends_at FROM {rows} ORDER BY x.dedup_key"
        " ON CONFLICT (source_id, dedup_key) DO UPDATE SET ends_at = greatest(pushed_alerts.ends_at, excluded.ends_at)",
        (source_id, *values),
    )
    db.execute_sql(
        f"UPDATE pushed_alerts a SET expired_at = NULL FROM {rows}"
        " WHERE a.source_id = %s AND a.dedup_key = x.dedup_key AND a.expired_at = x.seen",
        (*values, source_id),
    )


def forget(source_id: UUID, keys: Iterable[str]) -> None:
    """Removes the alerts that their sender has ended."""
    db.execute_sql(
        "DELETE FROM pushed_alerts WHERE (source_id, dedup_key) IN (SELECT source_id, dedup_key FROM pushed_alerts"
        " WHERE source_id = %s AND dedup_key = ANY(%s) ORDER BY dedup_key FOR UPDATE)",
        (source_id, list(keys)),
    )


def release(source_id: UUID, keys: Iterable[str], seen_expired: Mapping[str, datetime]) -> None:
    """Removes firing alerts that no longer expire.

    An alert that expired is kept, unless its expiry equals `seen_expired`, because its next push must be an event.
    """
    named = sorted(keys)
    if not named:
        return
    columns = {"dedup_key": "text", "seen": "timestamptz"}
    rows, values = unnest_rows(columns, [(key, seen_expired.get(key)) for key in named])
    db.execute_sql(
        "DELETE FROM pushed_alerts WHERE (source_id, dedup_key) IN (SELECT a.source_id, a.dedup_key"
        f" FROM pushed_alerts a JOIN {rows} ON x.dedup_key = a.dedup_key WHERE a.source_id = %s"
        " AND (a.expired_at IS NULL OR a.expired_at = x.seen) ORDER BY a.dedup_key FOR UPDATE OF a)",
        (*values, source_id),
    )


def expire(now: datetime, most: int) -> list[ExpiredAlert]:
    """Marks the alerts of live sources that have ended as expired, and returns them. Skips locked ones."""
    found = db.execute_sql(
        "WITH ended AS (SELECT a.source_id, a.dedup_key, s.workspace_id FROM pushed_alerts a"
        " JOIN sources s ON s.id = a.source_id JOIN workspaces w ON w.id = s.workspace_id"
        " WHERE a.ends_at <= %(now)s AND a.expired_at IS NULL AND s.enabled AND s.deleted_at IS NULL"
        " AND w.deleted_at IS NULL ORDER BY a.source_id, a.dedup_key LIMIT %(most)s FOR UPDATE OF a SKIP LOCKED)"
        " UPDATE pushed_alerts a SET expired_at = %(now)s FROM ended e"
        " WHERE a.source_id = e.source_id AND a.dedup_key = e.dedup_key"
        " RETURNING a.source_id, e.workspace_id, a.dedup_key",
        {"now": now, "most": most},
    ).fetchall()
    return sorted(ExpiredAlert(*row) for row in found)


def postpone(until: datetime) -> int:
    """Moves the ends that come before a time to that time, after an outage of this service. Returns the number of alerts."""
    moved = PushedAlert.update(ends_at=until).where(PushedAlert.ends_at < until, PushedAlert.expired_at.is_null())
    return int(moved.execute())
