"""The active periods of a silence, and its state at a moment (specification 8.4)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice, takewhile
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from inbox.domain.values.recurrence import Recurrence
from inbox.domain.values.wallclock import Period, merge_periods

_SHORT = timedelta(hours=12)
"""Occurrences of at most this duration do not overlap. Longer ones are joined once, because each may join all others."""


class SilenceState(StrEnum):
    """The state of a silence at a moment."""

    PENDING = "pending"
    """The silence waits for its start or its next occurrence."""

    ACTIVE = "active"
    """The silence applies to matching events and incidents."""

    EXPIRED = "expired"
    """The silence never applies again."""


@dataclass(frozen=True, slots=True)
class ActivePeriods:
    """The active periods of a silence, in order and without overlap or contact."""

    fixed: tuple[Period, ...]

    @classmethod
    def of(cls, starts_at: datetime, ends_at: datetime, recurrence: Mapping[str, Any] | None = None) -> ActivePeriods:
        """Returns the period from start to end, or the occurrences of `{rrule, timezone, durationMinutes}` within it.

        An occurrence lasts for this number of elapsed minutes, and at most until the end of the silence. Raises
        `BadRule`.
        """
        if recurrence is None:
            return cls(merge_periods([(starts_at, ends_at)]))
        found = Recurrence.of(recurrence["rrule"], ZoneInfo(recurrence["timezone"]), starts_at, ends_at)
        periods = RecurringPeriods((), found, timedelta(minutes=recurrence["durationMinutes"]))
        return periods if periods.duration <= _SHORT else cls(periods.periods)

    @classmethod
    def of_stored(cls, row: StoredTimes) -> ActivePeriods:
        """Returns the periods of a stored silence.

        With a time zone or rule unknown on this machine, the silence is never active.
        """
        try:
            return cls.of(row.starts_at, row.ends_at, row.recurrence)
        except (LookupError, ValueError):
            return cls(())

    @property
    def periods(self) -> tuple[Period, ...]:
        """All periods."""
        return self.fixed

    def covers(self, at: datetime) -> bool:
        """Returns whether the silence is active at this instant: from a start, until before the end."""
        place = bisect_right(self.fixed, at, key=_start)
        return place > 0 and at < self.fixed[place - 1][1]

    def state(self, at: datetime) -> SilenceState:
        """Returns the state at this instant."""
        if self.covers(at):
            return SilenceState.ACTIVE
        return SilenceState.PENDING if self.next_change(at) else SilenceState.EXPIRED

    def within(self, since: datetime, until: datetime, limit: int) -> list[tuple[datetime, datetime]]:
        """Returns the first periods that overlap this time, uncut."""
        place = bisect_right(self.fixed, since, key=_end)
        return [period for period in self.fixed[place : place + limit] if period[0] < until]

    def next_change(self, at: datetime) -> datetime | None:
        """Returns the next start or end after `at`; None when there is none."""
        place = bisect_right(self.fixed, at, key=_start)
        if place > 0 and at < self.fixed[place - 1][1]:
            return self.fixed[place - 1][1]
        return self.fixed[place][0] if place < len(self.fixed) else None


@dataclass(frozen=True, slots=True)
class RecurringPeriods(ActivePeriods):
    """The occurrences of a recurrence. Each lasts for `duration`, and at most until the end of the silence.

    Computes only the occurrences near the time in question. `answer` caches the last answer of `covers` and its period
    of validity, because routing asks for each event.
    """

    recurrence: Recurrence
    duration: timedelta
    answer: list[tuple[datetime, datetime, bool]] = field(default_factory=list, compare=False, repr=False)

    @property
    def periods(self) -> tuple[Period, ...]:
        """All periods."""
        return tuple(self._joined(self.recurrence.starts_at))

    def covers(self, at: datetime) -> bool:
        """Returns whether the silence is active at this instant."""
        for since, until, active in self.answer:
            if since <= at < until:
                return active
        end, following = self._around(at)
        self.answer[:] = [(at, end or following or datetime.max.replace(tzinfo=UTC), end is not None)]
        return end is not None

    def within(self, since: datetime, until: datetime, limit: int) -> list[Period]:
        """Returns the first periods that overlap this time, uncut."""
        begin, recurrence = since - self.duration, self.recurrence
        first = next(recurrence.starts(begin, recurrence.ends_at), None)
        if first is not None and any(recurrence.starts(first - self.duration, first)):
            begin = recurrence.starts_at  # earlier occurrences belong to the same period
        overlapping = (period for period in self._joined(begin) if period[1] > since)
        return list(islice(takewhile(lambda period: period[0] < until, overlapping), limit))

    def next_change(self, at: datetime) -> datetime | None:
        """Returns the next start or end after `at`; None when there is none."""
        end, following = self._around(at)
        if end is None or following is None:
            return end or following
        for start in self.recurrence.starts(following, self.recurrence.ends_at):
            if start > end:
                break
            end = self._end_of(start)
        return end

    def _around(self, at: datetime) -> tuple[datetime | None, datetime | None]:
        """Returns the end of the last occurrence that covers `at`, and the next start after `at`, or None for each."""
        end = None
        for start in self.recurrence.starts(at - self.duration, self.recurrence.ends_at):
            if start > at:
                return end, start
            end = self._end_of(start) if self._end_of(start) > at else None
        return end, None

    def _joined(self, since: datetime) -> Iterator[Period]:
        """Yields the occurrences that start at `since` or later, joined where they overlap or touch."""
        begin = end = None
        for start in self.recurrence.starts(since, self.recurrence.ends_at):
            if end is None or start > end:
                if begin is not None and end is not None:
                    yield begin, end
                begin = start
            end = self._end_of(start)
        if begin is not None and end is not None:
            yield begin, end

    def _end_of(self, start: datetime) -> datetime:
        return min(start + self.duration, self.recurrence.ends_at)


class StoredTimes(Protocol):
    """The times of a silence as its table stores them; JSON is in the shape of the API."""

    @property
    def starts_at(self) -> datetime: ...
    @property
    def ends_at(self) -> datetime: ...
    @property
    def recurrence(self) -> Any: ...


def _start(piece: Period) -> datetime:
    return piece[0]


def _end(piece: Period) -> datetime:
    return piece[1]
