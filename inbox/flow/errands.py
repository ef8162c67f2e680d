"""Errands: what a worker does soon, to as many incidents as there are, after something around them has changed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.flow.work import Done
from inbox.models import timers
from inbox.models.tables.silences import IN_FLIGHT_GRACE
from inbox.models.timers import TimerSpec
from inbox.queue import Bell


def call_for(kinds: tuple[str, str], subject_id: UUID, workspace_id: UUID, now: datetime, done: Done) -> None:
    """Set the first kind of timer for now, and the second for when what is being routed meanwhile is committed."""
    first, again = kinds
    due = {first: now, again: now + IN_FLIGHT_GRACE}
    timers.set_many([TimerSpec(kind, subject_id, workspace_id, at) for kind, at in due.items()])
    done.ring(Bell.TIMERS)
