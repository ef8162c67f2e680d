"""Durations and ordinal numbers in sentences."""

from __future__ import annotations

from datetime import timedelta


def duration_text(of: timedelta) -> str:
    """Returns a duration: `3 minutes`, `1 minute`, `90 seconds`. Whole minutes are given in minutes."""
    seconds = int(of.total_seconds())
    number, unit = (seconds // 60, "minute") if seconds % 60 == 0 else (seconds, "second")
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def rough_duration_text(of: timedelta) -> str:
    """Returns a duration in its largest unit of which it has two: `9 days`, `47 hours`, `90 minutes`."""
    minutes = int(of.total_seconds()) // 60
    for size, unit in ((24 * 60, "days"), (60, "hours")):
        if minutes >= 2 * size:
            return f"{minutes // size} {unit}"
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


def ordinal(number: int) -> str:
    """Returns an ordinal number: `third`; above ten in figures: `12th`."""
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{last}"


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
