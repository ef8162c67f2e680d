"""Whether anybody could be told of an alarm, from what has become of its deliveries so far (specification 9.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from inbox.domain.delivery import Status
from inbox.domain.moves import Reason
from inbox.domain.notices import UPDATES, FallbackReason
from inbox.domain.quiet import Untold
from inbox.domain.severity import Severity

PATIENCE = timedelta(seconds=120)
"""For how long after the first attempt a critical alarm may have been taken by nobody."""

LOOK_AGAIN = timedelta(seconds=30)
"""How soon an alarm is looked at again of which no attempt was made yet."""

ALARMS = frozenset(Reason) - UPDATES - {Reason.FALLBACK, Reason.INFORMATIONAL}
"""What somebody must be told: not updates, not what has no incident, and never a fallback itself."""

ALIVE = frozenset({Status.PENDING, Status.SENDING, Status.RETRYING})


@dataclass(frozen=True, slots=True)
class Way:
    """A delivery of the alarm: where it stands, and the `cause` where it is not on its way."""

    status: str
    cause: str | None = None

    @property
    def waits_for_morning(self) -> bool:
        """Whether quiet hours hold it."""
        return self.status == Status.HELD and self.cause == "quiet_hours"


def verdict(
    ways: Sequence[Way], severity: Severity, first_attempt: datetime | None, now: datetime
) -> FallbackReason | datetime | None:
    """Why nobody could be told of the alarm; when that is to be asked again; None: somebody was told, or will be."""
    if any(way.status == Status.SENT or way.waits_for_morning or way.cause in set(Untold) for way in ways):
        return None
    if not any(way.status in ALIVE for way in ways):
        return _hopeless(ways)
    if severity is not Severity.CRITICAL:
        return None
    if first_attempt is None:
        return now + LOOK_AGAIN
    return FallbackReason.UNDELIVERED if now >= first_attempt + PATIENCE else first_attempt + PATIENCE


def _hopeless(ways: Sequence[Way]) -> FallbackReason:
    statuses = {way.status for way in ways}
    if Status.FAILED in statuses:
        return FallbackReason.RETRIES_EXHAUSTED
    return FallbackReason.ALL_STOPPED if statuses & {Status.HELD, Status.EXPIRED} else FallbackReason.NO_DESTINATION
