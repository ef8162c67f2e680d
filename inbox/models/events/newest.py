"""The newest event of each incident, for rows of lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.events.fields import EXCERPT_LENGTH


class NewestEvent(NamedTuple):
    """The columns of an event that a row of an incident shows."""

    id: UUID
    received_at: datetime
    url: str | None
    body_excerpt: str | None


# One probe of the index of routed events and one of the events for each incident. OFFSET 0 prevents a join that scans all
# events.
_NEWEST = """
    SELECT w.incident_id, e.id, e.received_at, e.url, left(e.body, %s)
    FROM unnest(%s::uuid[], %s::uuid[]) AS w (workspace_id, incident_id)
    CROSS JOIN LATERAL (
        SELECT event_id FROM routed_events r WHERE r.workspace_id = w.workspace_id AND r.incident_id = w.incident_id
        ORDER BY r.event_id DESC LIMIT 1) r
    CROSS JOIN LATERAL (
        SELECT id, received_at, url, body FROM received_events e
        WHERE e.workspace_id = w.workspace_id AND e.id = r.event_id OFFSET 0) e
"""


def newest_of(incidents: Sequence[tuple[UUID, UUID]]) -> dict[UUID, NewestEvent]:
    """Returns the newest event of each (workspace, incident), by incident. Purged events are missing."""
    if not incidents:
        return {}
    workspaces, ids = (array_literal(column, unquoted=True) for column in zip(*incidents, strict=True))
    rows = db.execute_sql(_NEWEST, (EXCERPT_LENGTH, workspaces, ids)).fetchall()
    return {incident_id: NewestEvent(*row) for incident_id, *row in rows}
