"""How long a paired device's tokens last, and what a refresh token means when it is shown (specification 11.10)."""

from datetime import datetime, timedelta
from enum import StrEnum

ACCESS = timedelta(hours=1)
REFRESH = timedelta(days=90)
"""Since it was issued; each rotation begins anew, so a device that is in use stays paired."""

RETRY_WINDOW = timedelta(seconds=60)
"""For how long a replaced refresh token may be shown again, by a device whose answer was lost."""


class RefreshTokenUse(StrEnum):
    """What it means that a refresh token is shown."""

    NEWEST = "newest"
    LOST_ANSWER = "lostAnswer"
    REUSED = "reused"
    """Two hold it: nobody can tell which of them is the device, so neither remains one."""


def classify(replaced_at: datetime | None, now: datetime) -> RefreshTokenUse:
    """What a token means that was replaced at `replaced_at`; None when no newer one was issued."""
    if replaced_at is None:
        return RefreshTokenUse.NEWEST
    return RefreshTokenUse.LOST_ANSWER if now - replaced_at <= RETRY_WINDOW else RefreshTokenUse.REUSED
