"""Incidents that were moved in memory, written many at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import orjson

from inbox.models import words
from inbox.models.base import db
from inbox.models.columns import array, unnest
from inbox.models.standing import IDENTITY, MOVED, NAMED, Standing

_CAST = {"tags": "text[]", "destination_ids": "uuid[]", "state_change_times": "timestamptz[]", "resolved_by": "jsonb"}
_COUNTED = ("last_severity", "last_seen_at", "event_count", "rev")


def insert(standings: Sequence[Standing]) -> None:
    """Write new incidents with the next numbers of their workspaces, in the order given."""
    if not standings:
        return
    _number(standings)
    columns = {**IDENTITY, **NAMED, **MOVED}
    rows, values = unnest(columns, [_identity(one) + _named(one) + _moved(one) for one in standings])
    chosen = ", ".join(f"x.{column}::{_CAST.get(column, sql_type)}" for column, sql_type in columns.items())
    db.execute_sql(f"INSERT INTO incidents ({', '.join(columns)}) SELECT {chosen} FROM {rows}", values)
    words.write(standings)


def update(standings: Sequence[Standing], *, named: bool = False) -> None:
    """Write what moves changed; with `named` also title, tags and assignee."""
    if not standings:
        return
    columns = {"id": "uuid", **MOVED, **(NAMED if named else {})}
    rows, values = unnest(columns, [(one.id, *_moved(one), *(_named(one) if named else ())) for one in standings])
    changes = ", ".join(f"{column} = x.{column}::{_CAST.get(column, columns[column])}" for column in list(columns)[1:])
    db.execute_sql(f"UPDATE incidents i SET {changes} FROM {rows} WHERE i.id = x.id", values)
    if named:
        words.write(standings)


def count(standings: Sequence[Standing]) -> None:
    """Write that events were counted to incidents which are otherwise as they were."""
    if not standings:
        return
    columns = {"id": "uuid", **{name: MOVED[name] for name in _COUNTED}}
    rows, values = unnest(
        columns,
        [(one.id, one.now.last_severity, one.now.last_seen_at, one.now.event_count, one.rev) for one in standings],
    )
    changes = ", ".join(f"{column} = x.{column}" for column in _COUNTED)
    db.execute_sql(f"UPDATE incidents i SET {changes} FROM {rows} WHERE i.id = x.id", values)


def _number(standings: Sequence[Standing]) -> None:
    wanted: dict[UUID, list[Standing]] = {}
    for one in standings:
        wanted.setdefault(one.workspace_id, []).append(one)
    rows, values = unnest({"w": "uuid", "n": "bigint"}, [(id, len(wanted[id])) for id in sorted(wanted)])
    counted = db.execute_sql(
        f"INSERT INTO incident_counters (workspace_id, incidents) SELECT w, n FROM {rows} ORDER BY w"
        " ON CONFLICT (workspace_id) DO UPDATE SET incidents = incident_counters.incidents + excluded.incidents"
        " RETURNING workspace_id, incidents",
        values,
    )
    for workspace_id, last in counted.fetchall():
        ours = wanted[workspace_id]
        for number, one in enumerate(ours, last - len(ours) + 1):
            one.number = number


def _identity(one: Standing) -> tuple[Any, ...]:
    return (
        one.id,
        one.workspace_id,
        one.source_id,
        one.fingerprint,
        one.number,
        one.resource,
        one.type,
        one.dedup_key,
        one.related_incident_id,
    )


def _named(one: Standing) -> tuple[Any, ...]:
    return one.title, array(one.tags), one.assignee_id


def _moved(one: Standing) -> tuple[Any, ...]:
    now = one.now
    return (
        one.rule_id,
        one.routing_profile_id,
        array(one.destination_ids, bare=True),
        now.state,
        now.severity,
        now.last_severity,
        now.first_seen_at,
        now.last_seen_at,
        now.opened_at,
        now.event_count,
        now.reopen_count,
        now.state_before,
        now.silenced_by,
        now.acknowledged_at,
        now.acknowledged_by,
        now.snoozed_until,
        now.resolved_at,
        None if now.resolved_by is None else orjson.dumps(now.resolved_by.record()).decode(),
        now.flapping,
        array(now.flips, bare=True),
        now.steps_taken,
        now.renotified,
        now.told_at,
        now.held_until,
        now.told_severity,
        one.entered_at,
        one.notice_count,
        one.rev,
    )
