"""Messages to people that cost money: at most one a minute, and some a day (specification 23.19)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

PACE = timedelta(minutes=1)
"""The least time between two messages of a channel to one person."""

DAILY_LIMIT = "daily_limit"
"""The cause of a delivery that was skipped, because the person or the workspace had the messages of the day."""


class Channel(StrEnum):
    """What is counted together."""

    SMS = "sms"
    """Text messages."""

    CALL = "call"
    """Voice calls."""


class Limit(StrEnum):
    """Which limit of a day is reached."""

    PERSON = "person"
    WORKSPACE = "workspace"


class DailyLimits(NamedTuple):
    """The messages of a channel in a day."""

    per_person: int
    per_workspace: int


def limits_of(daily_messages: Mapping[str, int], channel: Channel) -> DailyLimits:
    """Returns the limits of a channel, from the settings of a workspace."""
    name = "sms" if channel is Channel.SMS else "calls"
    return DailyLimits(daily_messages[f"{name}PerPerson"], daily_messages[f"{name}PerWorkspace"])


def reached(limits: DailyLimits, by_person: int, by_workspace: int) -> Limit | None:
    """Returns the limit that these counts of the day reach."""
    if by_person >= limits.per_person:
        return Limit.PERSON
    return Limit.WORKSPACE if by_workspace >= limits.per_workspace else None


def pause_until(last_at: datetime | None, now: datetime) -> datetime | None:
    """Returns when the next message may leave; None: now. A time ahead comes from a clock that ran fast."""
    return last_at + PACE if last_at is not None and now - PACE < last_at <= now + PACE else None
