"""The causes of deliveries: why one waits, failed, or is not sent (specification 9.5)."""

from __future__ import annotations

from enum import StrEnum

from inbox.domain.delivery import FailureReason
from inbox.domain.notices import Cause
from inbox.domain.quiet_hours import SkipCause


class Unavailable(StrEnum):
    """Why a destination receives nothing, however long a delivery waits."""

    DELETED = "deleted"
    """A person deleted it."""

    DISABLED = str(Cause.DISABLED)
    """A person switched it off."""


CAUSES: tuple[str, ...] = tuple(
    dict.fromkeys(str(each) for each in (Cause.STOPPED, Cause.QUIET_HOURS, *Unavailable, *SkipCause, *FailureReason))
)
"""The causes that are words. A failure that has a status has that status as its cause: `FAILURE_STATUS`."""
