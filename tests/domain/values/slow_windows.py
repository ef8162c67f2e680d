"""The definition of schedules, day by day: slow, and an oracle for `inbox.domain.values.windows`."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from inbox.domain.values.wallclock import Period, merge_periods, to_local, to_utc
from inbox.domain.values.windows import SEARCH_LIMIT, Schedule, Window

A_DAY = timedelta(days=1)
MIDNIGHT_TO_MIDNIGHT = Window(frozenset(range(7)), time(), time())


def until(schedule: Schedule, at: datetime) -> datetime | None:
    """The end of all periods that follow without a gap, at most `SEARCH_LIMIT` ahead."""
    end = at
    while end < at + SEARCH_LIMIT:
        later = next((stop for start, stop in _around(schedule, end) if start <= end < stop), None)
        if later is None:
            break
        end = later
    return None if end == at else min(end, at + SEARCH_LIMIT)


def next_start(schedule: Schedule, at: datetime) -> datetime | None:
    """The first start of a period after the period that covers `at`, at most `SEARCH_LIMIT` ahead."""
    period_end = until(schedule, at) or at
    day = to_local(period_end, schedule.timezone).date()
    while day <= to_local(at + SEARCH_LIMIT, schedule.timezone).date():
        starts = [start for start, _ in _on(schedule, day) if period_end < start <= at + SEARCH_LIMIT]
        if starts:
            return min(starts)
        day += A_DAY
    return None


def covers(schedule: Schedule, at: datetime) -> bool:
    """Whether a period of the day, of the day before or of the day after contains `at`."""
    return any(start <= at < stop for start, stop in _around(schedule, at))


def _around(schedule: Schedule, at: datetime) -> tuple[Period, ...]:
    today = to_local(at, schedule.timezone).date()
    return merge_periods(piece for days in (-1, 0, 1) for piece in _on(schedule, today + days * A_DAY))


def _on(schedule: Schedule, day: date) -> tuple[Period, ...]:
    """The periods that start on this day."""
    holidays = (MIDNIGHT_TO_MIDNIGHT,) if day in schedule.holidays else ()
    return merge_periods(
        _period(window, day, schedule) for window in (*schedule.windows, *holidays) if day.weekday() in window.days
    )


def _period(window: Window, day: date, schedule: Schedule) -> Period:
    last = day if window.start < window.end else day + A_DAY
    first, end = datetime.combine(day, window.start), datetime.combine(last, window.end)
    return to_utc(first, schedule.timezone), to_utc(end, schedule.timezone)
