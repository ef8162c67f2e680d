"""Events whose routing fails: the counts of single attempts, the quarantine, and the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import AT_ONCE, Statements, array_literal, unnest_rows


@dataclass(frozen=True, slots=True)
class QuarantinedEvent:
    """An event whose routing failed repeatedly, as shown to an operator."""

    event_id: UUID
    workspace_slug: str
    source_name: str
    title: str
    severity: str
    received_at: datetime
    quarantined_at: datetime


def count_attempt(shard: int, seq: int) -> int | None:
    """Counts one more single attempt at an event. Returns the new number, or None when the event no longer waits."""
    counted = db.execute_sql(
        "UPDATE event_queue SET attempts = attempts + 1 WHERE shard = %s AND seq = %s AND quarantined_at IS NULL"
        " RETURNING attempts",
        (shard, seq),
    ).fetchone()
    return None if counted is None else int(counted[0])


def undo_attempt(shard: int, seq: int) -> None:
    """Undoes one `count_attempt` whose attempt did not take place."""
    db.execute_sql(
        "UPDATE event_queue SET attempts = attempts - 1"
        " WHERE shard = %s AND seq = %s AND attempts > 0 AND quarantined_at IS NULL",
        (shard, seq),
    )


def undo_start(partition: int, statements: Statements = AT_ONCE) -> None:
    """Undoes one counted start of a partition (`queue.lock_and_count_attempts`). This also survives a rollback."""
    tries = f"routing_tries_{partition:d}"
    statements.write(f"SELECT setval('{tries}', greatest(last_value - 1, 0)) FROM {tries}", ())


def quarantine(shard: int, seq: int, now: datetime) -> None:
    """Quarantines an event: it is not routed until an operator releases it."""
    db.execute_sql(
        "UPDATE event_queue SET quarantined_at = %s WHERE shard = %s AND seq = %s AND quarantined_at IS NULL",
        (now, shard, seq),
    )


def list_quarantined(limit: int) -> list[QuarantinedEvent]:
    """Returns quarantined events of all workspaces, oldest first, for the operator."""
    found = db.execute_sql(
        "SELECT e.id, w.slug, s.name, e.title, e.severity, e.received_at, q.quarantined_at FROM event_queue q"
        " JOIN received_events e ON e.workspace_id = q.workspace_id AND e.id = q.event_id"
        " JOIN workspaces w ON w.id = q.workspace_id JOIN sources s ON s.id = e.source_id"
        " WHERE q.quarantined_at IS NOT NULL ORDER BY q.quarantined_at, q.shard, q.seq LIMIT %s",
        (limit,),
    )
    return [QuarantinedEvent(*row) for row in found.fetchall()]


def release(event_ids: Sequence[UUID] | None) -> list[tuple[UUID, UUID]]:
    """Releases these quarantined events, or all, to their old positions in the queue; returns workspace and event of each.

    The stored reason is deleted, so that the routing result can be stored.
    """
    id_condition = "" if event_ids is None else " AND event_id = ANY(%s::uuid[])"
    found = db.execute_sql(
        "UPDATE event_queue SET quarantined_at = NULL, attempts = 0"
        f" WHERE quarantined_at IS NOT NULL{id_condition} RETURNING workspace_id, event_id",
        () if event_ids is None else (array_literal(event_ids, unquoted=True),),
    ).fetchall()
    if found:
        rows, values = unnest_rows({"w": "uuid", "id": "uuid"}, found)
        where = "r.workspace_id = x.w AND r.event_id = x.id AND r.disposition = 'pending'"
        db.execute_sql(f"DELETE FROM routed_events r USING {rows} WHERE {where}", values)
    return [(workspace_id, event_id) for workspace_id, event_id in found]


def store_reason(workspace_id: UUID, event_id: UUID, routing: str) -> None:
    """Stores the reason why an event is quarantined, while it is; `routing` is JSON. A release waits until this is stored."""
    db.execute_sql(
        "INSERT INTO routed_events (workspace_id, event_id, disposition, trace)"
        " SELECT q.workspace_id, q.event_id, 'pending', %s::json FROM event_queue q"
        " WHERE q.workspace_id = %s AND q.event_id = %s AND q.quarantined_at IS NOT NULL AND q.repeated_at IS NULL FOR UPDATE"
        " ON CONFLICT (workspace_id, event_id) DO NOTHING",
        (routing, workspace_id, event_id),
    )
