"""Flapping: what keeps opening and resolving is said once to do so, and then left in peace until it rests.

Specification 3.7.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

WINDOW = timedelta(minutes=30)
"""Within so long the moves are counted, and after so long without one it rests."""

MAX_CHANGES = 5
"""The move between open and resolved that is one too many."""


class StateChanges(NamedTuple):
    """The latest moves between open and resolved, whether they are flapping, and whether that begins with the last."""

    flips: tuple[datetime, ...]
    flapping: bool
    begins: bool = False


def record_change(flips: Sequence[datetime], at: datetime, *, flapping: bool) -> StateChanges:
    """One more move at `at`; a flag that only waits for its clock to take it back does not count any more."""
    if not flips or at - flips[-1] > WINDOW:
        return StateChanges((at,), False)
    moment = max(at, flips[-1])
    oldest = moment - WINDOW
    recent = (*[flip for flip in flips if flip >= oldest], moment)[-MAX_CHANGES:]
    was = flapping and not is_over(flips, moment)
    now = was or len(recent) == MAX_CHANGES
    return StateChanges(recent, now, now and not was)


def is_over(flips: Sequence[datetime], now: datetime) -> bool:
    """Whether what flapped rests: it has not moved for half an hour."""
    return not flips or now >= stable_at(flips)


def stable_at(flips: Sequence[datetime]) -> datetime:
    """When what flaps rests, if it does not move again."""
    return flips[-1] + WINDOW
