"""The pages of people in a period, and when they acknowledged (specification 23.15)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db


class Paged(NamedTuple):
    """A page of a person. `acknowledged_at` is set when this person last acknowledged the incident after it."""

    user_id: UUID
    incident_id: UUID
    at: datetime
    acknowledged_at: datetime | None


# The index of pages begins with the person, and people of a workspace are few.
_PAGED = """
    SELECT p.user_id, p.incident_id, p.created_at, CASE WHEN i.acknowledged_by = p.user_id
        AND i.acknowledged_at >= p.created_at THEN i.acknowledged_at END
    FROM members m JOIN pages p ON p.user_id = m.user_id AND p.cause IS NULL
        AND p.created_at >= %(start)s AND p.created_at < %(end)s
    JOIN incidents i ON i.id = p.incident_id AND i.workspace_id = m.workspace_id
    WHERE m.workspace_id = %(workspace)s AND (%(schedule)s::uuid IS NULL OR p.schedule_id = %(schedule)s)
    LIMIT %(limit)s
"""


def of_workspace(
    workspace_id: UUID, schedule_id: UUID | None, start: datetime, end: datetime, limit: int
) -> list[Paged]:
    """Returns the pages of members in a period, at most `limit`: all, or those by one schedule."""
    values = {"workspace": workspace_id, "schedule": schedule_id, "start": start, "end": end, "limit": limit}
    return [Paged(*row) for row in db.execute_sql(_PAGED, values).fetchall()]
