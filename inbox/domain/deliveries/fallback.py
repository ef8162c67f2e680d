"""Decides whether an alert needs its fallback: whether its deliveries could notify any destination (specification 9.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from inbox.domain.deliveries.delivery import Status
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import UPDATES
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

GRACE = timedelta(seconds=120)
"""The time after the first attempt within which a receiver must accept a critical alert."""

RECHECK_INTERVAL = timedelta(seconds=30)
"""The delay until the next check of an alert without an attempt."""

ALERTS = frozenset(Reason) - UPDATES - {Reason.FALLBACK, Reason.INFORMATIONAL}
"""The reasons of alerts that a receiver must accept. Updates, notices without an incident and fallbacks are excluded."""

IN_PROGRESS = frozenset({Status.PENDING, Status.SENDING, Status.RETRYING})


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """The status of a delivery of the alert, and the `cause` when it is not in progress.

    `is_blocked`: its destination retries an earlier notice of the incident, or pauses until after the next check.
    """

    status: str
    cause: str | None = None
    is_blocked: bool = False

    @property
    def is_deferred(self) -> bool:
        """Returns whether quiet hours hold the delivery, or it waits for a digest."""
        return self.status == Status.HELD and self.cause in ("quiet_hours", "digest")


def watched_since(
    deliveries: Sequence[DeliveryState], first_attempt: datetime | None, created_at: datetime
) -> datetime | None:
    """Returns the time of the first attempt, from which a receiver must accept a critical alert.

    Returns None if an attempt is due soon. An alert that is blocked at each destination may have no attempt for hours.
    Its time is the alert's creation.
    """
    open_ones = [delivery for delivery in deliveries if delivery.status in IN_PROGRESS]
    is_blocked = bool(open_ones) and all(delivery.is_blocked for delivery in open_ones)
    return created_at if first_attempt is None and is_blocked else first_attempt


def fallback_reason(
    deliveries: Sequence[DeliveryState], severity: Severity, since: datetime | None, now: datetime
) -> FallbackReason | datetime | None:
    """Returns the reason for a fallback, or the time of the next check. None: a destination was notified, or will be.

    `since` is the result of `watched_since`.
    """
    if any(
        delivery.status in (Status.SENT, Status.GATHERED) or delivery.is_deferred or delivery.cause in set(SkipCause)
        for delivery in deliveries
    ):
        return None
    if not any(delivery.status in IN_PROGRESS for delivery in deliveries):
        return _failure_reason(deliveries)
    if severity is not Severity.CRITICAL:
        return None
    if since is None:
        return now + RECHECK_INTERVAL
    return FallbackReason.UNDELIVERED if now >= since + GRACE else since + GRACE


def _failure_reason(deliveries: Sequence[DeliveryState]) -> FallbackReason:
    statuses = {delivery.status for delivery in deliveries}
    if Status.FAILED in statuses:
        return FallbackReason.RETRIES_EXHAUSTED
    return FallbackReason.ALL_STOPPED if statuses & {Status.HELD, Status.EXPIRED} else FallbackReason.NO_DESTINATION
