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

SLOW_WINDOW, SLOW_CHANGES, SLOW_REST = timedelta(hours=3), 6, timedelta(hours=1)
"""Slow flapping: the longer period, the number of changes in it, and the time without a change that ends it."""


class StateChanges(NamedTuple):
    """The latest changes between open and resolved. `flapping` is the new flag; `begins` is set when the last change
    starts it."""

    flips: tuple[datetime, ...]
    flapping: bool
    begins: bool = False


def record_change(flips: Sequence[datetime], at: datetime, *, flapping: bool) -> StateChanges:
    """Adds one change at `at`. After flapping, changes are counted anew, also if the timer that clears the flag waits."""
    if flapping and is_over(flips, at):
        flips, flapping = (), False
    moment = max((at, *flips[-1:]))
    recent = (*[change for change in flips if change >= moment - SLOW_WINDOW], moment)[-SLOW_CHANGES:]
    now = flapping or _is_fast(recent) or len(recent) == SLOW_CHANGES
    return StateChanges(recent, now, now and not flapping)


def is_over(flips: Sequence[datetime], now: datetime) -> bool:
    """Returns whether flapping is over: the incident has not changed for half an hour, or an hour if it flaps slowly."""
    return not flips or now >= stable_at(flips)


def stable_at(flips: Sequence[datetime]) -> datetime:
    """Returns the time at which flapping ends if no further change follows."""
    return flips[-1] + (SLOW_REST if len(flips) == SLOW_CHANGES and not _is_fast(flips) else WINDOW)


def _is_fast(flips: Sequence[datetime]) -> bool:
    """Returns whether enough of these changes lie within the shorter period before the last one."""
    return sum(flips[-1] - change <= WINDOW for change in flips) >= MAX_CHANGES
