"""Lifetimes of a paired device's tokens, and the effect of a presented refresh token (specification 11.10)."""

from datetime import datetime, timedelta
from enum import StrEnum

ACCESS = timedelta(hours=1)
REFRESH = timedelta(days=90)
"""The lifetime of a token from its issue. Each rotation restarts it, so a device in use stays paired."""

HAND_OFF = timedelta(minutes=10)
"""The time in which the installed app takes over a device that a browser paired."""

RETRY_WINDOW = timedelta(seconds=60)
"""The time in which a device that lost a response may present the replaced refresh token again."""


class RefreshTokenUse(StrEnum):
    """The meaning of a presented refresh token."""

    NEWEST = "newest"
    LOST_RESPONSE = "lostAnswer"
    REUSED = "reused"
    """Two clients have the token. The service cannot know which one is the device, so neither remains paired."""


def classify(replaced_at: datetime | None, now: datetime) -> RefreshTokenUse:
    """Returns the meaning of a token that was replaced at `replaced_at`; None when no newer token was issued."""
    if replaced_at is None:
        return RefreshTokenUse.NEWEST
    return RefreshTokenUse.LOST_RESPONSE if now - replaced_at <= RETRY_WINDOW else RefreshTokenUse.REUSED
