"""The causes of deliveries: the reason why a delivery waits, failed or is not sent (specification 9.5)."""

from __future__ import annotations

from enum import StrEnum

from inbox.domain.deliveries.delivery import FailureReason
from inbox.domain.deliveries.notices import Cause
from inbox.domain.deliveries.pages import ACKNOWLEDGED, NOTIFICATION_RULE
from inbox.domain.deliveries.paid_messages import DAILY_LIMIT
from inbox.domain.deliveries.quiet_hours import SkipCause
from inbox.domain.deliveries.storms import SUMMARY


class Unavailable(StrEnum):
    """The cause why a destination receives nothing, independent of time."""

    DELETED = "deleted"
    """A person deleted it."""

    DISABLED = str(Cause.DISABLED)
    """A person disabled it."""


CAUSES: tuple[str, ...] = tuple(
    dict.fromkeys(
        str(each)
        for each in (
            *(Cause.STOPPED, Cause.QUIET_HOURS, Cause.DIGEST, SUMMARY, NOTIFICATION_RULE, ACKNOWLEDGED, DAILY_LIMIT),
            *(*Unavailable, *SkipCause, *FailureReason),
        )
    )
)
"""The causes that are words. A failure with a status has `FAILURE_STATUS` as its cause."""
