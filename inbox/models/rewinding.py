"""What is unresolved in a workspace is to have its timers set anew: its plan says otherwise now."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.models.base import db

REWIND = "incident.rewind"
"""The kind of timer that sets the others of an incident anew."""


def rewind(workspace_id: UUID, now: datetime) -> None:
    """Have the timers of every unresolved incident set anew soon, in one statement; apart by so much that other timers
    which are due come in between."""
    db.execute_sql(
        "INSERT INTO timers (kind, subject_id, workspace_id, due_at)"
        " SELECT %s, id, workspace_id, %s + row_number() OVER (ORDER BY id) * interval '5 milliseconds'"
        " FROM incidents WHERE workspace_id = %s AND state <> 'resolved' ORDER BY id"
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at",
        (REWIND, now, workspace_id),
    )
