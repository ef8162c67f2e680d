"""Resumes stopped destinations, and releases their held deliveries gradually."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.destinations import WITH_SUMMARIES
from inbox.domain.deliveries.delivery import MAX_HELD
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.results import StatusChange
from inbox.runtime.queue import QueueName

RELEASED_PER_SECOND = 5
"""The number of held deliveries of a destination that become due in each second after it resumes."""

RELEASED_AT_ONCE = 1_000_000
"""More than can wait: all of them become due."""


def release_held(destination_id: UUID, kind: str, done: AfterCommit, *, now: datetime) -> list[StatusChange]:
    """Releases the held deliveries of the locked destination, the oldest first; the caller publishes the changes.

    A receiver that has just been repaired does not get the notices of a whole day at once (specification 9.8). Kinds
    with summaries get one of them, so all are due.
    """
    per_second = RELEASED_AT_ONCE if kind in WITH_SUMMARIES else RELEASED_PER_SECOND
    changes, moments = delivery_results.release(destination_id, now=now, longest=MAX_HELD, per_second=per_second)
    done.wake(QueueName.DELIVERY)
    for moment in moments[1:]:
        done.wake(QueueName.DELIVERY, moment)
    return changes


def resume(destination: DestinationState, done: AfterCommit, *, now: datetime) -> None:
    """Resumes a locked, stopped destination. Deliveries held for less than 24 hours leave in their order.

    Specification 9.8.
    """
    Destination.update(
        rejections_in_a_row=0, stopped_at=None, stopped_reason=None, generation=Destination.generation + 1
    ).where(Destination.id == destination.id).execute()
    publish_changes(done, release_held(destination.id, destination.kind, done, now=now))
