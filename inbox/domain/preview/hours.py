"""A rule's hours in words, and what its clock shows (decision 0023)."""

from __future__ import annotations

from datetime import datetime

from inbox.domain.wallclock import to_local
from inbox.domain.windows import DAYS, Schedule, Window


def text(hours: Schedule) -> str:
    """All of its windows and its time zone: `mon tue 22:00-06:00, sun 00:00-00:00 Europe/Berlin`."""
    parts = [_window(each) for each in hours.windows] + [day.isoformat() for day in sorted(hours.holidays)]
    return f"{', '.join(parts)} {hours.timezone.key}".strip()


def clock(hours: Schedule, at: datetime) -> str:
    """What it shows by then: `sun 02:30`."""
    wall = to_local(at, hours.timezone)
    return f"{DAYS[wall.weekday()]} {wall:%H:%M}"


def _window(window: Window) -> str:
    return f"{' '.join(DAYS[day] for day in sorted(window.days))} {window.start:%H:%M}-{window.end:%H:%M}"
