"""The text of a rule's active hours, and the local time in their time zone (decision 0023)."""

from __future__ import annotations

from datetime import datetime

from inbox.domain.wallclock import to_local
from inbox.domain.windows import DAYS, Schedule, Window


def text(hours: Schedule) -> str:
    """All windows, holidays and the time zone: `mon tue 22:00-06:00, sun 00:00-00:00 Europe/Berlin`."""
    parts = [_window(each) for each in hours.windows] + [day.isoformat() for day in sorted(hours.holidays)]
    return f"{', '.join(parts)} {hours.timezone.key}".strip()


def clock(hours: Schedule, at: datetime) -> str:
    """The local weekday and time: `sun 02:30`."""
    wall = to_local(at, hours.timezone)
    return f"{DAYS[wall.weekday()]} {wall:%H:%M}"


def _window(window: Window) -> str:
    return f"{' '.join(DAYS[day] for day in sorted(window.days))} {window.start:%H:%M}-{window.end:%H:%M}"
