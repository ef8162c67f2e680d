"""The counters that routing keeps for rules: matches by the hour, and the events that `openAfter` holds back.

Specification 6.2 and 6.5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import array_literal, unnest_rows, write

CounterKey = tuple[UUID, str]
"""A rule and a fingerprint."""


class DeferredEvent(NamedTuple):
    """An event that is held back: its time of receipt and its id. The id is None for rows of a version that did not
    store it."""

    at: datetime
    event_id: UUID | None


class MatchHour(NamedTuple):
    """The key of a count: a rule and an hour."""

    workspace_id: UUID
    rule_id: UUID
    hour: datetime


class MatchCount(NamedTuple):
    """The number of events, and the last time of receipt."""

    events: int
    last_at: datetime


def add_matches(shard: int, counts: Mapping[MatchHour, MatchCount]) -> None:
    """Add the events of a shard. Each shard has its own rows, so that routers never wait for each other."""
    if not counts:
        return
    columns = {"workspace_id": "uuid", "rule_id": "uuid", "hour": "timestamptz", "events": "bigint"}
    rows, values = unnest_rows(
        {**columns, "last_at": "timestamptz"}, [(*hour, *count) for hour, count in counts.items()]
    )
    write(
        "INSERT INTO rule_matches AS m (workspace_id, rule_id, hour, shard, events, last_at)"
        f" SELECT x.workspace_id, x.rule_id, x.hour, %s, x.events, x.last_at FROM {rows}"
        " ON CONFLICT (rule_id, hour, shard) DO UPDATE"
        " SET events = m.events + excluded.events, last_at = greatest(m.last_at, excluded.last_at)",
        [shard, *values],
    )


def load_deferred(
    keys: Collection[CounterKey], recovered: Collection[str] = ()
) -> dict[CounterKey, tuple[DeferredEvent, ...]]:
    """The held-back events of each of these keys, and those of `recovered` fingerprints, in their order."""
    found: list[tuple[UUID, str, list[datetime], list[UUID]]] = []
    columns = "SELECT w.rule_id, w.fingerprint, w.seen_at, w.event_ids FROM"
    if keys:
        rows, values = unnest_rows({"rule_id": "uuid", "fingerprint": "text"}, list(keys), "k")
        found += db.execute_sql(
            f"{columns} {rows} JOIN open_after_counters w USING (rule_id, fingerprint)", values
        ).fetchall()
    if recovered:
        rows, values = unnest_rows({"fingerprint": "text"}, [(each,) for each in recovered], "k")
        found += db.execute_sql(f"{columns} {rows} JOIN open_after_counters w USING (fingerprint)", values).fetchall()
    return {(rule_id, fingerprint): _deferred(at, ids) for rule_id, fingerprint, at, ids in found}


def _deferred(seen_at: Sequence[datetime], event_ids: Sequence[UUID]) -> tuple[DeferredEvent, ...]:
    id_values: Iterable[UUID | None] = event_ids if len(event_ids) == len(seen_at) else [None] * len(seen_at)
    return tuple(map(DeferredEvent, seen_at, id_values))


def store_deferred(changed: Mapping[CounterKey, tuple[UUID, Sequence[DeferredEvent]]]) -> None:
    """Store the held-back events with their workspaces; delete the rows without any.

    Only the worker that routes the fingerprint's source writes these rows, so that no lock is contended.
    """
    empty_keys = [key for key, (_, deferred_events) in changed.items() if not deferred_events]
    counter_rows = [(w, *wait, *_columns(seen)) for wait, (w, seen) in changed.items() if seen]
    if empty_keys:
        rows, values = unnest_rows({"rule_id": "uuid", "fingerprint": "text"}, empty_keys, "k")
        db.execute_sql(
            f"DELETE FROM open_after_counters w USING {rows} WHERE w.rule_id = k.rule_id AND w.fingerprint = k.fingerprint",
            values,
        )
    if counter_rows:
        columns = {"workspace_id": "uuid", "rule_id": "uuid", "fingerprint": "text", "seen_at": "text"}
        rows, values = unnest_rows({**columns, "event_ids": "text", "last_at": "timestamptz"}, counter_rows)
        db.execute_sql(
            "INSERT INTO open_after_counters (workspace_id, rule_id, fingerprint, seen_at, event_ids, last_at) SELECT"
            f" x.workspace_id, x.rule_id, x.fingerprint, x.seen_at::timestamptz[], x.event_ids::uuid[], x.last_at FROM {rows}"
            " ON CONFLICT (rule_id, fingerprint) DO UPDATE"
            " SET seen_at = excluded.seen_at, event_ids = excluded.event_ids, last_at = excluded.last_at",
            values,
        )


def _columns(deferred: Sequence[DeferredEvent]) -> tuple[str, str, datetime]:
    """The times, the ids, and the last time. If one id is missing, none is stored: the reader compares the numbers."""
    ids = [one.event_id for one in deferred if one.event_id is not None]
    id_values = array_literal(ids if len(ids) == len(deferred) else [], unquoted=True)
    return array_literal([one.at for one in deferred], unquoted=True), id_values, max(one.at for one in deferred)
