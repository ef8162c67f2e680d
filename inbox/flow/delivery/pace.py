"""The pace of destinations whose service takes one message in some time (specification 9.9)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from inbox.destinations import PACES
from inbox.domain.delivery import MAX_RETRY_AFTER, FailureReason, Receipt
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import claims
from inbox.models.deliveries.results import DestinationState
from inbox.queue import QueueName

TOO_MANY_REQUESTS = 429


class Turn(NamedTuple):
    """The destinations to send to: `steady` several messages at once, `paced` one each."""

    steady: list[UUID]
    paced: list[UUID]


def turn(destinations: Iterable[DestinationState], now: datetime) -> Turn:
    """The destinations that may be called now. The others are woken when their time has come."""
    steady, paced = [], []
    for destination in destinations:
        if destination.kind not in PACES:
            steady.append(destination.id)
        elif destination.next_call_at is None or destination.next_call_at <= now:
            paced.append(destination.id)
    return Turn(steady, paced)


def postpone(destination: DestinationState, until: datetime, done: AfterCommit) -> None:
    """Call the locked destination again at `until` at the earliest."""
    claims.postpone(destination.id, until)
    done.wake(QueueName.DELIVERY, until.replace(microsecond=0) + timedelta(seconds=1))


def pause_after(receipt: Receipt) -> timedelta | None:
    """How long the service asks for a pause of the whole destination; None when it does not."""
    is_busy = receipt.status_code == TOO_MANY_REQUESTS or receipt.failure is FailureReason.SERVICE_BUSY
    return min(receipt.retry_after, MAX_RETRY_AFTER) if is_busy and receipt.retry_after else None
