"""Releases what was held for a stopped destination, at a pace."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain.delivery import MAX_HELD
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.results import StatusChange
from inbox.queue import QueueName

RELEASED_PER_SECOND = 5
"""How many held deliveries of a destination become due in each second after it resumes."""


def release_held(destination_id: UUID, done: AfterCommit, *, now: datetime) -> list[StatusChange]:
    """Release what was held for the locked destination that resumes, the oldest first; the caller publishes the changes.

    A receiver that has just been repaired does not get the notices of a whole day at once (specification 9.8).
    """
    changes, moments = delivery_results.release(
        destination_id, now=now, longest=MAX_HELD, per_second=RELEASED_PER_SECOND
    )
    done.wake(QueueName.DELIVERY)
    for moment in moments[1:]:
        done.wake(QueueName.DELIVERY, moment)
    return changes
