"""The details of notices: what the newest event of the incident said when the notice was made."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.deliveries.event_details import EventDetails

# One probe of the primary keys for each notice. OFFSET 0 prevents a join that scans all notices or events.
_OF_NOTICES = """
    SELECT n.id, e.body, e.tags, e.type, e.dedup_key, e.url, e.metadata, e.began_at
    FROM unnest(%s::uuid[]) AS w (id)
    CROSS JOIN LATERAL (
        SELECT id, workspace_id, newest_event_id FROM notices WHERE notices.id = w.id OFFSET 0) n
    CROSS JOIN LATERAL (
        SELECT body, tags, type, dedup_key, url, metadata,
            CASE WHEN action = 'trigger' THEN nullif(occurred_at, received_at) END AS began_at
        FROM received_events e
        WHERE e.workspace_id = n.workspace_id AND e.id = n.newest_event_id OFFSET 0) e
"""


def of_notices(notice_ids: Collection[UUID]) -> dict[UUID, EventDetails]:
    """Returns the details by notice. Notices without an event, and those whose event was purged, are missing."""
    if not notice_ids:
        return {}
    rows = db.execute_sql(_OF_NOTICES, (array_literal(notice_ids, unquoted=True),)).fetchall()
    return {notice_id: EventDetails(*fields) for notice_id, *fields in rows}
