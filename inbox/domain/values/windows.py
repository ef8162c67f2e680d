"""Weekly windows in local time, and the quiet hours made of them (specification 8.5)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, Generic, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from inbox.domain.values.wallclock import Period, latest_local, to_utc

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SEARCH_LIMIT = timedelta(days=366)
"""The limit of the search for the end or the next start of a schedule."""

_A_DAY = timedelta(days=1)
_A_WEEK = timedelta(days=7)

Moment = TypeVar("Moment", datetime, timedelta)


@dataclass(frozen=True, slots=True)
class Window:
    """A window from `start` to `end` in local time, on some days of the week (0 is Monday).

    The window belongs to the day on which it starts. An end that is not later than the start is on the next day. So
    equal times make a whole day.
    """

    days: frozenset[int]
    start: time
    end: time

    def spans(self) -> Iterator[tuple[timedelta, timedelta]]:
        """Yields the window's spans of a week, as times since midnight of Monday."""
        start, end = _since_midnight(self.start), _since_midnight(self.end)
        for day in self.days:
            yield day * _A_DAY + start, (day if start < end else day + 1) * _A_DAY + end


class _Spans(NamedTuple, Generic[Moment]):
    """Spans in order and without overlap or contact, from each start until before the end with the same index."""

    starts: tuple[Moment, ...]
    ends: tuple[Moment, ...]

    @classmethod
    def of(cls, spans: Iterable[tuple[Moment, Moment]]) -> _Spans[Moment]:
        """Merges spans that overlap or touch."""
        starts, ends = list[Moment](), list[Moment]()
        for start, end in sorted(spans):
            if ends and start <= ends[-1]:
                ends[-1] = max(ends[-1], end)
            else:
                starts.append(start)
                ends.append(end)
        return cls(tuple(starts), tuple(ends))

    def end_of(self, moment: Moment) -> Moment | None:
        """Returns the end of the span that contains this moment; None when none does."""
        place = bisect_right(self.starts, moment)
        return self.ends[place - 1] if place and moment < self.ends[place - 1] else None

    def start_after(self, moment: Moment) -> Moment | None:
        """Returns the first start after this moment; None when there is none."""
        place = bisect_right(self.starts, moment)
        return self.starts[place] if place < len(self.starts) else None


@dataclass(frozen=True, slots=True)
class Schedule:
    """Windows in a time zone, and holidays, which are covered from midnight to midnight.

    A window begins at the first moment at which the clock shows its start or later. It ends at the first moment at
    which the clock shows its end or later. When clocks skip its start, the window begins at the change. When a time
    occurs twice, the first occurrence counts.

    So a window covers an instant when it contains the latest time that clocks have shown until then. That is why all
    methods calculate with local times, and convert only their results.
    """

    timezone: ZoneInfo
    windows: tuple[Window, ...]
    holidays: frozenset[date] = frozenset()
    _weekly: _Spans[timedelta] = field(init=False, repr=False, compare=False)
    _holidays: _Spans[datetime] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Merges the windows of three weeks, as times since the Monday of the second, and the holidays."""
        week = _Spans.of(span for window in self.windows for span in window.spans())
        weekly = [
            (start + n * _A_WEEK, end + n * _A_WEEK) for n in (-1, 0, 1) for start, end in zip(*week, strict=True)
        ]
        days = [datetime.combine(day, time()) for day in self.holidays]
        object.__setattr__(self, "_weekly", _Spans.of(weekly))
        object.__setattr__(self, "_holidays", _Spans.of((day, day + min(_A_DAY, datetime.max - day)) for day in days))

    @classmethod
    def of(cls, stored: Mapping[str, Any], timezone: str) -> Schedule:
        """Returns the schedule of `{timezone, windows: [{days, start, end}], holidays?}` in the shape of the API.

        `timezone` replaces null.
        """
        return cls(
            timezone=ZoneInfo(stored.get("timezone") or timezone),
            windows=tuple(_window(each) for each in stored.get("windows") or ()),
            holidays=frozenset(date.fromisoformat(each) for each in stored.get("holidays") or ()),
        )

    def covers(self, at: datetime) -> bool:
        """Returns whether this instant is in a window or on a holiday."""
        return self._end_of(latest_local(at, self.timezone)) is not None

    def until(self, at: datetime) -> datetime | None:
        """Returns the end of the period that covers `at`, with adjacent windows and holidays joined; None if not covered.

        An end more than `SEARCH_LIMIT` ahead is replaced by the moment that far ahead.
        """
        limit, end = at + SEARCH_LIMIT, at
        while (until := self._joined_end(latest_local(end, self.timezone), limit)) is not None:
            end = to_utc(until, self.timezone)
            if end >= limit:
                return limit
        return None if end == at else end

    def next_start(self, at: datetime, *, until: datetime | None = None) -> datetime | None:
        """Returns the next start after `at` and after the end of the period that covers `at`.

        None when there is none within `SEARCH_LIMIT`. `until` is that end, if the caller knows it.
        """
        moment = latest_local(until or self.until(at) or at, self.timezone)
        while (start := self._start_after(moment)) is not None:
            begins = to_utc(start, self.timezone)
            if begins > at + SEARCH_LIMIT:
                break
            if self.covers(begins):
                return begins
            moment = start  # clocks skip all of it
        return None

    def periods(self, start: datetime, end: datetime) -> Iterator[Period]:
        """Yields the periods between two instants that the windows cover. Holidays are left out."""
        if self.is_endless():
            yield start, end
            return
        begun = latest_local(start, self.timezone)
        monday = _monday(begun) - _A_WEEK
        week = [span for span in zip(*self._weekly, strict=True) if timedelta() <= span[0] < _A_WEEK]
        while week:
            for first, last in week:
                if monday + last <= begun:
                    continue
                begins, ends = to_utc(monday + first, self.timezone), to_utc(monday + last, self.timezone)
                if begins >= end:
                    return
                if max(begins, start) < ends:
                    yield max(begins, start), min(ends, end)
            monday += _A_WEEK

    def overlaps(self, start: datetime, end: datetime) -> bool:
        """Returns whether a window or holiday contains a part of the period between two local times."""
        following = self._start_after(start)
        return self._end_of(start) is not None or (following is not None and following < end)

    def is_endless(self) -> bool:
        """Returns whether the windows cover every minute of the week."""
        starts, ends = self._weekly
        return len(starts) == 1 and ends[0] - starts[0] >= _A_WEEK

    def _joined_end(self, moment: datetime, limit: datetime) -> datetime | None:
        """Returns the end of the joined windows and holidays that contain this local time, or a time after `limit`."""
        enough = limit.replace(tzinfo=None) + 2 * _A_DAY
        if self.is_endless():
            return enough
        end = None
        while (later := self._end_of(end or moment)) is not None and later < enough:
            end = later
        return end if later is None else enough

    def _end_of(self, moment: datetime) -> datetime | None:
        """Returns the later end of the windows and of the holidays that contain this local time."""
        monday = _monday(moment)
        weekly, holiday = self._weekly.end_of(moment - monday), self._holidays.end_of(moment)
        return max(_present(holiday, None if weekly is None else monday + weekly), default=None)

    def _start_after(self, moment: datetime) -> datetime | None:
        """Returns the first start of a window or holiday after this local time."""
        monday = _monday(moment)
        weekly, holiday = self._weekly.start_after(moment - monday), self._holidays.start_after(moment)
        return min(_present(holiday, None if weekly is None else monday + weekly), default=None)


@dataclass(frozen=True, slots=True)
class QuietHours:
    """The quiet hours of a workspace. Unless `enabled`, no time is quiet. `error` says why the schedule is invalid."""

    enabled: bool
    schedule: Schedule
    error: str | None = None

    @classmethod
    def of(cls, stored: Mapping[str, Any], timezone: str) -> QuietHours:
        """Returns the quiet hours of the workspace's effective setting `quietHours`.

        The workspace's time zone is the default.

        With a time zone unknown on this machine no time is quiet: a notice at night is better than none.
        """
        try:
            return cls(bool(stored.get("enabled")), Schedule.of(stored, timezone))
        except (LookupError, ValueError) as fault:
            return cls(False, Schedule(ZoneInfo("UTC"), ()), str(fault))

    def until(self, at: datetime) -> datetime | None:
        """Returns the end of the quiet hours that cover `at`; None when there are none."""
        return self.schedule.until(at) if self.enabled else None


def _present(*moments: datetime | None) -> list[datetime]:
    return [moment for moment in moments if moment is not None]


def _monday(moment: datetime) -> datetime:
    """Returns midnight at the beginning of the week of this local time."""
    return datetime.combine(moment.date() - moment.weekday() * _A_DAY, time())


def _since_midnight(clock: time) -> timedelta:
    return datetime.combine(date.min, clock) - datetime.min


def _window(stored: Mapping[str, Any]) -> Window:
    days = frozenset(DAYS.index(day) for day in stored["days"])
    return Window(days, time.fromisoformat(stored["start"]), time.fromisoformat(stored["end"]))
