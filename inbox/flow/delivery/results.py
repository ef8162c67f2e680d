"""Records the results of attempts: the delivery, the count of rejections, and whether a destination stops or resumes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog

from inbox import metrics
from inbox.destinations import PHONE
from inbox.domain import ids, push
from inbox.domain.delivery import MAX_HELD, GiveUp, Receipt, Retry, Sent, Status, Stop, next_step, refusals_after
from inbox.domain.delivery_causes import Unavailable
from inbox.domain.fallback import ALERTS
from inbox.flow.notices import fallback_watch
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.live.feed import Parents
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.results import AttemptResult, DestinationState, StatusChange
from inbox.models.tables.destinations import Destination
from inbox.queue import QueueName

log = structlog.get_logger(__name__)

TEST = "test"
"""The reason of a manual test send. It has one attempt and no retry."""


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """The outcome of one call. `at` is the start of the call, `generation` that of the destination at this time."""

    claimed: ClaimedDelivery
    generation: int
    receipt: Receipt
    at: datetime


@dataclass(slots=True)
class DestinationUpdate:
    """A locked destination and the changes by the results of one unit of work."""

    addressee: DestinationState
    refusals: int
    stopped_reason: str | None
    resumes: bool = False
    has_changed: bool = False

    @classmethod
    def of(cls, addressee: DestinationState) -> DestinationUpdate:
        return cls(addressee, addressee.refusals, addressee.stopped_reason)

    @property
    def stops(self) -> bool:
        """Whether these results stop the destination."""
        return self.stopped_reason is not None and self.addressee.stopped_reason is None


def record_results(outcomes: Sequence[AttemptOutcome], now: datetime) -> None:
    """Record the results of these calls in one transaction, in the order of their arrival.

    Two fences apply. A result is ignored when another worker has claimed the delivery since. A result for an earlier
    generation of a destination neither counts nor stops the destination; the delivery is sent again.
    """
    with work() as done:
        addressees = delivery_results.lock({outcome.claimed.destination_id for outcome in outcomes})
        balances = {destination_id: DestinationUpdate.of(addressee) for destination_id, addressee in addressees.items()}
        mine = delivery_results.still_claimed([(outcome.claimed.id, outcome.claimed.attempt) for outcome in outcomes])
        results = []
        for outcome in outcomes:
            if outcome.claimed.id not in mine:
                log.warning(
                    "stale delivery result ignored",
                    delivery=ids.encode("dlv", outcome.claimed.id),
                    attempt=outcome.claimed.attempt,
                )
                continue
            results.append(_result(outcome, balances[outcome.claimed.destination_id], now))
            publish_delivery(done, outcome.claimed)
        if results:
            delivery_results.record_results(results, now)
            phones = {id for id, addressee in addressees.items() if addressee.kind == PHONE}
            routed = [outcome for outcome in outcomes if outcome.claimed.destination_id not in phones]
            _watch_alerts([each for each in results if each.id in {one.claimed.id for one in routed}], routed, done)
        _schedule_retries([ending for ending in results if ending.status == Status.RETRYING], done)
        for balance in balances.values():
            _store_destination(balance, done, now)
    _count(outcomes, {result.id: result.status for result in results}, addressees, now)


def _count(
    outcomes: Sequence[AttemptOutcome],
    statuses: Mapping[UUID, str],
    addressees: Mapping[UUID, DestinationState],
    now: datetime,
) -> None:
    for outcome in outcomes:
        claimed, kind = outcome.claimed, addressees[outcome.claimed.destination_id].kind
        status = statuses.get(claimed.id)
        metrics.DELIVERY_ATTEMPTS.labels(kind, status or "stale").inc()
        metrics.DELIVERY_ATTEMPT_SECONDS.labels(kind).observe(outcome.receipt.duration_ms / 1000)
        if status == Status.SENT:
            metrics.DELIVERY_LATENCY.labels(kind).observe(max(0.0, (now - claimed.created_at).total_seconds()))


def hold_or_skip(addressees: Iterable[DestinationState], done: AfterCommit, *, now: datetime) -> None:
    """Hold the due deliveries of stopped destinations, and skip those of disabled or deleted ones."""
    for addressee in addressees:
        parked = _parked(addressee, due_only=True, now=now)
        publish_changes(done, parked)


def publish_changes(done: AfterCommit, parked: Iterable[StatusChange]) -> None:
    """Publish deliveries that changed with their destination, and schedule fallback checks of the alerts among them."""
    changed = list(parked)
    for delivery in changed:
        publish_delivery(done, delivery)
    fallback_watch.recheck([delivery.id for delivery in changed], done)


def publish_delivery(done: AfterCommit, delivery: StatusChange | ClaimedDelivery, *, op: str = "changed") -> None:
    """Publish a changed delivery with its incident and destination."""
    parents = Parents(incident_id=delivery.incident_id, destination_id=delivery.destination_id)
    done.publish_change("delivery", delivery.id, delivery.workspace_id, op=op, rev=delivery.attempt, parents=parents)


def _parked(addressee: DestinationState, *, due_only: bool, now: datetime) -> list[StatusChange]:
    cause = undeliverable_reason(addressee)
    if cause is not None:
        return delivery_results.skip([addressee.id], cause, now=now, due_only=due_only)
    return delivery_results.hold([addressee.id], now=now, oldest=now - MAX_HELD, due_only=due_only)


def undeliverable_reason(addressee: DestinationState) -> Unavailable | None:
    """Why a destination accepts no deliveries (deleted, disabled); `None` when it does. A stop is no such reason."""
    if addressee.deleted:
        return Unavailable.DELETED
    return None if addressee.enabled else Unavailable.DISABLED


def _result(outcome: AttemptOutcome, balance: DestinationUpdate, now: datetime) -> AttemptResult:
    claimed, receipt = outcome.claimed, outcome.receipt
    is_stale = outcome.generation != balance.addressee.generation
    cause = next_step(receipt, claimed.attempt, balance.refusals, random.uniform(-1, 1))
    refuses = receipt.status_code is not None and receipt.status_code < 500
    if is_stale and refuses and isinstance(cause, Stop | GiveUp):
        cause = Retry(timedelta(), receipt.reason)
    if not is_stale:
        balance.refusals = refusals_after(receipt, balance.refusals)
    match cause:
        case Sent():
            balance.resumes = balance.resumes or (claimed.reason == TEST and not is_stale)
            return _results(outcome, balance, Status.SENT, None)
        case GiveUp(reason):
            return _results(outcome, balance, Status.FAILED, reason)
        case Stop(reason):
            balance.stopped_reason = balance.stopped_reason or reason
            return _waiting(outcome, balance, now, reason)
        case Retry(after, reason):
            return _waiting(outcome, balance, now + after, reason)


def _waiting(outcome: AttemptOutcome, balance: DestinationUpdate, due_at: datetime, reason: str) -> AttemptResult:
    """The result of a delivery without success or final failure. It depends on the state of the destination."""
    if outcome.claimed.reason == TEST:
        return _results(outcome, balance, Status.FAILED, reason)
    cause = undeliverable_reason(balance.addressee)
    if cause is not None:
        return _results(outcome, balance, Status.SKIPPED, cause)
    if balance.stopped_reason is not None:
        return _results(outcome, balance, Status.HELD, "stopped", outcome.claimed.created_at + MAX_HELD)
    return _results(outcome, balance, Status.RETRYING, reason, due_at)


def _results(
    outcome: AttemptOutcome,
    balance: DestinationUpdate,
    status: Status,
    cause: str | None,
    due_at: datetime | None = None,
) -> AttemptResult:
    claimed, receipt = outcome.claimed, outcome.receipt
    balance.has_changed = balance.has_changed or status in (Status.SENT, Status.FAILED)
    return AttemptResult(
        id=claimed.id,
        attempt=claimed.attempt,
        status=status,
        due_at=due_at,
        cause=cause,
        status_code=receipt.status_code,
        duration_ms=receipt.duration_ms,
        error=None if status is Status.SENT else receipt.reason,
        excerpt=receipt.excerpt,
        at=outcome.at,
    )


def _watch_alerts(results: Sequence[AttemptResult], outcomes: Sequence[AttemptOutcome], done: AfterCommit) -> None:
    """Cancel the fallback checks of delivered alerts, and schedule those of alerts that are no longer in transit."""
    statuses = {result.id: result.status for result in results}
    fallback_watch.delivered(
        {
            outcome.claimed.notice_id
            for outcome in outcomes
            if statuses.get(outcome.claimed.id) == Status.SENT and outcome.claimed.reason in ALERTS
        }
    )
    fallback_watch.recheck(
        [id for id, status in statuses.items() if status not in (Status.SENT, Status.RETRYING)], done
    )


def _schedule_retries(retried: Sequence[AttemptResult], done: AfterCommit) -> None:
    """Schedule one wake-up per second with retries, and defer the deliveries behind a retry as long."""
    if not retried:
        return
    delivery_results.defer_followers([ending.id for ending in retried])
    moments = {(result.due_at or result.at).replace(microsecond=0) + timedelta(seconds=1) for result in retried}
    for moment in sorted(moments):
        done.wake(QueueName.DELIVERY, moment)


def _store_destination(balance: DestinationUpdate, done: AfterCommit, now: datetime) -> None:
    """Update a changed destination, and hold or release its waiting deliveries."""
    addressee = balance.addressee
    if balance.resumes and addressee.stopped_reason is not None:
        resume(addressee, done, now=now)
    elif balance.stops:
        log.warning("destination stopped", destination=ids.encode("dst", addressee.id), reason=balance.stopped_reason)
        Destination.update(
            rejections_in_a_row=balance.refusals, stopped_at=now, stopped_reason=balance.stopped_reason
        ).where(Destination.id == addressee.id).execute()
        publish_changes(done, delivery_results.hold([addressee.id], now=now, oldest=now - MAX_HELD, due_only=False))
        if addressee.kind == PHONE and balance.stopped_reason in push.LOST:  # the subscription has ended for good
            Destination.update(sealed=None).where(Destination.id == addressee.id).execute()
    elif balance.refusals != addressee.refusals:
        Destination.update(rejections_in_a_row=balance.refusals).where(Destination.id == addressee.id).execute()
    elif not balance.has_changed:
        return
    done.publish_change("destination", addressee.id, addressee.workspace_id, rev=addressee.rev)


def resume(addressee: DestinationState, done: AfterCommit, *, now: datetime) -> None:
    """Resume a locked, stopped destination. Deliveries held for less than 24 hours leave in their order.

    Specification 9.8.
    """
    Destination.update(
        rejections_in_a_row=0, stopped_at=None, stopped_reason=None, generation=Destination.generation + 1
    ).where(Destination.id == addressee.id).execute()
    publish_changes(done, delivery_results.release(addressee.id, now=now, oldest=now - MAX_HELD))
    done.wake(QueueName.DELIVERY)
