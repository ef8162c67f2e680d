"""Computes the days of a recurrence rule, examining only days that can occur in a range (specification 8.4)."""

from __future__ import annotations

from calendar import isleap, monthrange
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

_WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_ALL_MONTHS = range(1, 13)
_A_WEEK = 7


@dataclass(frozen=True, slots=True)
class DayRule:
    """A rule without its number of occurrences. An empty set restricts nothing, and Monday is 0.

    `numbered` are weekdays with their place in the month or year, such as (4, -1) for the last Friday. The days of a
    rule follow from its first day `first`, which the rule need not contain.
    """

    first: date
    frequency: str
    interval: int
    week_start: int
    months: frozenset[int]
    month_days: frozenset[int]
    weekdays: frozenset[int]
    numbered: frozenset[tuple[int, int]]

    @classmethod
    def of(cls, parts: Mapping[str, str], first: date) -> DayRule:
        """Returns the rule of valid parts (`recurrence.parts`). A rule without days has the weekday or day of `first`."""
        frequency, days = parts["FREQ"], [each for each in parts.get("BYDAY", "").split(",") if each]
        months, month_days = _numbers(parts.get("BYMONTH")), _numbers(parts.get("BYMONTHDAY"))
        if not days and not month_days and frequency in ("MONTHLY", "YEARLY"):
            month_days = frozenset({first.day})
            months = frozenset({first.month}) if frequency == "YEARLY" and not months else months
        if not days and frequency == "WEEKLY":
            days = [_WEEKDAYS[first.weekday()]]
        return cls(
            first,
            frequency,
            int(parts.get("INTERVAL", "1")),
            _WEEKDAYS.index(parts.get("WKST", "MO")),
            months,
            month_days,
            frozenset(_WEEKDAYS.index(day) for day in days if day in _WEEKDAYS),
            frozenset((_WEEKDAYS.index(day[-2:]), int(day[:-2])) for day in days if day not in _WEEKDAYS),
        )

    def days(self, since: date, until: date) -> Iterator[date]:
        """Yields the days of the rule from `since` to `until`, both included, in order. None is before `first`."""
        since = max(since, self.first)
        if since > until:
            return iter(())
        match self.frequency:
            case "DAILY":
                return self._daily(since.toordinal(), until.toordinal())
            case "WEEKLY":
                return self._weekly(since.toordinal(), until.toordinal())
            case _:
                return (day for day in self._in_months(since, until) if since <= day <= until)

    def _daily(self, since: int, until: int) -> Iterator[date]:
        aligned = since + (self.first.toordinal() - since) % self.interval
        for ordinal in range(aligned, until + 1, self.interval):
            day = date.fromordinal(ordinal)
            if self._has_month(day.month) and self._has_weekday(day.weekday()):
                yield day

    def _weekly(self, since: int, until: int) -> Iterator[date]:
        offsets = sorted((weekday - self.week_start) % _A_WEEK for weekday in self.weekdays)
        first_week = self.first.toordinal() - (self.first.weekday() - self.week_start) % _A_WEEK
        period = self.interval * _A_WEEK
        for week in range(since - (since - first_week) % period, until + 1, period):
            for ordinal in (week + offset for offset in offsets if since <= week + offset <= until):
                day = date.fromordinal(ordinal)
                if self._has_month(day.month):
                    yield day

    def _in_months(self, since: date, until: date) -> Iterator[date]:
        """Yields the days of the months of a monthly or yearly rule that can have days in this range."""
        for year, month in self._months(since, until):
            yield from self._of_month(year, month)

    def _months(self, since: date, until: date) -> Iterator[tuple[int, int]]:
        if self.frequency == "YEARLY":
            aligned = since.year + (self.first.year - since.year) % self.interval
            for year in range(aligned, until.year + 1, self.interval):
                yield from ((year, month) for month in sorted(self.months or _ALL_MONTHS))
            return
        begin, end = _month_index(since), _month_index(until)
        aligned = begin + (_month_index(self.first) - begin) % self.interval
        for index in range(aligned, end + 1, self.interval):
            year, month = divmod(index, 12)
            if self._has_month(month + 1):
                yield year, month + 1

    def _of_month(self, year: int, month: int) -> Iterator[date]:
        length = monthrange(year, month)[1]
        if self.month_days:
            found = {number if number > 0 else length + 1 + number for number in self.month_days}
            numbers = sorted(number for number in found if 1 <= number <= length)
        else:
            numbers = list(range(1, length + 1))
        for day in (date(year, month, number) for number in numbers):
            if self._has_weekday(day.weekday()) and self._has_place(day, length):
                yield day

    def _has_month(self, month: int) -> bool:
        return not self.months or month in self.months

    def _has_weekday(self, weekday: int) -> bool:
        return not self.weekdays or weekday in self.weekdays

    def _has_place(self, day: date, length: int) -> bool:
        """Returns whether the weekday has one of the numbers in its month.

        For a yearly rule without months, numbers count in the year.
        """
        if not self.numbered:
            return True
        passed, size = day.day - 1, length
        if self.frequency == "YEARLY" and not self.months:
            passed, size = day.timetuple().tm_yday - 1, 366 if isleap(day.year) else 365
        places = (passed // _A_WEEK + 1, -((size - 1 - passed) // _A_WEEK) - 1)
        return any((day.weekday(), place) in self.numbered for place in places)


def _numbers(text: str | None) -> frozenset[int]:
    return frozenset(int(each) for each in text.split(",")) if text else frozenset()


def _month_index(day: date) -> int:
    return day.year * 12 + day.month - 1
