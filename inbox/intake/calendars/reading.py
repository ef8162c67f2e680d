"""Reads an iCalendar file: when which texts and addresses name people, in a period (specification 23.20)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import Calendar
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from inbox.domain.oncall.followed import Occurrence
from inbox.intake.calendars.calendar_times import Place, instant, place, values
from inbox.intake.calendars.repetition import StartBudget, UnreadableCalendar, starts

MAX_EVENTS = 10_000
"""The most events of a calendar."""

MAX_OCCURRENCES = 20_000
"""The most occurrences of all events in the period."""

MAX_NAMES = 10
"""The most names, and the most addresses, that are read of an event."""

NO_CALENDAR = "It is no iCalendar file."
CUT_OFF = "The iCalendar file is not complete."
TOO_MANY_EVENTS = f"It has more than {MAX_EVENTS:,} events."
TOO_MANY_OCCURRENCES = f"Its events occur more than {MAX_OCCURRENCES:,} times in the period."

Event = Any
"""A component of the library, whose properties have many types."""

_LEVEL = re.compile(r"\s*\[L(\d{1,2})\]\s*", re.IGNORECASE | re.ASCII)
_NAMES = re.compile(r"[,;\n]")
_LONGEST = timedelta(days=366)
"""The longest event. One that lasts longer is cut."""


def read(content: bytes, zone: ZoneInfo, start: datetime, end: datetime) -> list[Occurrence]:
    """Returns what occurs between two instants. `zone` is for times without one. Raises `UnreadableCalendar`."""
    text = content.decode("utf-8-sig", errors="replace").strip()
    if not text.upper().startswith("BEGIN:VCALENDAR"):
        raise UnreadableCalendar(NO_CALENDAR)
    if not text.upper().endswith("END:VCALENDAR"):
        raise UnreadableCalendar(CUT_OFF)
    try:
        calendars = Calendar.from_ical(text, multiple=True)
    except (ValueError, IndexError, KeyError, OverflowError):
        raise UnreadableCalendar(NO_CALENDAR) from None
    budget, found = StartBudget(), list[Occurrence]()
    for calendar in calendars:
        for each in _of_calendar(calendar, zone, start, end, budget):
            found.append(each)
            if len(found) > MAX_OCCURRENCES:
                raise UnreadableCalendar(TOO_MANY_OCCURRENCES)
    return found


def _of_calendar(
    calendar: Any, zone: ZoneInfo, start: datetime, end: datetime, budget: StartBudget
) -> Iterator[Occurrence]:
    named = _zone_named(str(calendar.get("X-WR-TIMEZONE", "")))
    reader = _Reader(named or zone, named is not None, start, end, budget)
    events = [each for each in calendar.walk("VEVENT") if "DTSTART" in each]
    if len(events) > MAX_EVENTS:
        raise UnreadableCalendar(TOO_MANY_EVENTS)
    single = _newest(each for each in events if "RECURRENCE-ID" in each)
    changed: dict[str, set[datetime]] = {}
    for (uid, _), event in single.items():
        changed.setdefault(uid, set()).add(reader.place(event["RECURRENCE-ID"].dt).instant)
        yield from reader.occurrences(event, frozenset(), repeats=False)
    for (uid, _), event in _newest(each for each in events if "RECURRENCE-ID" not in each).items():
        yield from reader.occurrences(event, changed.get(uid, frozenset()))


def _newest(events: Iterable[Event]) -> Mapping[tuple[str, str], Event]:
    """Returns the newest of the events with the same id, by the id and the occurrence that it changes.

    Events without an id are all different.
    """
    found: dict[tuple[str, str], Event] = {}
    for place_in_file, event in enumerate(events):
        changes = event["RECURRENCE-ID"].to_ical().decode() if "RECURRENCE-ID" in event else ""
        key = (str(event.get("UID", f" {place_in_file}")), changes)
        if key not in found or _sequence(event) >= _sequence(found[key]):
            found[key] = event
    return found


def _sequence(event: Event) -> int:
    try:
        return int(event.get("SEQUENCE", 0))
    except (TypeError, ValueError):
        return 0


def _zone_named(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(WINDOWS_TO_OLSON.get(name, name))
    except (LookupError, ValueError, OSError):
        return None


class _Reader:
    """Reads the events of a calendar in a zone, between two instants."""

    def __init__(self, zone: ZoneInfo, shifts_utc: bool, start: datetime, end: datetime, budget: StartBudget) -> None:
        self._zone, self._shifts_utc = zone, shifts_utc
        self._start, self._end, self._budget = start, end, budget

    def place(self, value: date) -> Place:
        """Returns the place of a value of the calendar."""
        return place(value, self._zone, shifts_utc=self._shifts_utc)

    def occurrences(self, event: Event, excepted: Iterable[datetime], *, repeats: bool = True) -> Iterator[Occurrence]:
        """Yields the occurrences of an event, except at these instants, and without the cancelled ones."""
        if str(event.get("STATUS", "")).upper() == "CANCELLED":
            return
        try:
            first = self.place(event["DTSTART"].dt)
            lasts = self._length(event, first)
            excepted = {*excepted, *(self.place(each).instant for each in values(event.get("EXDATE")))}
            names, addresses = _names(event), tuple(_addresses(event))
            for local in self._starts(event, first) if repeats else [first.local]:
                begins, ends = instant(local, first.zone), lasts.end(local, first)
                if begins not in excepted and self._start < ends and begins < min(ends, self._end):
                    yield Occurrence(begins, ends, _level(event), names, addresses)
        except (OverflowError, ValueError, TypeError, AttributeError):
            return  # a date that no clock shows, such as in the year 0 or 10000

    def _starts(self, event: Event, first: Place) -> Iterator[datetime]:
        """Yields the local starts: those of the rules and of RDATE, or the first one alone."""
        rules, told = event.get("RRULE"), set[datetime]()
        for rule in rules if isinstance(rules, list) else [rules] if rules else []:
            for local in starts(rule, first, self._end, self._budget):
                if local not in told:
                    told.add(local)
                    yield local
        further = [each[0] if isinstance(each, tuple) else each for each in values(event.get("RDATE"))]
        dates = [self.place(each).instant.astimezone(first.zone).replace(tzinfo=None, fold=0) for each in further]
        yield from sorted({*dates, *(() if rules else (first.local,))} - told)

    def _length(self, event: Event, first: Place) -> _Length:
        if "DTEND" in event:
            end = self.place(event["DTEND"].dt)
            is_same = end.zone == first.zone
            local = end.local if is_same else end.instant.astimezone(first.zone).replace(tzinfo=None, fold=0)
            return _Length(min(local - first.local, _LONGEST), by_clock=True)
        if "DURATION" in event:
            length = event["DURATION"].dt
            return _Length(min(length, _LONGEST), by_clock=length % timedelta(days=1) == timedelta())
        return _Length(timedelta(days=1 if first.is_day else 0), by_clock=True)


class _Length:
    """The length of an event. `by_clock` keeps the local time of its end, also when clocks change meanwhile."""

    def __init__(self, length: timedelta, *, by_clock: bool) -> None:
        self._length, self._by_clock = length, by_clock

    def end(self, local: datetime, first: Place) -> datetime:
        """Returns the end of an occurrence that begins at this local time."""
        if self._by_clock:
            return instant(local + self._length, first.zone)
        return instant(local, first.zone) + self._length


def _level(event: Event) -> int:
    found = _LEVEL.match(str(event.get("SUMMARY", "")))
    return int(found.group(1)) if found else 0


def _names(event: Event) -> tuple[str, ...]:
    text = _LEVEL.sub("", str(event.get("SUMMARY", "")), count=1)
    names = [" ".join(each.split()) for each in _NAMES.split(text)]
    return tuple(each for each in names if each)[:MAX_NAMES]


def _addresses(event: Event) -> Iterator[str]:
    """Yields the addresses of the people who are invited and have not declined."""
    attendees = event.get("ATTENDEE", [])
    for each in (attendees if isinstance(attendees, list) else [attendees])[:MAX_NAMES]:
        parameters = getattr(each, "params", {})
        is_person = str(parameters.get("CUTYPE", "INDIVIDUAL")).upper() == "INDIVIDUAL"
        if is_person and str(parameters.get("PARTSTAT", "")).upper() != "DECLINED":
            yield re.sub("^mailto:", "", str(each), flags=re.IGNORECASE).strip()
