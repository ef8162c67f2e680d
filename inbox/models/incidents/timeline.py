"""Inserts of timeline entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from inbox.domain.incident import Actor
from inbox.models.incidents.lock import IncidentRow
from inbox.models.sql.bulk_sql import unnest_rows, write


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


def insert_entries(entries: Iterable[Entry]) -> None:
    """Insert timeline entries; their ids give the order."""
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
    write(f"INSERT INTO timeline ({', '.join(columns)}) SELECT {chosen} FROM {rows}", values)
