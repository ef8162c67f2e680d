"""Schedules of heartbeat monitors: a fixed period, or a cron expression in a time zone (specification 18.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

SHORTEST_PERIOD = timedelta(minutes=1)
LONGEST_PERIOD = timedelta(days=366)
LONGEST_EXPRESSION = 100
"""The maximum number of characters of a cron expression."""

EARLY = timedelta(seconds=30)
"""The time by which a ping may arrive before its scheduled run, because a sender's clock may run fast."""

FARTHEST = timedelta(days=366 * 4 + 1)
"""A schedule must have a run within this time, which contains every date of the calendar."""

FIELDS = ("minute", "hour", "day of month", "month", "day of week")
_FIELD = re.compile(r"\S+")
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


class BadExpression(ValueError):
    """An invalid cron expression. `start` and `end` are the position of the fault in its text."""

    def __init__(self, detail: str, start: int, end: int) -> None:
        super().__init__(detail)
        self.start, self.end = start, end


@dataclass(frozen=True, slots=True)
class SimpleSchedule:
    """A ping is expected one period after the last ping."""

    period: timedelta

    def next_after(self, at: datetime) -> datetime:
        """Returns when the next ping is expected after a ping at `at`."""
        return at + self.period

    def is_run(self, at: datetime) -> bool:
        """Returns true: a ping may be expected at any time."""
        return True

    def runs(self, after: datetime) -> Iterator[datetime]:
        """Yields the expected times after `after`, if every ping is punctual."""
        while True:
            after += self.period
            yield after

    @property
    def words(self) -> str:
        """The schedule in words: `Every 2 hours`."""
        seconds = round(self.period.total_seconds())
        name, size = next(each for each in _UNITS if seconds % each[1] == 0)
        count = seconds // size
        return f"Every {name}" if count == 1 else f"Every {count:,} {name}s"


@dataclass(frozen=True, slots=True)
class CronSchedule:
    """A ping is expected at the times of a cron expression, by the clock of a time zone."""

    expression: str
    timezone: str

    def next_after(self, at: datetime) -> datetime:
        """Returns the first run after the one to which a ping at `at` belongs.

        A ping shortly before a run belongs to this run.
        """
        return next(self.runs(at + EARLY))

    def is_run(self, at: datetime) -> bool:
        """Returns whether a run is at this time. Other rules of the time zone move runs."""
        return next(self.runs(at - timedelta(seconds=1))) == at

    def runs(self, after: datetime) -> Iterator[datetime]:
        """Yields the runs after `after`, in UTC.

        At the change to summer time, a run at a fixed hour that is skipped happens at the change. At the change to
        winter time, a run at a fixed hour happens once. Runs of every hour follow the elapsed time.
        """
        for run in CronSim(self.expression, after.astimezone(ZoneInfo(self.timezone))):
            if (at := run.astimezone(UTC)) > after:
                yield at

    @property
    def words(self) -> str:
        """The schedule in words: `At 03:00 every day (Europe/Berlin)`."""
        return f"{_words(self.expression)} ({self.timezone})"


Schedule = SimpleSchedule | CronSchedule


def of_stored(stored: Mapping[str, Any]) -> Schedule:
    """Returns the schedule of `{kind, periodSeconds}` or `{kind, expression, timezone}`, in the shape of the API."""
    if stored["kind"] == "simple":
        return SimpleSchedule(timedelta(seconds=stored["periodSeconds"]))
    return CronSchedule(stored["expression"], stored["timezone"])


def normalized(expression: str) -> str:
    """Returns the expression with single spaces. Raises `BadExpression` with the position of the first fault."""
    if len(expression) > LONGEST_EXPRESSION:
        raise BadExpression(f"Must have at most {LONGEST_EXPRESSION} characters.", LONGEST_EXPRESSION, len(expression))
    if not expression.isascii() or not expression.isprintable():
        place = next(at for at, each in enumerate(expression) if not (each.isascii() and each.isprintable()))
        raise BadExpression("Must contain ASCII characters only.", place, place + 1)
    parts = [(found.group(), found.start(), found.end()) for found in _FIELD.finditer(expression)]
    if len(parts) != len(FIELDS):
        raise BadExpression(
            f"Must have five fields: {', '.join(FIELDS)}. It has {len(parts)}.", 0, max(1, len(expression))
        )
    for place, (text, start, end) in enumerate(parts):
        _check_field(place, text, start, end)
    whole = " ".join(text for text, _, _ in parts)
    try:
        next(iter(CronSim(whole, datetime(2026, 1, 1))))
    except (CronSimError, StopIteration):
        raise BadExpression("No day of the calendar fits these fields.", parts[2][1], parts[-1][2]) from None
    return whole


def _check_field(place: int, text: str, start: int, end: int) -> None:
    alone = ["*"] * len(FIELDS)
    alone[place] = text
    try:
        CronSim(" ".join(alone), datetime(2026, 1, 1))
    except CronSimError:
        raise BadExpression(f"The {FIELDS[place]} field is invalid.", start, end) from None


@lru_cache(maxsize=512)
def _words(expression: str) -> str:
    return CronSim(expression, datetime(2026, 1, 1)).explain()
