"""Inserts and updates of changed incidents with their search rows, and inserts of timeline entries, many at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

import orjson

from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, unnest_rows
from inbox.domain.events.grouping import normalise_title
from inbox.domain.incidents.incident import Actor
from inbox.models.incidents.lock import EDITABLE, IMMUTABLE, MUTABLE, IncidentRow

_CAST = {
    "tags": "text[]", "destination_ids": "uuid[]", "people": "jsonb", "state_change_times": "timestamptz[]", "resolved_by": "jsonb",
    "last_step": "integer[]", "joined_titles": "text[]",
}  # fmt: skip
_COUNTERS = ("last_severity", "last_seen_at", "event_count", "rev")


class Searchable(Protocol):
    """The fields of an incident that the search needs."""

    id: UUID
    workspace_id: UUID
    number: int
    title: str
    resource: str | None
    dedup_key: str | None
    tags: list[str]


def insert(incidents: Sequence[IncidentRow], statements: Statements = AT_ONCE) -> None:
    """Inserts new incidents with the next numbers of their workspaces, in the given order."""
    if not incidents:
        return
    _number(incidents, statements)
    columns = {**IMMUTABLE, **EDITABLE, **MUTABLE}
    rows, values = unnest_rows(columns, [_immutable(one) + _editable(one) + _mutable(one) for one in incidents])
    chosen = ", ".join(f"x.{column}::{_CAST.get(column, sql_type)}" for column, sql_type in columns.items())
    statements.write(f"INSERT INTO incidents ({', '.join(columns)}) SELECT {chosen} FROM {rows}", values)
    write_search(incidents, statements)


def update(incidents: Sequence[IncidentRow], statements: Statements = AT_ONCE, *, editable: bool = False) -> None:
    """Stores the columns that transitions change; with `editable` also title, tags and assignee."""
    if not incidents:
        return
    columns = {"id": "uuid", **MUTABLE, **(EDITABLE if editable else {})}
    rows, values = unnest_rows(
        columns, [(one.id, *_mutable(one), *(_editable(one) if editable else ())) for one in incidents]
    )
    changes = ", ".join(f"{column} = x.{column}::{_CAST.get(column, columns[column])}" for column in list(columns)[1:])
    statements.write(f"UPDATE incidents i SET {changes} FROM {rows} WHERE i.id = x.id", values)
    if editable:
        write_search(incidents, statements)


def write_search(incidents: Sequence[Searchable], statements: Statements = AT_ONCE) -> None:
    """Stores the search text of incidents that are new or renamed."""
    columns = {"incident_id": "uuid", "workspace_id": "uuid", "number": "bigint", "text": "text", "tags": "text",
               "title_key": "text"}  # fmt: skip
    rows, values = unnest_rows(columns, [_search_row(one) for one in incidents])
    statements.write(
        f"INSERT INTO incident_search ({', '.join(columns)}) SELECT x.incident_id, x.workspace_id, x.number, x.text,"
        f" x.tags::text[], x.title_key FROM {rows} ON CONFLICT (incident_id) DO UPDATE SET text = excluded.text,"
        " tags = excluded.tags, title_key = excluded.title_key",
        values,
    )


def _search_row(one: Searchable) -> tuple[Any, ...]:
    text = "\x01".join(filter(None, (one.title, one.resource, one.dedup_key)))
    return one.id, one.workspace_id, one.number, text, array_literal(one.tags), normalise_title(one.title)


def update_counters(incidents: Sequence[IncidentRow], statements: Statements = AT_ONCE) -> None:
    """Stores the counters of incidents that counted events without another change."""
    if not incidents:
        return
    columns = {"id": "uuid", **{name: MUTABLE[name] for name in _COUNTERS}}
    rows, values = unnest_rows(
        columns,
        [
            (
                one.id,
                one.state_values.last_severity,
                one.state_values.last_seen_at,
                one.state_values.event_count,
                one.rev,
            )
            for one in incidents
        ],
    )
    changes = ", ".join(f"{column} = x.{column}" for column in _COUNTERS)
    statements.write(f"UPDATE incidents i SET {changes} FROM {rows} WHERE i.id = x.id", values)


def _number(incidents: Sequence[IncidentRow], statements: Statements) -> None:
    by_workspace: dict[UUID, list[IncidentRow]] = {}
    for one in incidents:
        by_workspace.setdefault(one.workspace_id, []).append(one)
    rows, values = unnest_rows(
        {"w": "uuid", "n": "bigint"}, [(id, len(by_workspace[id])) for id in sorted(by_workspace)]
    )
    counters = statements.query(
        f"INSERT INTO incident_counters (workspace_id, incidents) SELECT w, n FROM {rows} ORDER BY w"
        " ON CONFLICT (workspace_id) DO UPDATE SET incidents = incident_counters.incidents + excluded.incidents"
        " RETURNING workspace_id, incidents",
        values,
    )
    for workspace_id, last in counters.fetchall():
        new = by_workspace[workspace_id]
        for number, one in enumerate(new, last - len(new) + 1):
            one.number = number


def _immutable(one: IncidentRow) -> tuple[Any, ...]:
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


def _editable(one: IncidentRow) -> tuple[Any, ...]:
    return one.title, array_literal(one.tags), one.assignee_id, one.title_edited


def _mutable(one: IncidentRow) -> tuple[Any, ...]:
    now = one.state_values
    return (
        one.rule_id,
        one.routing_profile_id,
        array_literal(one.destination_ids, unquoted=True),
        orjson.dumps([each.record() for each in one.people]).decode() if one.people else "[]",
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
        array_literal(now.flips, unquoted=True),
        now.steps_taken,
        now.renotified,
        now.notified_at,
        now.held_until,
        now.notified_severity,
        None if now.last_step is None else array_literal(now.last_step, unquoted=True),
        *now.alerts[:5],
        array_literal(now.alerts.joined_titles),
        now.alerts.joined_at,
        one.last_entry_at,
        one.notice_count,
        one.rev,
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """One timeline entry of an incident."""

    id: UUID
    at: datetime
    incident: IncidentRow
    kind: str
    actor: Actor
    event_id: UUID | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


def insert_entries(entries: Iterable[Entry], statements: Statements = AT_ONCE) -> None:
    """Inserts timeline entries; their ids give the order."""
    columns = {
        "id": "uuid",
        "workspace_id": "uuid",
        "incident_id": "uuid",
        "at": "timestamptz",
        "kind": "text",
        "actor": "text",
        "event_id": "uuid",
        "details": "text",
    }
    written = [
        (
            entry.id,
            entry.incident.workspace_id,
            entry.incident.id,
            entry.at,
            entry.kind,
            orjson.dumps(entry.actor.record()).decode(),
            entry.event_id,
            orjson.dumps(entry.details).decode(),
        )
        for entry in entries
    ]
    if not written:
        return
    rows, values = unnest_rows(columns, written)
    chosen = ", ".join(f"x.{column}::jsonb" if column in ("actor", "details") else f"x.{column}" for column in columns)
    statements.write(f"INSERT INTO timeline ({', '.join(columns)}) SELECT {chosen} FROM {rows}", values)
