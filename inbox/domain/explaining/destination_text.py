"""The health of a destination in one word and one sentence (specification 9.3)."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from inbox.domain.deliveries.delivery import REFUSALS_TO_STOP
from inbox.domain.explaining.formatting import instant, receiver_text

SHORTEST_PAUSE = timedelta(minutes=1)
"""A shorter time until the next call is not reported, because a service's pace can cause it."""


class HealthState(StrEnum):
    """The health of a destination."""

    WORKING = "working"
    """The last delivery was accepted."""

    FAILING = "failing"
    """The last delivery failed for good, and the destination is still called."""

    RATE_LIMITED = "rate_limited"
    """The service accepts no message for some time: it answered 429, for example. Deliveries wait."""

    RETRYING = "retrying"
    """A delivery failed three times, or for two minutes, and is tried again. Deliveries wait."""

    STOPPED = "stopped"
    """Its endpoint answered that the destination is wrong. Deliveries wait."""

    DISABLED = "disabled"
    """A person disabled it."""

    NEVER_USED = "never_used"
    """Nothing was sent yet."""


class Health(NamedTuple):
    """The health, its sentence, and the time at which it began, if known."""

    state: HealthState
    text: str
    since: datetime | None
    rejections_in_a_row: int
    rejections_allowed: int = REFUSALS_TO_STOP


class LastOutcome(NamedTuple):
    """The status of the last settled delivery (`none`, `sent` or `failed`), its time, and its failure."""

    status: str
    at: datetime | None
    reason: str | None


class Failing(NamedTuple):
    """The deliveries that failed and are tried again: the oldest, the most attempts, and their number."""

    since: datetime
    attempts: int
    deliveries: int


class Obstacle(NamedTuple):
    """The stored reason why messages do not reach a destination."""

    enabled: bool = True
    stopped_at: datetime | None = None
    stopped_reason: str | None = None
    next_call_at: datetime | None = None
    failing: Failing | None = None


def health(obstacle: Obstacle, *, rejections: int, last: LastOutcome, now: datetime) -> Health:
    """Returns the health of a destination with these properties."""
    if not obstacle.enabled:
        return Health(HealthState.DISABLED, "Disabled: nothing is sent.", None, rejections)
    if obstacle.stopped_at is not None:
        text = f"Stopped: {receiver_text(obstacle.stopped_reason)}. Fix or test the destination to resume."
        return Health(HealthState.STOPPED, text, obstacle.stopped_at, rejections)
    if obstacle.next_call_at is not None and obstacle.next_call_at >= now + SHORTEST_PAUSE:
        until = instant(obstacle.next_call_at)
        return Health(
            HealthState.RATE_LIMITED, f"The service limits calls. Messages wait until {until}.", None, rejections
        )
    if obstacle.failing is not None:
        since, attempts, deliveries = obstacle.failing
        waiting = "1 notification is waiting" if deliveries == 1 else f"{deliveries:,} notifications are waiting"
        tries = "1 failed attempt" if attempts == 1 else f"{attempts} failed attempts"
        text = f"Retrying: {tries} since {instant(since)}; {waiting}."
        return Health(HealthState.RETRYING, text, since, rejections)
    if last.status == "none":
        return Health(HealthState.NEVER_USED, "Nothing was sent yet.", None, rejections)
    if last.status == "sent":
        return Health(HealthState.WORKING, "The last delivery was accepted.", last.at, rejections)
    row = f" Rejections in a row: {rejections} of {REFUSALS_TO_STOP}." if rejections else ""
    return Health(
        HealthState.FAILING, f"The last delivery failed: {receiver_text(last.reason)}.{row}", last.at, rejections
    )
