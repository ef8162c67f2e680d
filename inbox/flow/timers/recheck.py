"""Schedules batch timers over many incidents after a change of their workspace, source or members."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.flow.unit_of_work import AfterCommit
from inbox.models.incidents import timers
from inbox.models.incidents.timers import TimerSpec
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.runtime.queue import QueueName


def schedule_with_recheck(
    kinds: tuple[str, str], subject_id: UUID, workspace_id: UUID, now: datetime, done: AfterCommit
) -> None:
    """Sets the first kind of timer for now; the second is due when concurrent routing is committed."""
    first, recheck = kinds
    due = {first: now, recheck: now + IN_FLIGHT_GRACE}
    timers.set_many([TimerSpec(kind, subject_id, workspace_id, at) for kind, at in due.items()])
    done.wake(QueueName.TIMERS)
