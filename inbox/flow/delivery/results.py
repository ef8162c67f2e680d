"""Records the results of attempts: updates the delivery and the count of rejections, and stops or resumes destinations."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from peewee import DataError

from inbox.destinations import PACES, PHONE, SERVICES, WITH_PAUSES, WITH_SUMMARIES
from inbox.domain.deliveries import push
from inbox.domain.deliveries.causes import Unavailable
from inbox.domain.deliveries.delivery import (
    MAX_HELD,
    GiveUp,
    Receipt,
    Retry,
    Sent,
    Status,
    Stop,
    next_step,
    refusals_after,
)
from inbox.domain.deliveries.fallback import ALERTS
from inbox.domain.deliveries.message_references import is_storable
from inbox.domain.explaining.notice_content import TEST
from inbox.domain.values import ids
from inbox.flow.delivery import pauses
from inbox.flow.delivery.changes import publish_changes, recheck_alerts
from inbox.flow.delivery.resume import resume
from inbox.flow.delivery.senders import AttemptOutcome
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.deliveries import messages
from inbox.models.deliveries import results as delivery_results
from inbox.models.deliveries.claims import ClaimedDelivery
from inbox.models.deliveries.destination_state import DestinationState
from inbox.models.deliveries.destinations import Destination
from inbox.models.deliveries.fallback_checks import CHECK
from inbox.models.deliveries.messages import Place
from inbox.models.deliveries.results import AttemptResult
from inbox.models.incidents import timers
from inbox.runtime import metrics
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

UNSTORABLE = (DataError, ValueError)
"""The errors about a value that PostgreSQL cannot store. Its driver refuses some values itself."""


@dataclass(slots=True)
class DestinationUpdate:
    """A locked destination and the changes by the results of one unit of work."""

    destination: DestinationState
    refusals: int
    stopped_reason: str | None
    resumes: bool = False
    has_changed: bool = False
    has_sent: bool = False
    pause: timedelta | None = None
    is_server_limit: bool = False
    references: dict[Place, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, destination: DestinationState) -> DestinationUpdate:
        """Returns an update without changes."""
        return cls(destination, destination.refusals, destination.stopped_reason)

    def note(self, delivery: ClaimedDelivery, receipt: Receipt) -> None:
        """Stores values that later calls need: the reference of the message, and the pause that the service demands."""
        reference, incident_id = receipt.reference, delivery.incident_id
        if reference is not None and incident_id is not None and not delivery.is_outdated and is_storable(reference):
            self.references[self.destination.id, incident_id] = reference
        if self.destination.kind in PACES or (self.destination.kind in WITH_PAUSES and receipt.retry_after):
            self.pause = max(filter(None, (self.pause, receipt.pause_after(delivery.attempt))), default=None)
        self.is_server_limit = self.is_server_limit or receipt.is_server_limit

    @property
    def stops(self) -> bool:
        """Returns whether these results stop the destination."""
        return self.stopped_reason is not None and self.destination.stopped_reason is None


def record_results(outcomes: Sequence[AttemptOutcome], now: datetime) -> None:
    """Records the results of these calls in one transaction, in the order of their arrival.

    Two fences apply. A result is ignored when another worker has claimed the delivery since. A result for an earlier
    generation of a destination neither counts nor stops the destination; the delivery is sent again.

    If PostgreSQL refuses a value, the results are recorded one by one, so that no receiver harms deliveries to others.
    The refused one is recorded without texts of the answer.
    """
    if not _record_storable(outcomes, now):
        for outcome in outcomes:
            if not _record_storable([outcome], now):
                _record_storable([_without_texts(outcome)], now)


def _record_storable(outcomes: Sequence[AttemptOutcome], now: datetime) -> bool:
    """Records the results, and returns whether PostgreSQL accepts their values."""
    try:
        _record(outcomes, now)
    except UNSTORABLE:
        log.exception("delivery results refused", results=len(outcomes))
        return False
    return True


def _without_texts(outcome: AttemptOutcome) -> AttemptOutcome:
    receipt = replace(outcome.receipt, excerpt="", reference=None)
    return replace(outcome, receipt=receipt, requests=(), address="", note=None)


def _record(outcomes: Sequence[AttemptOutcome], now: datetime) -> None:
    with work() as done:
        destinations = delivery_results.lock({outcome.delivery.destination_id for outcome in outcomes})
        updates = {id: DestinationUpdate.of(destination) for id, destination in destinations.items()}
        claimed_ids = delivery_results.still_claimed(
            [(outcome.delivery.id, outcome.delivery.attempt) for outcome in outcomes]
        )
        results = []
        for outcome in outcomes:
            if outcome.delivery.id not in claimed_ids:
                stale, attempt = ids.encode("dlv", outcome.delivery.id), outcome.delivery.attempt
                log.warning("stale delivery result ignored", delivery=stale, attempt=attempt)
                continue
            results.append(_result(outcome, updates[outcome.delivery.destination_id], now))
            done.publish_delivery(outcome.delivery)
        if results:
            delivery_results.record_results(results, now)
            references = {place: stored for update in updates.values() for place, stored in update.references.items()}
            if references:
                messages.keep(references, now)
            phones = {id for id, destination in destinations.items() if destination.kind == PHONE}
            routed = {each.delivery.id: each for each in outcomes if each.delivery.destination_id not in phones}
            _watch_alerts([each for each in results if each.id in routed], list(routed.values()), done)
        _schedule_retries([result for result in results if result.status == Status.RETRYING], done)
        _advance_followers(results, now)
        for update in updates.values():
            _store_destination(update, done, now)
    _count(outcomes, {result.id: result.status for result in results}, destinations, now)


def _count(
    outcomes: Sequence[AttemptOutcome],
    statuses: Mapping[UUID, str],
    destinations: Mapping[UUID, DestinationState],
    now: datetime,
) -> None:
    for outcome in outcomes:
        delivery, kind = outcome.delivery, destinations[outcome.delivery.destination_id].kind
        status = statuses.get(delivery.id)
        metrics.DELIVERY_ATTEMPTS.labels(kind, status or "stale").inc()
        metrics.DELIVERY_ATTEMPT_SECONDS.labels(kind).observe(outcome.receipt.duration_ms / 1000)
        if status == Status.SENT:
            metrics.DELIVERY_LATENCY.labels(kind).observe(max(0.0, (now - delivery.created_at).total_seconds()))


def hold_or_skip(destinations: Iterable[DestinationState], done: AfterCommit, *, now: datetime) -> None:
    """Holds the due deliveries of stopped destinations, and skips the due deliveries of disabled or deleted ones."""
    for destination in destinations:
        own = [destination.id]
        if cause := undeliverable_reason(destination):
            publish_changes(done, delivery_results.skip(own, cause, now=now, due_only=True))
        else:
            publish_changes(done, delivery_results.hold(own, now=now, longest=MAX_HELD, due_only=True))


def undeliverable_reason(destination: DestinationState) -> Unavailable | None:
    """Returns why a destination accepts no deliveries (deleted, disabled); `None` when it accepts them, even if stopped."""
    if destination.deleted:
        return Unavailable.DELETED
    return None if destination.enabled else Unavailable.DISABLED


def _result(outcome: AttemptOutcome, update: DestinationUpdate, now: datetime) -> AttemptResult:
    delivery, receipt = outcome.delivery, outcome.receipt
    is_stale = outcome.is_stale(update.destination)
    is_asked_twice = update.destination.kind in SERVICES and delivery.reason != TEST  # a test gets the result at once
    age = outcome.started_at - delivery.created_at if is_asked_twice else None
    jitter, last_cause = random.uniform(-1, 1), delivery.last_cause
    cause = next_step(receipt, delivery.attempt, update.refusals, jitter, age_at_service=age, last_cause=last_cause)
    if is_stale and (receipt.stops or isinstance(cause, Stop | GiveUp)):
        cause = Retry(timedelta(), receipt.reason)
    if not is_stale:
        update.refusals = refusals_after(receipt, update.refusals)
    if outcome.has_settings_of(update.destination):
        update.note(delivery, receipt)
    match cause:
        case Sent():
            update.resumes = update.resumes or (delivery.reason == TEST and not is_stale)
            update.has_sent = True
            return _attempt_result(outcome, update, Status.SENT, None)
        case GiveUp(reason):
            return _attempt_result(outcome, update, Status.FAILED, reason)
        case Stop(reason):
            update.stopped_reason = update.stopped_reason or reason
            return _pending_result(outcome, update, now, reason)
        case Retry(after, reason):
            return _pending_result(outcome, update, now + after, reason)


def _pending_result(outcome: AttemptOutcome, update: DestinationUpdate, due_at: datetime, reason: str) -> AttemptResult:
    """Returns the result of a delivery without success or final failure. It depends on the state of the destination."""
    if outcome.delivery.reason == TEST:
        return _attempt_result(outcome, update, Status.FAILED, reason)
    if obstacle := undeliverable_reason(update.destination):
        return _attempt_result(outcome, update, Status.SKIPPED, obstacle)
    if update.stopped_reason is not None:
        return _attempt_result(outcome, update, Status.HELD, "stopped", outcome.started_at + MAX_HELD)
    # A refusal of former settings is not the first of two that stop a service (`next_step`).
    cause = None if outcome.receipt.stops and outcome.is_stale(update.destination) else reason
    return _attempt_result(outcome, update, Status.RETRYING, cause, due_at)


def _attempt_result(
    outcome: AttemptOutcome,
    update: DestinationUpdate,
    status: Status,
    cause: str | None,
    due_at: datetime | None = None,
) -> AttemptResult:
    delivery, receipt = outcome.delivery, outcome.receipt
    update.has_changed = update.has_changed or status in (Status.SENT, Status.FAILED)
    return AttemptResult(
        id=delivery.id,
        attempt=delivery.attempt,
        status=status,
        due_at=due_at,
        cause=cause,
        status_code=receipt.status_code,
        duration_ms=receipt.duration_ms,
        error=None if status is Status.SENT else receipt.reason,
        excerpt=receipt.excerpt,
        at=outcome.started_at,
        requests=outcome.requests_text,
        note=outcome.note,
    )


def _watch_alerts(results: Sequence[AttemptResult], outcomes: Sequence[AttemptOutcome], done: AfterCommit) -> None:
    """Cancels the fallback checks of delivered alerts, and schedules checks of alerts that are no longer in transit."""
    statuses = {result.id: result.status for result in results}
    accepted = {
        outcome.delivery.notice_id
        for outcome in outcomes
        if statuses.get(outcome.delivery.id) == Status.SENT and outcome.delivery.reason in ALERTS
    }
    if accepted:
        timers.delete_unlocked(CHECK, accepted)
    ended = [id for id, status in statuses.items() if status not in (Status.SENT, Status.RETRYING)]
    if ended:
        recheck_alerts(ended, done)


def _schedule_retries(retried: Sequence[AttemptResult], done: AfterCommit) -> None:
    """Schedules one wake-up per second with retries, and defers the deliveries behind each retry until then."""
    if not retried:
        return
    delivery_results.defer_followers([result.id for result in retried])
    moments = {(result.due_at or result.at).replace(microsecond=0) + timedelta(seconds=1) for result in retried}
    for moment in sorted(moments):
        done.wake(QueueName.DELIVERY, moment)


def _advance_followers(results: Sequence[AttemptResult], now: datetime) -> None:
    """Makes the deliveries due that a retry had deferred. The retry can end early, for example after an edit."""
    ended = [result.id for result in results if result.due_at is None and result.attempt > 1]
    if ended:
        delivery_results.advance_followers(ended, now)


def _store_destination(update: DestinationUpdate, done: AfterCommit, now: datetime) -> None:
    """Updates a changed destination, and holds or releases its waiting deliveries."""
    destination = update.destination
    if update.has_sent and destination.kind in WITH_SUMMARIES:
        pauses.retry_summaries(destination.id, now)
    if update.pause is not None:
        pauses.rest(destination, update.pause, done, now=now, is_server_limit=update.is_server_limit)
    if update.resumes and destination.stopped_reason is not None:
        resume(destination, done, now=now)
    elif update.stops:
        log.warning("destination stopped", destination=ids.encode("dst", destination.id), reason=update.stopped_reason)
        Destination.update(
            rejections_in_a_row=update.refusals, stopped_at=now, stopped_reason=update.stopped_reason
        ).where(Destination.id == destination.id).execute()
        publish_changes(done, delivery_results.hold([destination.id], now=now, longest=MAX_HELD, due_only=False))
        if destination.kind == PHONE and update.stopped_reason in push.LOST:  # the subscription has ended for good
            Destination.update(sealed=None).where(Destination.id == destination.id).execute()
    elif update.refusals != destination.refusals:
        Destination.update(rejections_in_a_row=update.refusals).where(Destination.id == destination.id).execute()
    elif not (update.has_changed or update.pause):
        return
    done.publish_change("destination", destination.id, destination.workspace_id, rev=destination.rev)
