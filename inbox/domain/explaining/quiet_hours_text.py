"""Computes whether the quiet hours of a workspace cover a time, and a sentence about it (specification 8.5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from inbox.domain.explaining.formatting import instant
from inbox.domain.values.wallclock import Period
from inbox.domain.values.windows import QuietHours


@dataclass(frozen=True, slots=True)
class QuietHoursStatus:
    """The quiet hours at a time. `until` is their end, and `next_at` the next start after it."""

    now: bool
    until: datetime | None
    next_at: datetime | None
    text: str


MAX_UPCOMING = 7


def upcoming(quiet: QuietHours, at: datetime) -> list[Period]:
    """Returns the next quiet hours after the present ones at `at`, at most seven, within a year."""
    found: list[Period] = []
    moment = at
    while quiet.enabled and len(found) < MAX_UPCOMING:
        start = quiet.schedule.next_start(moment)
        end = None if start is None else quiet.until(start)
        if start is None or end is None:
            break
        found.append((start, end))
        moment = start
    return found


def status(quiet: QuietHours, at: datetime) -> QuietHoursStatus:
    """Returns the quiet hours at `at`."""
    if quiet.error is not None:
        return QuietHoursStatus(False, None, None, "Quiet hours are off, because their settings cannot be read here.")
    if not quiet.enabled:
        return QuietHoursStatus(False, None, None, "Quiet hours are off.")
    until = quiet.until(at)
    next_at = quiet.schedule.next_start(at, until=until)
    if until is not None:
        text = f"Quiet hours until {instant(until)}."
    elif next_at is not None:
        text = f"The next quiet hours begin at {instant(next_at)}."
    else:
        text = "No quiet hours are planned."
    return QuietHoursStatus(until is not None, until, next_at, text)
