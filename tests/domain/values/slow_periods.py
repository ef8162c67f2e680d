"""The definition of the periods of a recurring silence, with dateutil: slow, and an oracle for `active_periods`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import islice, takewhile
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.values.recurrence import MAX_OCCURRENCES
from inbox.domain.values.wallclock import merge_periods, to_local, to_utc


def occurrences(rule: str, timezone: ZoneInfo, starts_at: datetime, ends_at: datetime) -> list[datetime]:
    """The starts of all occurrences, in order."""
    first, last = to_local(starts_at, timezone), to_local(ends_at, timezone)
    walls = takewhile(lambda day: day <= last, islice(rrulestr(rule, dtstart=first), MAX_OCCURRENCES))
    starts = (max(to_utc(wall, timezone), starts_at) for wall in walls)
    return [start for start in starts if start < ends_at]


def periods(starts_at: datetime, ends_at: datetime, recurrence: Mapping[str, Any]) -> ActivePeriods:
    """All periods, joined."""
    duration = timedelta(minutes=recurrence["durationMinutes"])
    found = occurrences(recurrence["rrule"], ZoneInfo(recurrence["timezone"]), starts_at, ends_at)
    return ActivePeriods(merge_periods((start, min(start + duration, ends_at)) for start in found))
