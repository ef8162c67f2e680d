"""Weekly windows in local time, and the quiet hours made of them (specification 8.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from inbox.domain.wallclock import Period, merge_periods, to_local, to_utc

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SEARCH_LIMIT = timedelta(days=366)
"""The limit of the search for the end or the next start of a schedule."""

_A_DAY = timedelta(days=1)
_SOME_MONDAY = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Window:
    """A window from `start` to `end` in local time, on some days of the week (0 is Monday).

    The window belongs to the day on which it starts. An end that is not later than the start is on the next day. So
    equal times make a whole day.
    """

    days: frozenset[int]
    start: time
    end: time

    def on(self, day: date, zone: ZoneInfo) -> Period:
        """The window that starts on `day`; empty when the change of clocks skips it completely."""
        last = day if self.start < self.end else day + _A_DAY
        return to_utc(datetime.combine(day, self.start), zone), to_utc(datetime.combine(last, self.end), zone)


@dataclass(frozen=True, slots=True)
class Schedule:
    """Windows in a time zone, and holidays, which are covered from midnight to midnight.

    A window begins at the first moment at which the clock shows its start or later. It ends at the first moment at
    which the clock shows its end or later. When clocks skip its start, the window begins at the change. When a time
    occurs twice, the first occurrence counts.
    """

    timezone: ZoneInfo
    windows: tuple[Window, ...]
    holidays: frozenset[date] = frozenset()

    @classmethod
    def of(cls, stored: Mapping[str, Any], timezone: str) -> Schedule:
        """The schedule of `{timezone, windows: [{days, start, end}], holidays?}` in the shape of the API. `timezone`
        replaces null."""
        return cls(
            timezone=ZoneInfo(stored.get("timezone") or timezone),
            windows=tuple(_window(each) for each in stored.get("windows") or ()),
            holidays=frozenset(date.fromisoformat(each) for each in stored.get("holidays") or ()),
        )

    def covers(self, at: datetime) -> bool:
        """Whether this instant is in a window or on a holiday."""
        return any(start <= at < end for start, end in self._periods_around(at))

    def until(self, at: datetime) -> datetime | None:
        """The end of the period that covers `at`, with adjacent windows and holidays joined; None when nothing covers
        it.

        An end more than `SEARCH_LIMIT` ahead is replaced by a moment that far ahead.
        """
        end = at
        while end < at + SEARCH_LIMIT:
            later = next((e for start, e in self._periods_around(end) if start <= end < e), None)
            if later is None:
                break
            end = later
        return None if end == at else end

    def next_start(self, at: datetime) -> datetime | None:
        """The next start after `at` and after the end of the period that covers `at`.

        None when there is none within `SEARCH_LIMIT`.
        """
        period_end = self.until(at) or at
        day = to_local(period_end, self.timezone).date()
        while (self.windows or self.holidays) and period_end < at + SEARCH_LIMIT and day <= (at + SEARCH_LIMIT).date():
            starts = [start for start, _ in _periods(self, day) if start > period_end]
            if starts:
                return min(starts)
            day += _A_DAY
        return None

    def is_endless(self) -> bool:
        """Whether the windows cover every minute of the week."""
        without_holidays = replace(self, timezone=ZoneInfo("UTC"), holidays=frozenset())
        return (without_holidays.until(_SOME_MONDAY) or _SOME_MONDAY) > _SOME_MONDAY + 8 * _A_DAY

    def _periods_around(self, at: datetime) -> Iterator[Period]:
        today = to_local(at, self.timezone).date()
        yield from merge_periods(piece for days in (-1, 0, 1) for piece in _periods(self, today + days * _A_DAY))


@dataclass(frozen=True, slots=True)
class QuietHours:
    """The quiet hours of a workspace. Unless `enabled`, no time is quiet. `error` says why the schedule is invalid."""

    enabled: bool
    schedule: Schedule
    error: str | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any], timezone: str) -> QuietHours:
        """The quiet hours of the workspace's effective setting `quietHours`. The workspace's time zone is the default.

        With a time zone unknown on this machine no time is quiet: a notice at night is better than none.
        """
        try:
            return cls(bool(stored.get("enabled")), Schedule.of(stored, timezone))
        except (LookupError, ValueError) as fault:
            return cls(False, Schedule(ZoneInfo("UTC"), ()), str(fault))

    def until(self, at: datetime) -> datetime | None:
        """The end of the quiet hours that cover `at`; None when there are none."""
        return self.schedule.until(at) if self.enabled else None


@lru_cache(maxsize=8192)
def _periods(schedule: Schedule, day: date) -> tuple[Period, ...]:
    """The periods that start on this day."""
    pieces = [window.on(day, schedule.timezone) for window in schedule.windows if day.weekday() in window.days]
    if day in schedule.holidays:
        pieces.append(Window(frozenset(), time(), time()).on(day, schedule.timezone))
    return merge_periods(pieces)


def _window(stored: Mapping[str, Any]) -> Window:
    days = frozenset(DAYS.index(day) for day in stored["days"])
    return Window(days, time.fromisoformat(stored["start"]), time.fromisoformat(stored["end"]))
