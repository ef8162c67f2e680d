"""Whether anybody could be told of an alarm, from what has become of its deliveries so far (specification 9.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from inbox.domain.delivery import Status
from inbox.domain.notices import UPDATES, FallbackReason
from inbox.domain.quiet_hours import SkipCause
from inbox.domain.severity import Severity
from inbox.domain.state_machine import Reason

GRACE = timedelta(seconds=120)
"""For how long after the first attempt a critical alarm may have been taken by nobody."""

RECHECK_INTERVAL = timedelta(seconds=30)
"""How soon an alarm is looked at again of which no attempt was made yet."""

ALARMS = frozenset(Reason) - UPDATES - {Reason.FALLBACK, Reason.INFORMATIONAL}
"""What somebody must be told: not updates, not what has no incident, and never a fallback itself."""

IN_PROGRESS = frozenset({Status.PENDING, Status.SENDING, Status.RETRYING})


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """A delivery of the alarm: where it stands, and the `cause` where it is not on its way."""

    status: str
    cause: str | None = None

    @property
    def waits_for_morning(self) -> bool:
        """Whether quiet hours hold it."""
        return self.status == Status.HELD and self.cause == "quiet_hours"


def fallback_reason(
    deliveries: Sequence[DeliveryState], severity: Severity, first_attempt: datetime | None, now: datetime
) -> FallbackReason | datetime | None:
    """Why nobody could be told of the alarm; when that is to be asked again; None: somebody was told, or will be."""
    if any(
        delivery.status == Status.SENT or delivery.waits_for_morning or delivery.cause in set(SkipCause)
        for delivery in deliveries
    ):
        return None
    if not any(way.status in IN_PROGRESS for way in deliveries):
        return _failure_reason(deliveries)
    if severity is not Severity.CRITICAL:
        return None
    if first_attempt is None:
        return now + RECHECK_INTERVAL
    return FallbackReason.UNDELIVERED if now >= first_attempt + GRACE else first_attempt + GRACE


def _failure_reason(deliveries: Sequence[DeliveryState]) -> FallbackReason:
    statuses = {delivery.status for delivery in deliveries}
    if Status.FAILED in statuses:
        return FallbackReason.RETRIES_EXHAUSTED
    return FallbackReason.ALL_STOPPED if statuses & {Status.HELD, Status.EXPIRED} else FallbackReason.NO_DESTINATION
