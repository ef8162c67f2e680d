"""Times of iCalendar files: local times in the zones of Google, Outlook and others, as instants."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from inbox.domain.values.wallclock import to_utc

MIDNIGHT = time()


@dataclass(frozen=True, slots=True)
class Place:
    """A local time without a zone, with the zone of the event. `is_day` is a whole day."""

    local: datetime
    zone: tzinfo
    is_day: bool = False

    @property
    def instant(self) -> datetime:
        """The instant at which the clocks of the zone first show the time."""
        return instant(self.local, self.zone)


def instant(local: datetime, zone: tzinfo) -> datetime:
    """Returns the instant of a local time. One that clocks skip is the instant of the change."""
    if isinstance(zone, ZoneInfo):
        return to_utc(local, zone)
    return local.replace(tzinfo=zone).astimezone(UTC)


def place(value: date, calendar_zone: ZoneInfo, *, shifts_utc: bool) -> Place:
    """Returns the place of a value of a file. Times without a zone, and days, are in the zone of the calendar.

    Google writes times of some events in UTC, and names the zone of the calendar beside them: with `shifts_utc` they
    repeat by the clock of this zone.
    """
    if not isinstance(value, datetime):
        return Place(datetime.combine(value, MIDNIGHT), calendar_zone, is_day=True)
    if value.tzinfo is None:
        return Place(value, calendar_zone)
    if shifts_utc and value.utcoffset() == timedelta() and value.tzname() in ("UTC", "Z"):
        return Place(value.astimezone(calendar_zone).replace(tzinfo=None, fold=0), calendar_zone)
    return Place(value.replace(tzinfo=None, fold=0), value.tzinfo)


def values(prop: Any) -> list[Any]:
    """Returns the dates of a property that may occur several times, each with several values (EXDATE, RDATE)."""
    found = prop if isinstance(prop, list) else [prop] if prop is not None else []
    return [each.dt for dates in found for each in dates.dts]
