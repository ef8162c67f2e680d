"""How much each person was on call: hours, nights and weekends (specification 23.15)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from statistics import median
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.values.wallclock import Period, merge_periods, to_local
from inbox.domain.values.windows import Schedule as WeeklyWindows
from inbox.domain.values.windows import Window

NIGHT = Window(frozenset(range(7)), time(22), time(6))
"""A night counts for whoever was on call during a part of it."""

WEEKEND = Window(frozenset({5, 6}), time(), time())

_A_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Served:
    """A time in which a person was on call by a schedule in this time zone."""

    user_id: UUID
    zone: ZoneInfo
    starts_at: datetime
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class Figures:
    """How much a person was on call. What several schedules have at one time counts once."""

    user_id: UUID
    on_call: timedelta = timedelta()
    weekends: timedelta = timedelta()
    nights: int = 0
    shifts: int = 0


@dataclass(frozen=True, slots=True)
class Responses:
    """The pages of a person, the incidents that they acknowledged, and the median time from the first page to that."""

    pages: int = 0
    acknowledged: int = 0
    median: timedelta | None = None


def responses(pages: Iterable[tuple[UUID, UUID, datetime, datetime | None]]) -> dict[UUID, Responses]:
    """Returns the responses of each person. A page has person, incident, its time, and when they acknowledged."""
    counts, first = Counter[UUID](), dict[tuple[UUID, UUID], tuple[datetime, datetime]]()
    for user_id, incident_id, at, acknowledged_at in sorted(pages, key=lambda page: page[2]):
        counts[user_id] += 1
        if acknowledged_at is not None:
            first.setdefault((user_id, incident_id), (at, acknowledged_at))
    times: dict[UUID, list[float]] = {}
    for (user_id, _), (at, acknowledged_at) in first.items():
        times.setdefault(user_id, []).append((acknowledged_at - at).total_seconds())
    return {
        user_id: Responses(count, len(times.get(user_id, ())), _median(times.get(user_id, ())))
        for user_id, count in counts.items()
    }


def _median(seconds: Sequence[float]) -> timedelta | None:
    return timedelta(seconds=median(seconds)) if seconds else None


def figures(times: Sequence[Served], start: datetime, end: datetime) -> list[Figures]:
    """Returns the figures of each person in a period, the most hours first."""
    cut = [
        Served(each.user_id, each.zone, max(each.starts_at, start), min(each.ends_at, end))
        for each in times
        if max(each.starts_at, start) < min(each.ends_at, end)
    ]
    nights, weekends = (
        {zone: _Windows(zone, window, start - _A_DAY, end + _A_DAY) for zone in {each.zone for each in cut}}
        for window in (NIGHT, WEEKEND)
    )
    of_person: dict[UUID, list[Served]] = {}
    for each in cut:
        of_person.setdefault(each.user_id, []).append(each)
    found = [
        Figures(
            user_id,
            _sum((each.starts_at, each.ends_at) for each in own),
            _sum(period for each in own for period in weekends[each.zone].within(each)),
            len({day for each in own for day in nights[each.zone].days(each)}),
            len(own),
        )
        for user_id, own in of_person.items()
    ]
    return sorted(found, key=lambda each: (-each.on_call, str(each.user_id)))


class _Windows:
    """The windows of a period in a time zone."""

    def __init__(self, zone: ZoneInfo, window: Window, start: datetime, end: datetime) -> None:
        self.zone = zone
        self.periods = list(WeeklyWindows(zone, (window,)).periods(start, end))
        self.ends = [ends for _, ends in self.periods]

    def within(self, served: Served) -> Iterator[Period]:
        """Yields the parts of windows in which the person was on call."""
        for begins, ends in self._touched(served):
            yield max(begins, served.starts_at), min(ends, served.ends_at)

    def days(self, served: Served) -> Iterator[date]:
        """Yields the days on which windows begin in which the person was on call."""
        for begins, _ in self._touched(served):
            yield to_local(begins, self.zone).date()

    def _touched(self, served: Served) -> Iterator[Period]:
        for place in range(bisect_right(self.ends, served.starts_at), len(self.periods)):
            if self.periods[place][0] >= served.ends_at:
                return
            yield self.periods[place]


def _sum(periods: Iterable[Period]) -> timedelta:
    return sum((ends - begins for begins, ends in merge_periods(periods)), timedelta())
