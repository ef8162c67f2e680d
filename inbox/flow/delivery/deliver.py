"""How deliveries leave: claim (commit), call many at once, settle (commit); the last steps of an event's way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self, TypeVar

import structlog
from peewee import InterfaceError, OperationalError

from inbox import queue, sealing, settings
from inbox.destinations import KINDS, Config, Message, outbound_policy
from inbox.destinations.http import Client
from inbox.domain import ids
from inbox.domain.delivery import FailureReason, Receipt
from inbox.flow.delivery.results import AttemptOutcome, hold_or_skip, record_results, undeliverable_reason
from inbox.flow.notices import quiet_hours
from inbox.flow.retries import sqlstate
from inbox.flow.unit_of_work import work
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.results import DestinationState
from inbox.models.sql.base import connection_released
from inbox.queue import QueueName

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
T = TypeVar("T")

RUN_SECONDS = 60.0
"""How long one job claims; what is then in flight is finished, and another job goes on."""

LEASE_MARGIN = timedelta(seconds=30)
CLAIM_INTERVAL_SECONDS = 0.025
"""How soon something new that is due is seen while calls are open."""

MANY_OPEN, COALESCE_SECONDS = 16, 0.008
"""With so many calls open, how long an answer waits for others, to be settled with them."""

POLL_SECONDS = 0.002
"""How long it is waited for more of them at a time: to wake up for each would cost about as much as to settle it."""

CALL_FOR_MORE_SECONDS = 1.0
PAUSES = (0.1, 0.5, 1.0, 2.0, 4.0)
"""Seconds between tries while the database is away: answers that are already here should not be asked for again."""


@dataclass(frozen=True, slots=True)
class ClaimedBatch:
    """What was taken. `is_contended`: something is due that is not taken yet, to a destination that another worker or an
    edit holds just now, or because quiet hours held very much."""

    calls: list[tuple[ClaimedDelivery, DestinationState]]
    is_contended: bool = False


def deliver(
    clock: Clock, *, run_seconds: float = RUN_SECONDS, is_leaving: Callable[[], bool] = queue.is_shutting_down
) -> int:
    """Send what is due, and what becomes due meanwhile, until nothing is left; answers how many calls were made.

    Only the caller's thread touches the database, on its open connection. Any number of workers may do this at once.
    When it has run long enough, or the process is to end, it finishes what is in flight and calls another worker.
    """
    ends_at = time.monotonic() + run_seconds
    with SenderPool(settings.current().delivery_concurrency, clock) as senders:
        while True:
            is_over = time.monotonic() > ends_at or is_leaving()
            claim = ClaimedBatch([])
            if senders.free and not is_over:
                claim = _with_db_retries(partial(claim_due, clock(), senders.free))
                senders.start(claim.calls)
            if not senders.busy and not claim.is_contended:
                break
            outcomes = senders.results(CLAIM_INTERVAL_SECONDS)
            if outcomes:
                _with_db_retries(partial(record_results, outcomes, clock()))
    if is_over:
        queue.job_queues().wake(QueueName.DELIVERY)
    return senders.started


class SenderPool:
    """The threads that call, and their answers on their way back."""

    def __init__(self, size: int, clock: Clock) -> None:
        self.size, self.busy, self.started = size, 0, 0
        self._clock, self._client = clock, outbound_policy.client()
        self._threads: list[Thread] = []
        self._requests = SimpleQueue[tuple[ClaimedDelivery, DestinationState] | None]()
        self._results = SimpleQueue[AttemptOutcome]()
        self._called_for_more_at = float("-inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for _each in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()

    @property
    def free(self) -> int:
        """How many more calls can be made at this moment."""
        return self.size - self.busy

    def start(self, calls: Sequence[tuple[ClaimedDelivery, DestinationState]]) -> None:
        """Make these calls; when that leaves nobody free, call another worker."""
        self.busy += len(calls)
        self.started += len(calls)
        for each in calls:
            self._requests.put(each)
        while len(self._threads) < self.busy:
            thread = Thread(target=self._work, name="delivery")
            thread.start()
            self._threads.append(thread)
        now = time.monotonic()
        if not self.free and now - self._called_for_more_at > CALL_FOR_MORE_SECONDS:
            self._called_for_more_at = now
            queue.job_queues().wake(QueueName.DELIVERY)

    def results(self, seconds: float) -> list[AttemptOutcome]:
        """The answers that are here, as soon as there is one; while many calls are open, a few milliseconds' worth."""
        outcomes: list[AttemptOutcome] = []
        with suppress(Empty):
            outcomes.append(self._results.get(timeout=seconds))
        until = time.monotonic() + (COALESCE_SECONDS if self.busy >= MANY_OPEN else 0.0)
        while outcomes and len(outcomes) < self.busy:
            if not self._results.empty():
                outcomes.append(self._results.get_nowait())
            elif time.monotonic() < until:
                time.sleep(POLL_SECONDS)
            else:
                break
        self.busy -= len(outcomes)
        return outcomes

    def _work(self) -> None:
        while (request := self._requests.get()) is not None:
            claimed, addressee = request
            self._results.put(send_one(claimed, addressee, self._client, self._clock))


def claim_due(now: datetime, room: int) -> ClaimedBatch:
    """Take up to `room` deliveries, fairly over their destinations, until a lease ends; commits (specification 9.9)."""
    due = delivery_claims.due_destinations(now)
    if not due:
        return ClaimedBatch([])
    chosen = settings.current()
    with work() as done:
        locked = delivery_claims.lock_due(due)
        sendable = {
            addressee.id: addressee
            for addressee, _ in locked
            if undeliverable_reason(addressee) is None and addressee.stopped_reason is None
        }
        hold_or_skip((addressee for addressee, _ in locked if addressee.id not in sendable), done, now=now)
        deferred = [addressee for addressee, is_deferred in locked if is_deferred and addressee.id in sendable]
        is_more = bool(deferred) and quiet_hours.release_due(deferred, done, now=now)
        claimed = delivery_claims.claim(
            list(sendable),
            now=now,
            lease_until=now + timedelta(seconds=chosen.delivery_timeout_seconds) + LEASE_MARGIN,
            per_destination=chosen.destination_concurrency,
            room=room,
        )
    return ClaimedBatch(
        [(each, sendable[each.destination_id]) for each in claimed], is_contended=is_more or len(locked) < len(due)
    )


def send_one(claimed: ClaimedDelivery, addressee: DestinationState, client: Client, clock: Clock) -> AttemptOutcome:
    """Send once, with the destination's secret opened for this call only. Touches no database, raises nothing.

    Our own failure is an answer, too: one that did not come back would be waited for without end.
    """
    at, delivery_id = clock(), ids.encode("dlv", claimed.id)
    try:
        message = Message(delivery_id, claimed.body.encode(), at)
        receipt = KINDS[addressee.kind].send(message, decrypted_config(addressee), client)
    except Exception:
        log.exception("call failed", delivery=delivery_id)
        receipt = Receipt(failure=FailureReason.UNSENDABLE)
    return AttemptOutcome(claimed, addressee.generation, receipt, at)


def decrypted_config(addressee: DestinationState) -> Config:
    """The destination's settings with their secrets; raises `sealing.CannotUnseal`."""
    if addressee.sealed is None:
        return Config.unsealed_from(addressee.config, None)
    associated_data = sealing.associated_data("destinations", addressee.id, addressee.workspace_id, "sealed")
    return Config.unsealed_from(addressee.config, sealing.current().open(addressee.sealed, associated_data))


def _with_db_retries(act: Callable[[], T]) -> T:
    """Do it, again after a while when the database is away or a lock was not to be had; the last failure is raised."""
    for pause in PAUSES:
        try:
            return act()
        except (OperationalError, InterfaceError) as fault:
            log.warning("database unavailable", fault=type(fault).__name__, sqlstate=sqlstate(fault))
            with suppress(OperationalError, InterfaceError), connection_released():
                time.sleep(pause)
    return act()
