"""The health of a destination in one word and one sentence (specification 9.3)."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from inbox.domain.delivery import REFUSALS_TO_STOP
from inbox.domain.explanation.formatting import receiver_text


class HealthState(StrEnum):
    """The health of a destination."""

    WORKING = "working"
    """The last delivery was accepted."""

    FAILING = "failing"
    """The last delivery failed for good, and the destination is still called."""

    STOPPED = "stopped"
    """Its endpoint answered that the destination is wrong. Deliveries wait."""

    DISABLED = "disabled"
    """A person switched it off."""

    NEVER_USED = "never_used"
    """Nothing was sent yet."""


class Health(NamedTuple):
    """The health, its sentence, and its beginning as far as it is known."""

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


def health(
    *, enabled: bool, stopped_at: datetime | None, stopped_reason: str | None, rejections: int, last: LastOutcome
) -> Health:
    """The health of a destination with these properties."""
    if not enabled:
        return Health(HealthState.DISABLED, "Disabled: nothing is sent.", None, rejections)
    if stopped_at is not None:
        text = f"Stopped: {receiver_text(stopped_reason)}. Fix or test the destination to resume."
        return Health(HealthState.STOPPED, text, stopped_at, rejections)
    if last.status == "none":
        return Health(HealthState.NEVER_USED, "Nothing was sent yet.", None, rejections)
    if last.status == "sent":
        return Health(HealthState.WORKING, "The last delivery was accepted.", last.at, rejections)
    row = f" Rejections in a row: {rejections} of {REFUSALS_TO_STOP}." if rejections else ""
    return Health(
        HealthState.FAILING, f"The last delivery failed: {receiver_text(last.reason)}.{row}", last.at, rejections
    )
