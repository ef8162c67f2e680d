"""The preview of a schedule: its next runs, and the hours that a change of clocks skips or doubles.

Specification 18.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim

from inbox.domain.heartbeats.schedule import CronSchedule, Schedule
from inbox.domain.values.wallclock import to_local

RUNS = 5
AHEAD = timedelta(days=366)
"""The time span in which changes of clocks are searched."""

_SECOND = timedelta(seconds=1)
_A_DAY = timedelta(days=1)


class ClockChangeKind(StrEnum):
    """The effect of a change of clocks on the times of one hour."""

    SKIPPED = "skipped"
    """Clocks jump ahead: these times do not occur."""

    DOUBLED = "doubled"
    """Clocks go back: these times occur twice."""


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A change of clocks, with the clock times that it skips or doubles, and its effect on runs."""

    at: datetime
    kind: ClockChangeKind
    first: datetime
    last: datetime
    """The skipped or doubled clock times: from `first`, until before `last`, without a zone."""
    text: str
    affects: bool
    """True if the schedule plans a run in these clock times."""


def next_runs(schedule: Schedule, after: datetime, count: int = RUNS) -> list[datetime]:
    """Returns the next runs after `after`, in UTC."""
    return list(islice(schedule.runs(after), count))


def clock_changes(schedule: Schedule, after: datetime) -> list[ClockChange]:
    """Returns the changes of clocks in the zone of a cron schedule within a year; none for a simple schedule."""
    if not isinstance(schedule, CronSchedule):
        return []
    zone = ZoneInfo(schedule.timezone)
    return [_described(schedule, zone, at) for at in _changes(zone, after, after + AHEAD)]


def _changes(zone: ZoneInfo, after: datetime, until: datetime) -> Iterator[datetime]:
    day = after.replace(microsecond=0)
    while day < until:
        following = day + _A_DAY
        if _offset(zone, day) != _offset(zone, following):
            yield _exact(zone, day, following)
        day = following


def _exact(zone: ZoneInfo, below: datetime, above: datetime) -> datetime:
    """Returns the first second with the new offset."""
    before = _offset(zone, below)
    while above - below > _SECOND:
        middle = below + (above - below) // _SECOND // 2 * _SECOND
        below, above = (middle, above) if _offset(zone, middle) == before else (below, middle)
    return above


def _offset(zone: ZoneInfo, at: datetime) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta()


def _described(schedule: CronSchedule, zone: ZoneInfo, at: datetime) -> ClockChange:
    after, before = to_local(at, zone), to_local(at - _SECOND, zone) + _SECOND
    first, last = min(after, before), max(after, before)
    kind = ClockChangeKind.SKIPPED if after > before else ClockChangeKind.DOUBLED
    planned = _planned(schedule.expression, first, last)
    return ClockChange(at, kind, first, last, _text(schedule, kind, first, last, at, planned), planned is not None)


def _planned(expression: str, first: datetime, last: datetime) -> datetime | None:
    """Returns the first clock time of a run from `first` until before `last`."""
    found = next(iter(CronSim(expression, first - _SECOND)), None)
    return found if found is not None and found < last else None


def _text(
    schedule: CronSchedule,
    kind: ClockChangeKind,
    first: datetime,
    last: datetime,
    at: datetime,
    planned: datetime | None,
) -> str:
    span = f"{first:%H:%M} to {last:%H:%M}"
    if kind is ClockChangeKind.SKIPPED:
        text = f"On {first:%Y-%m-%d} clocks skip {span}."
    else:
        text = f"On {first:%Y-%m-%d} the time from {span} occurs twice."
    if planned is None:
        return f"{text} No run is planned then."
    if kind is ClockChangeKind.DOUBLED:
        repeated = _runs_between(schedule, at, at + (last - first))
        return f"{text} Runs in this time happen twice." if repeated else f"{text} Runs in this time happen once."
    if next(schedule.runs(at - _SECOND)) == at and not _follows_clock(schedule.expression, last):
        return f"{text} The run at {planned:%H:%M} happens at {last:%H:%M}."
    return f"{text} Runs in this time do not happen."


def _follows_clock(expression: str, last: datetime) -> bool:
    """Returns whether the schedule plans a run at the first clock time after the skipped ones anyway."""
    return next(iter(CronSim(expression, last - _SECOND))) == last


def _runs_between(schedule: CronSchedule, start: datetime, end: datetime) -> bool:
    return next(schedule.runs(start - _SECOND)) < end


def local_text(at: datetime, timezone: str) -> str:
    """Returns the clock time of a run in its zone, for people: `2026-03-29 03:00`."""
    return f"{to_local(at.astimezone(UTC), ZoneInfo(timezone)):%Y-%m-%d %H:%M}"
