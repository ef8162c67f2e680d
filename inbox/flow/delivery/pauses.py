"""Pauses of destinations: the pace that a service demands, and the pause after a service reported that it is busy."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.deliveries.delivery import MAX_SHARED_PAUSE
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import claims, storms
from inbox.models.deliveries.destination_state import DestinationState
from inbox.runtime.queue import QueueName


def postpone(destination: DestinationState, until: datetime, done: AfterCommit) -> None:
    """Postpones the next call to the locked destination until `until` at the earliest."""
    claims.postpone(destination.id, until)
    done.wake(QueueName.DELIVERY, until.replace(microsecond=0) + timedelta(seconds=1))


def rest(
    destination: DestinationState, pause: timedelta, done: AfterCommit, *, now: datetime, is_server_limit: bool
) -> None:
    """Postpones the next call to the locked destination until the pause ends.

    `is_server_limit`: the other destinations of the kind share the server, and pause too (specification 9.14).
    """
    postpone(destination, now + pause, done)
    if is_server_limit:
        shared = min(pause, MAX_SHARED_PAUSE)
        for moment in claims.postpone_others(destination.id, destination.kind, now + shared, spread=shared, now=now):
            done.wake(QueueName.DELIVERY, moment)


def retry_summaries(destination_id: UUID, now: datetime) -> None:
    """Retries the summary of a locked destination that accepts messages again."""
    storms.advance_summaries([destination_id], now)
