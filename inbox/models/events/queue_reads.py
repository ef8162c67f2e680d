"""Rare reads of the queue of events: of a source, of a workspace, and of columns that a batch lacks."""

from __future__ import annotations

from collections.abc import Container, Sequence
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import unnest_rows
from inbox.models.events.queue import OPTIONAL, READ, QueuedEvent, shard_of


def has_older(source_id: UUID, event_id: UUID) -> bool:
    """Returns whether the next event of the source's shard was received no later than the event of this id.

    Quarantined events do not count.
    """
    found = db.execute_sql(
        "SELECT event_id <= %s FROM event_queue WHERE shard = %s AND quarantined_at IS NULL ORDER BY seq LIMIT 1",
        (event_id, shard_of(source_id)),
    ).fetchone()
    return found is not None and bool(found[0])


def shards_of(workspace_id: UUID) -> list[int]:
    """Returns the shards of the workspace's sources, deleted ones too."""
    found = db.execute_sql("SELECT id FROM sources WHERE workspace_id = %s", (workspace_id,)).fetchall()
    return [shard_of(id) for (id,) in found]


def with_columns(events: Sequence[QueuedEvent], columns: Container[str]) -> list[QueuedEvent]:
    """Returns the events with these optional columns; the others are None."""
    chosen = ", ".join(READ[name] if name in columns else "NULL" for name in OPTIONAL)
    rows, values = unnest_rows({"w": "uuid", "id": "uuid"}, [(event.workspace_id, event.id_text) for event in events])
    found = db.execute_sql(
        f"SELECT e.id::text, {chosen} FROM {rows} JOIN received_events e ON e.workspace_id = x.w AND e.id = x.id",
        values,
    )
    loaded = {id: dict(zip(_OPTIONAL_FIELDS, values, strict=True)) for id, *values in found.fetchall()}
    return [event._replace(**loaded.get(event.id_text, {})) for event in events]


_OPTIONAL_FIELDS = ("body", "url", "external_id", "metadata_text")
