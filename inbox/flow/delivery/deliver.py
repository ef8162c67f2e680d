"""The delivery loop of a worker, its sender threads, and the claiming of due deliveries.

1. The worker claims due deliveries (commit).
2. Threads call the receivers in parallel.
3. The worker records the results (commit).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Self, TypeVar
from uuid import UUID

import structlog
from peewee import InterfaceError, OperationalError

from inbox import queue, sealing, settings
from inbox.destinations import (
    KINDS,
    PACES,
    PHONE,
    SERVICES,
    WITH_ACTION_LINKS,
    WITH_MESSAGES,
    Config,
    Message,
    outbound_policy,
)
from inbox.destinations.http import Client
from inbox.destinations.recording_client import RecordingClient
from inbox.domain import ids
from inbox.domain.delivery import FailureReason, Receipt
from inbox.flow.delivery import action_links, pace
from inbox.flow.delivery.results import TEST, AttemptOutcome, hold_or_skip, record_results, undeliverable_reason
from inbox.flow.notices import quiet_hours
from inbox.flow.retries import sqlstate
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.deliveries import messages
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.results import DestinationState
from inbox.models.sql.base import connection_released
from inbox.queue import QueueName

log = structlog.get_logger(__name__)

Clock = Callable[[], datetime]
T = TypeVar("T")

RUN_SECONDS = 60.0
"""How long one job claims. The job finishes its open calls, and another job continues."""

LEASE_MARGIN = timedelta(seconds=30)
CLAIM_INTERVAL_SECONDS = 0.025
"""How soon the worker claims new due deliveries while calls are open."""

MANY_OPEN, COALESCE_SECONDS = 16, 0.008
"""With this many open calls, a result waits this long for others. They are then recorded together."""

POLL_SECONDS = 0.002
"""The poll interval during that wait: waking for each result would cost about as much as recording it."""

WAKE_INTERVAL_SECONDS = 1.0
PAUSES = (0.1, 0.5, 1.0, 2.0, 4.0)
"""Seconds between retries while the database is unavailable: results in memory should not require a second call."""


@dataclass(frozen=True, slots=True)
class ClaimedBatch:
    """The claimed deliveries. `is_contended`: other due deliveries could not be claimed yet.

    The reasons are a destination locked by another worker or an edit, or many deliveries that quiet hours deferred.
    """

    calls: list[tuple[ClaimedDelivery, DestinationState]]
    is_contended: bool = False


def deliver(
    clock: Clock, *, run_seconds: float = RUN_SECONDS, is_stopping: Callable[[], bool] = queue.is_shutting_down
) -> int:
    """Send due deliveries until none is left, including those that become due meanwhile; returns the number of calls.

    Only the caller's thread uses the database, on its open connection. Any number of workers may run at once. At the
    end of its time or of the process, the worker finishes its open calls and wakes another worker.
    """
    ends_at = time.monotonic() + run_seconds
    with SenderPool(settings.current().delivery_concurrency, clock) as senders:
        while True:
            is_time_up = time.monotonic() > ends_at or is_stopping()
            claim = ClaimedBatch([])
            if senders.free_slots and not is_time_up:
                claim = _with_db_retries(partial(claim_due, clock(), senders.free_slots))
                senders.start(claim.calls)
            if not senders.busy and not claim.is_contended:
                break
            outcomes = senders.results(CLAIM_INTERVAL_SECONDS)
            if outcomes:
                _with_db_retries(partial(record_results, outcomes, clock()))
    if is_time_up:
        queue.job_queues().wake(QueueName.DELIVERY)
    return senders.started_count


class SenderPool:
    """The threads that call receivers, and the queue of their results."""

    def __init__(self, size: int, clock: Clock) -> None:
        self.size, self.busy, self.started_count = size, 0, 0
        self._clock, self._client = clock, outbound_policy.client()
        self._threads: list[Thread] = []
        self._requests = SimpleQueue[tuple[ClaimedDelivery, DestinationState] | None]()
        self._results = SimpleQueue[AttemptOutcome]()
        self._woke_at = float("-inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for _each in self._threads:
            self._requests.put(None)
        for thread in self._threads:
            thread.join()

    @property
    def free_slots(self) -> int:
        """The number of calls that can start now."""
        return self.size - self.busy

    def start(self, calls: Sequence[tuple[ClaimedDelivery, DestinationState]]) -> None:
        """Start these calls; when no thread is free then, wake another worker."""
        self.busy += len(calls)
        self.started_count += len(calls)
        for each in calls:
            self._requests.put(each)
        while len(self._threads) < self.busy:
            thread = Thread(target=self._work, name="delivery")
            thread.start()
            self._threads.append(thread)
        now = time.monotonic()
        if not self.free_slots and now - self._woke_at > WAKE_INTERVAL_SECONDS:
            self._woke_at = now
            queue.job_queues().wake(QueueName.DELIVERY)

    def results(self, seconds: float) -> list[AttemptOutcome]:
        """The available results, as soon as there is one. With many open calls, it collects for a few milliseconds."""
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
            claimed, destination = request
            self._results.put(send_one(claimed, destination, self._client, self._clock))


def claim_due(now: datetime, room: int, destination_ids: Sequence[UUID] | None = None) -> ClaimedBatch:
    """Claim up to `room` deliveries, fairly by destination, with a lease; commits (specification 9.9).

    `destination_ids` limits the claim to these destinations.
    """
    due = delivery_claims.due_destinations(now) if destination_ids is None else destination_ids
    if not due:
        return ClaimedBatch([])
    with work() as done:
        locked_destinations = delivery_claims.lock_due(due)
        sendable = {
            destination.id: destination
            for destination, _ in locked_destinations
            if undeliverable_reason(destination) is None and destination.stopped_reason is None
        }
        hold_or_skip((addressee for addressee, _ in locked_destinations if addressee.id not in sendable), done, now=now)
        deferred_destinations = [
            addressee for addressee, is_deferred in locked_destinations if is_deferred and addressee.id in sendable
        ]
        has_more = bool(deferred_destinations) and quiet_hours.release_due(deferred_destinations, done, now=now)
        claimed = _claim(sendable, done, now=now, room=room)
    return ClaimedBatch(
        [(each, sendable[each.destination_id]) for each in claimed],
        is_contended=has_more or len(locked_destinations) < len(due),
    )


def _claim(
    sendable: Mapping[UUID, DestinationState], done: AfterCommit, *, now: datetime, room: int
) -> list[ClaimedDelivery]:
    """Claim for these locked destinations. Paced ones go first: each has one delivery, so that others keep their room."""
    current = settings.current()
    lease_until = now + timedelta(seconds=current.delivery_timeout_seconds) + LEASE_MARGIN
    turn = pace.turn(sendable.values(), now)
    claimed: list[ClaimedDelivery] = []
    for destination_ids, most in ((turn.paced, 1), (turn.steady, current.destination_concurrency)):
        if destination_ids:
            claimed += delivery_claims.claim(
                destination_ids, now=now, lease_until=lease_until, per_destination=most, room=room - len(claimed)
            )
    for each in claimed:
        destination = sendable[each.destination_id]
        if destination.kind in PACES:
            pace.postpone(destination, now + PACES[destination.kind], done)
    return _with_references(claimed, sendable)


def _with_references(
    claimed: list[ClaimedDelivery], destinations: Mapping[UUID, DestinationState]
) -> list[ClaimedDelivery]:
    """The deliveries with the references of earlier messages, for kinds that change messages or reply to them."""
    places = {
        (each.destination_id, each.incident_id)
        for each in claimed
        if destinations[each.destination_id].kind in WITH_MESSAGES and each.incident_id is not None
    }
    if not places:
        return claimed
    references = messages.read(places)
    return [
        replace(each, reference=references.get((each.destination_id, each.incident_id), {}))  # type: ignore[arg-type]
        for each in claimed
    ]


def send_one(claimed: ClaimedDelivery, destination: DestinationState, client: Client, clock: Clock) -> AttemptOutcome:
    """Send one delivery. The destination's secret is decrypted for this call only. Uses no database, raises nothing.

    An internal error also yields a result: the loop would wait forever for a missing one.
    """
    at, delivery_id = clock(), ids.encode("dlv", claimed.id)
    is_recorded = destination.kind in SERVICES or (claimed.reason == TEST and destination.kind != PHONE)
    recorder, secrets = RecordingClient(client) if is_recorded else None, list[str]()
    try:
        config = decrypted_config(destination)
        secrets += config.secrets.values()
        has_links = destination.kind in WITH_ACTION_LINKS
        links = action_links.of_delivery(claimed, destination.kind, config.public) if has_links else ()
        secrets += [link.url.rpartition("/")[2] for link in links]
        message = Message(delivery_id, claimed.body.encode(), at, claimed.reference, links)
        receipt = KINDS[destination.kind].send(message, config, recorder or client)
    except Exception:
        log.exception("call failed", delivery=delivery_id)
        receipt = Receipt(failure=FailureReason.UNSENDABLE)
    requests = recorder.requests(secrets) if recorder else ()
    address = "" if destination.kind in SERVICES else str(destination.config.get("url", ""))
    return AttemptOutcome(claimed, destination.generation, receipt, at, requests, address)


def decrypted_config(destination: DestinationState) -> Config:
    """The destination's settings with their secrets; raises `sealing.CannotUnseal`."""
    if destination.sealed is None:
        return Config.unsealed_from(destination.config, None)
    associated_data = sealing.associated_data("destinations", destination.id, destination.workspace_id, "sealed")
    return Config.unsealed_from(destination.config, sealing.current().open(destination.sealed, associated_data))


def _with_db_retries(act: Callable[[], T]) -> T:
    """Call `act`, with retries while the database or a lock is unavailable; raises the last failure."""
    for pause in PAUSES:
        try:
            return act()
        except (OperationalError, InterfaceError) as fault:
            log.warning("database unavailable", fault=type(fault).__name__, sqlstate=sqlstate(fault))
            with suppress(OperationalError, InterfaceError), connection_released():
                time.sleep(pause)
    return act()
