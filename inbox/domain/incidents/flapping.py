"""Flapping: an incident that opens and resolves repeatedly causes one notice, then none until it is stable.

Specification 3.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

WINDOW = timedelta(minutes=30)
"""The period in which changes are counted. After the same period without a change the incident is stable."""

MAX_CHANGES = 5
"""The number of changes between open and resolved within the window at which flapping begins."""


class StateChanges(NamedTuple):
    """The latest changes between open and resolved. `flapping` is the new flag; `begins` is set when the last change
    starts it."""

    flips: tuple[datetime, ...]
    flapping: bool
    begins: bool = False


def record_change(flips: Sequence[datetime], at: datetime, *, flapping: bool) -> StateChanges:
    """Adds one change at `at`. A flapping flag that only waits for the timer that clears it no longer counts."""
    if not flips or at - flips[-1] > WINDOW:
        return StateChanges((at,), False)
    moment = max(at, flips[-1])
    oldest = moment - WINDOW
    recent = (*[change for change in flips if change >= oldest], moment)[-MAX_CHANGES:]
    was_flapping = flapping and not is_over(flips, moment)
    now = was_flapping or len(recent) == MAX_CHANGES
    return StateChanges(recent, now, now and not was_flapping)


def is_over(flips: Sequence[datetime], now: datetime) -> bool:
    """Returns whether flapping is over: the incident has not changed for half an hour."""
    return not flips or now >= stable_at(flips)


def stable_at(flips: Sequence[datetime]) -> datetime:
    """Returns the time at which flapping ends if no further change follows."""
    return flips[-1] + WINDOW
