"""Timers: what is due at a time. Setting one anew moves it; who takes it out of the table is who acts on it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.models.base import db
from inbox.models.incidents import Timer


def set_timer(kind: str, subject_id: UUID, workspace_id: UUID, due_at: datetime) -> None:
    """Set the one timer of this kind and subject; an earlier setting is forgotten."""
    db.execute_sql(
        "INSERT INTO timers (kind, subject_id, workspace_id, due_at) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at",
        (kind, subject_id, workspace_id, due_at),
    )


def any_due(now: datetime) -> bool:
    """Whether a timer is due."""
    return bool(db.execute_sql("SELECT EXISTS (SELECT 1 FROM timers WHERE due_at <= %s)", (now,)).fetchone()[0])


def take(now: datetime) -> Timer | None:
    """Take the timer that has been due for longest out of the table, passing over those that others are taking.

    It is gone with the transaction, and there again when the transaction fails.
    """
    found = db.execute_sql(
        "DELETE FROM timers WHERE (kind, subject_id) = (SELECT kind, subject_id FROM timers WHERE due_at <= %s"
        " ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING kind, subject_id, workspace_id, due_at",
        (now,),
    ).fetchone()
    if found is None:
        return None
    kind, subject_id, workspace_id, due_at = found
    return Timer(kind=kind, subject_id=subject_id, workspace_id=workspace_id, due_at=due_at)


def postpone(timer: Timer, until: datetime) -> None:
    """Let a timer that could not be acted on be due later, unless it was set anew meanwhile."""
    db.execute_sql(
        "UPDATE timers SET due_at = %s WHERE kind = %s AND subject_id = %s AND due_at = %s",
        (until, timer.kind, timer.subject_id, timer.due_at),
    )
