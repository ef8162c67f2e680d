"""A sentence for the times of a silence (specification 8.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from inbox.domain.explaining import formatting
from inbox.domain.values import number_text
from inbox.domain.values.recurrence import parts

_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
_DAYS = {
    "MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday", "SA": "Saturday", "SU": "Sunday",
}  # fmt: skip
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_NUMBERED = re.compile(r"([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)")


def of_times(
    starts_at: datetime, ends_at: datetime, recurrence: Mapping[str, Any] | None, zone: ZoneInfo, now: datetime
) -> str:
    """Returns the times of a silence: `From 02:00 UTC until 04:00 UTC.`, or `Every week on Sunday at 02:00
    Europe/Berlin for …`
    """
    if recurrence is None:
        return f"From {formatting.clock(starts_at, zone, now)} until {formatting.clock(ends_at, zone, now)}."
    try:
        own, often = ZoneInfo(recurrence["timezone"]), of_rule(recurrence["rrule"])
    except (ValueError, ZoneInfoNotFoundError):
        return "Its recurrence cannot be read, so it covers nothing."
    length = number_text.duration_text(timedelta(minutes=recurrence["durationMinutes"]))
    at = starts_at.astimezone(own)
    return (
        f"{often} at {at:%H:%M} {own.key} for {length}, from {at:%a %d %b %Y}"
        f" until {ends_at.astimezone(own):%a %d %b %Y}."
    )


def of_rule(rule: str) -> str:
    """Returns how often a rule occurs: `Every 2 weeks on Monday and Friday`. Raises `BadRule`."""
    found = parts(rule)
    unit, interval = _UNITS[found["FREQ"]], int(found.get("INTERVAL", "1"))
    text = f"Every {unit}" if interval == 1 else f"Every {interval} {unit}s"
    if "BYMONTH" in found:
        text += f" in {formatting.series([_MONTHS[int(each) - 1] for each in found['BYMONTH'].split(',')])}"
    if "BYMONTHDAY" in found:
        text += f" on the {formatting.series([_day_of_month(int(each)) for each in found['BYMONTHDAY'].split(',')])}"
    if "BYDAY" in found:
        text += f" on {formatting.series([_weekday(each) for each in found['BYDAY'].split(',')])}"
    if "COUNT" in found:
        text += f", {found['COUNT']} {'time' if found['COUNT'] == '1' else 'times'}"
    return text


def _weekday(text: str) -> str:
    number, day = _NUMBERED.findall(text)[0]
    if not number:
        return _DAYS[day]
    return f"the {_place(int(number))} {_DAYS[day]}"


def _day_of_month(number: int) -> str:
    return f"{_place(number)} day"


def _place(number: int) -> str:
    if number > 0:
        return number_text.ordinal(number)
    return "last" if number == -1 else f"{number_text.ordinal(-number)} last"
