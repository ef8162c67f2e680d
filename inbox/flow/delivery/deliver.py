"""The delivery loop of a worker, and the claiming of due deliveries.

1. The worker claims due deliveries (commit).
2. Threads call the receivers in parallel (`senders`).
3. The worker records the results (commit).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar
from uuid import UUID

import structlog
from peewee import InterfaceError, OperationalError

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.database.base import connection_released, db
from inbox.destinations import PACES, PAID, WITH_DIGESTS, WITH_EDITS, WITH_MESSAGES, WITH_SUMMARIES, keeps_state
from inbox.domain.deliveries.delivery import CLOCK_DIFFERENCE, MAX_RETRY_AFTER, FailureReason
from inbox.domain.deliveries.event_details import added
from inbox.flow.delivery import paid_messages, reply_codes
from inbox.flow.delivery.changes import publish_changes
from inbox.flow.delivery.pauses import postpone
from inbox.flow.delivery.results import hold_or_skip, record_results, undeliverable_reason
from inbox.flow.delivery.senders import AttemptOutcome, Clock, SenderPool
from inbox.flow.notices import digests, quiet_hours, summaries
from inbox.flow.unit_of_work import AfterCommit, sqlstate, work
from inbox.models.deliveries import claims as delivery_claims
from inbox.models.deliveries import event_details, messages, replays
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.claims import NO_RESERVE, ClaimedDelivery, LockedDestination, Reserve
from inbox.models.deliveries.destination_state import DestinationState
from inbox.runtime import queue
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

T = TypeVar("T")

LEASE_MARGIN = timedelta(seconds=30)
"""The time by which a lease outlasts one call, for all calls of a message (`senders.MORE_SECONDS`) and the recording."""

CLAIM_INTERVAL_SECONDS = 0.025
"""The interval at which the worker claims newly due deliveries while calls are open."""

PAUSES = (0.1, 0.5, 1.0, 2.0, 4.0)
"""Seconds between retries while the database is unavailable. Results kept in memory avoid a second call to the receiver."""


@dataclass(frozen=True, slots=True)
class ClaimedBatch:
    """The claimed deliveries. `is_contended`: other due deliveries could not be claimed yet.

    Either another worker or an edit has locked a destination, or quiet hours deferred many deliveries.
    """

    calls: list[tuple[ClaimedDelivery, DestinationState]]
    is_contended: bool = False


def deliver(
    clock: Clock, *, is_stopping: Callable[[], bool] = queue.is_shutting_down, senders: SenderPool | None = None
) -> int:
    """Sends due deliveries until none is left, including deliveries that become due meanwhile; returns the number of calls.

    Only the caller's thread uses the database: its open connection, or a new one per claim and recording. Any number of
    workers may run at once. Before its process ends, the loop finishes its open calls and wakes another worker. The
    loop has no other limit, since a claim must not wait for the slowest of the open calls.
    """
    outcomes: list[AttemptOutcome] = []
    with senders or SenderPool(settings.current().delivery_concurrency, clock) as pool:
        while True:
            is_ending, claim = is_stopping(), ClaimedBatch([])
            if pool.free_slots and not is_ending:
                claim = _with_db_retries(partial(claim_due, clock(), pool.free_slots, reserve=pool.reserve()))
                pool.start(claim.calls)
            if outcomes:  # while the calls of the next deliveries run
                _with_db_retries(partial(record_results, outcomes, clock()))
            elif not pool.busy and not claim.is_contended:
                break
            outcomes = pool.results(CLAIM_INTERVAL_SECONDS)
    if is_ending:
        queue.job_queues().pass_on(QueueName.DELIVERY)
    return pool.started_count


def claim_due(
    now: datetime, room: int, destination_ids: Sequence[UUID] | None = None, *, reserve: Reserve = NO_RESERVE
) -> ClaimedBatch:
    """Claims up to `room` deliveries, fairly by destination, with a lease; commits (specification 9.9).

    `destination_ids` limits the claim to these destinations. The claim keeps the `reserve`.
    """
    due = delivery_claims.due_destinations(now) if destination_ids is None else destination_ids
    if not due:
        return ClaimedBatch([])
    with work() as done:
        locked_destinations = delivery_claims.lock_due(due)
        sendable = {
            destination.id: destination
            for destination, *_ in locked_destinations
            if undeliverable_reason(destination) is None and destination.stopped_reason is None
        }
        _fail_lost_tests(locked_destinations, done, now)
        has_more = _release_held(locked_destinations, done, now)
        hold_or_skip((each.state for each in locked_destinations if each.state.id not in sendable), done, now=now)
        if paid := [each for each in sendable.values() if _is_paid(each) and not _is_resting(each, now)]:
            withheld = paid_messages.withhold(paid, done, now)
            sendable = {id: each for id, each in sendable.items() if id not in withheld}
        claimed = _claim(sendable, done, settings.current(), now=now, room=room, reserve=reserve)
    return ClaimedBatch(
        [(each, sendable[each.destination_id]) for each in claimed],
        is_contended=has_more or len(locked_destinations) < len(due),
    )


def _fail_lost_tests(locked: Sequence[LockedDestination], done: AfterCommit, now: datetime) -> None:
    """Fails the tests whose process died. They are neither repeated nor held."""
    tested = [each.state.id for each in locked if each.has_test]
    if tested:
        publish_changes(done, delivery_results.fail_tests(tested, FailureReason.CONNECTION_LOST, now=now))


def _release_held(locked: Sequence[LockedDestination], done: AfterCommit, now: datetime) -> bool:
    """Releases deliveries that quiet hours deferred, and gathers due digests; returns whether more are left.

    Deliveries of stopped destinations are released and gathered, too. They are then held like any delivery.
    """
    open_ones = [each for each in locked if undeliverable_reason(each.state) is None]
    deferred = [each.state for each in open_ones if each.has_deferred]
    if deferred and quiet_hours.release_due(deferred, done, now=now):
        return True
    able = {state.id for state in deferred if state.kind in WITH_DIGESTS}
    gathering = [each.state for each in open_ones if each.has_gathering or each.state.id in able]
    return bool(gathering) and digests.gather_due(gathering, done, now=now)


def _claim(
    sendable: Mapping[UUID, DestinationState],
    done: AfterCommit,
    chosen: Settings,
    *,
    now: datetime,
    room: int,
    reserve: Reserve,
) -> list[ClaimedDelivery]:
    """Claims deliveries of these locked destinations.

    Paced ones go first: each has one delivery, so the others keep their room. A summary serves people, so paced services
    that keep a state of each incident get all notices in their order.
    """
    lease_until = now + timedelta(seconds=chosen.delivery_timeout_seconds) + LEASE_MARGIN
    summarising, paced, steady = _turn(sendable.values(), now)
    claimed: list[ClaimedDelivery] = []
    if summarising:
        claimed += delivery_claims.claim_most_urgent(
            summaries.admit(summarising, done, now=now), now=now, lease_until=lease_until, room=room, reserve=reserve
        )
    for destination_ids, most in ((paced, 1), (steady, chosen.destination_concurrency)):
        if destination_ids:
            claimed += delivery_claims.claim(
                destination_ids,
                now=now,
                lease_until=lease_until,
                per_destination=most,
                room=room - len(claimed),
                reserve=reserve._replace(unreserved=reserve.unreserved - len(claimed)),
            )
    for each in claimed:
        destination = sendable[each.destination_id]
        if _is_paid(destination):
            paid_messages.count(destination, done, now)
        elif destination.kind in PACES:
            postpone(destination, now + PACES[destination.kind], done)
    if any(_is_paid(sendable[each.destination_id]) for each in claimed):
        claimed = reply_codes.added(claimed, sendable, now)
    return _with_details(_with_references(_without_stale(claimed, sendable, done, now), sendable), sendable)


def _without_stale(
    claimed: list[ClaimedDelivery], destinations: Mapping[UUID, DestinationState], done: AfterCommit, now: datetime
) -> list[ClaimedDelivery]:
    """Skips claimed replays that became stale while they waited. They would set an incident back at its service."""
    replayed = [each.id for each in claimed if each.is_replay and _keeps_state(destinations[each.destination_id])]
    causes = replays.stale(replayed) if replayed else {}
    if causes:
        publish_changes(done, replays.skip(causes, now=now))
    return [each for each in claimed if each.id not in causes]


def _keeps_state(destination: DestinationState) -> bool:
    return keeps_state(destination.kind, destination.config)


def _turn(
    destinations: Iterable[DestinationState], now: datetime
) -> tuple[list[DestinationState], list[UUID], list[UUID]]:
    """Returns the destinations to call now: those that may need a summary, other paced ones, and all others.

    A destination that pauses is called again when its pause ends (specification 9.9).
    """
    able = [each for each in destinations if not _is_resting(each, now)]
    summarising = [each for each in able if each.kind in WITH_SUMMARIES]
    paced = [each.id for each in able if each.kind in PACES and each.kind not in WITH_SUMMARIES]
    return summarising, paced, [each.id for each in able if each.kind not in PACES]


def _is_paid(destination: DestinationState) -> bool:
    """Returns whether messages to this contact of a person cost money."""
    return destination.owner_id is not None and destination.kind in PAID


def _is_resting(destination: DestinationState, now: datetime) -> bool:
    """Returns whether the destination is in a pause. A pause beyond the longest one comes from a clock that ran fast."""
    longest = MAX_RETRY_AFTER + CLOCK_DIFFERENCE
    return destination.next_call_at is not None and now < destination.next_call_at <= now + longest


def _with_references(
    claimed: list[ClaimedDelivery], destinations: Mapping[UUID, DestinationState]
) -> list[ClaimedDelivery]:
    """Adds the references of earlier messages to deliveries, for kinds that change messages or reply to them.

    Where the incident's message is kept in its latest state, an outdated replay becomes a separate message.
    """
    places = {
        (each.destination_id, each.incident_id)
        for each in claimed
        if destinations[each.destination_id].kind in WITH_MESSAGES and each.incident_id is not None
    }
    if not places:
        return claimed
    references = messages.read(places)
    edited = {destination.id for destination in destinations.values() if destination.kind in WITH_EDITS}
    return [
        each
        if each.is_outdated and each.destination_id in edited
        else replace(
            each,
            reference=references.get((each.destination_id, each.incident_id), {}),  # type: ignore[arg-type]
            is_outdated=False,
        )
        for each in claimed
    ]


def _with_details(
    claimed: list[ClaimedDelivery], destinations: Mapping[UUID, DestinationState]
) -> list[ClaimedDelivery]:
    """Adds to the bodies what the newest events say, with one query, for destinations that include details.

    Events do not change, so the bytes are the same at every attempt while the event is stored.
    """
    wanted = {each.notice_id for each in claimed if destinations[each.destination_id].include_details}
    found = event_details.of_notices(wanted)
    return [
        replace(each, body=added(each.body, found[each.notice_id]))
        if each.notice_id in found and destinations[each.destination_id].include_details
        else each
        for each in claimed
    ]


def _with_db_retries(act: Callable[[], T]) -> T:
    """Calls `act`, with retries while the database or a lock is unavailable; raises the last failure."""
    for pause in PAUSES:
        try:
            with db.connection_context():
                return act()
        except (OperationalError, InterfaceError) as fault:
            log.warning("database unavailable", fault=type(fault).__name__, sqlstate=sqlstate(fault))
            with suppress(OperationalError, InterfaceError), connection_released():
                time.sleep(pause)
    with db.connection_context():
        return act()
