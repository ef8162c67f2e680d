"""Restrictions of turns that last up to a week, as windows of days (specification 22.12)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import time

from inbox.domain.values.windows import Window

DAY, WEEK = 1_440, 10_080
"""Minutes of a day and of a week."""

Span = tuple[int, int]
"""The first minute of a span since Monday 00:00, and its length in minutes."""


def windows_of(spans: Iterable[Span]) -> tuple[Window, ...]:
    """Returns windows that cover the same local times. A span over midnight has a window for each whole day."""
    days: dict[tuple[int, int], set[int]] = {}
    for start, length in spans:
        for day, begins, ends in _pieces(start, length):
            days.setdefault((begins, ends), set()).add(day)
    return tuple(Window(frozenset(found), _time(begins), _time(ends)) for (begins, ends), found in sorted(days.items()))


def covers_week(spans: Iterable[Span]) -> bool:
    """Returns whether one of the spans lasts for the whole week, so that it restricts nothing."""
    return any(length >= WEEK for _, length in spans)


def daily(start: int, end: int) -> list[Span]:
    """Returns the spans of each day between two minutes of the day. Equal ones make whole days."""
    length = (end - start) % DAY or DAY
    return [(day * DAY + start, length) for day in range(7)]


def weekly(start: int, end: int) -> Span:
    """Returns the span between two minutes of the week. Equal ones make the whole week."""
    return start, (end - start) % WEEK or WEEK


def _pieces(start: int, length: int) -> Iterable[tuple[int, int, int]]:
    """Yields day, start and end of each window. A span of at most a day is one window, also over midnight."""
    day, begins = divmod(start % WEEK, DAY)
    if length <= DAY:
        yield day, begins, (begins + length) % DAY
        return
    left = min(length, WEEK)
    while left > 0:
        piece = min(DAY - begins, left)
        yield day, begins, (begins + piece) % DAY
        day, begins, left = (day + 1) % 7, 0, left - piece


def _time(minute: int) -> time:
    return time(minute // 60, minute % 60)
