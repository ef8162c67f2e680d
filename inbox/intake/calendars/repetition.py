"""Starts of a repeating event of an iCalendar file, with a budget: rules of strangers may repeat without end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from typing import Any

from dateutil.rrule import rrulestr

from inbox.intake.calendars.calendar_times import Place

MAX_STARTS = 500_000
"""The most starts of all events of a calendar that are computed, also those before the period."""

TOO_OFTEN = "A rule of an event repeats every minute or second."
TOO_MANY_STARTS = "Its events repeat too often, or since too long ago."


class UnreadableCalendar(Exception):
    """A calendar that cannot be read. The text has nothing of its content."""


class StartBudget:
    """The starts that may still be computed for a calendar."""

    def __init__(self, left: int = MAX_STARTS) -> None:
        self._left = left

    def spend(self) -> None:
        """Counts a start. Raises `UnreadableCalendar` when none is left."""
        self._left -= 1
        if self._left < 0:
            raise UnreadableCalendar(TOO_MANY_STARTS)


def starts(rule: Any, first: Place, end: datetime, budget: StartBudget) -> Iterator[datetime]:
    """Yields the local starts of a rule (RRULE) from the first one until before the instant `end`.

    The last day of a rule may be a day, or a time with or without a zone, however the event writes its times.
    Raises `UnreadableCalendar`.
    """
    if str(rule.get("FREQ", [""])[0]).upper() in ("SECONDLY", "MINUTELY"):
        raise UnreadableCalendar(TOO_OFTEN)
    until = next(iter(rule.get("UNTIL", ())), None)
    text = ";".join(part for part in rule.to_ical().decode().split(";") if not part.upper().startswith("UNTIL="))
    for local in rrulestr(text, dtstart=first.local):
        budget.spend()
        at = Place(local, first.zone).instant
        if at >= end or (until is not None and _is_after(local, at, until)):
            return
        yield local


def _is_after(local: datetime, at: datetime, until: date) -> bool:
    if not isinstance(until, datetime):
        return local.date() > until
    return local > until if until.tzinfo is None else at > until.astimezone(UTC)
