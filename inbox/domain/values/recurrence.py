"""Occurrences of a recurring silence: an iCalendar rule in local time, with bounded work.

Specification 8.4.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from inbox.domain.values.recurrence_days import DayRule
from inbox.domain.values.wallclock import to_local, to_utc

MAX_RULE_LENGTH = 500
MAX_OCCURRENCES = 400
"""The maximum number of occurrences of one rule: slightly more than one a day for a year."""

_DAY = "(?:MO|TU|WE|TH|FR|SA|SU)"
_NUMBERED = f"(?:[+-]?[1-5])?{_DAY}"
_PARTS: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.ASCII)
    for name, pattern in {
        "FREQ": "DAILY|WEEKLY|MONTHLY|YEARLY",
        "INTERVAL": r"[1-9]\d{0,2}",
        "COUNT": r"[1-9]\d{0,2}",
        "WKST": _DAY,
        "BYDAY": f"{_NUMBERED}(?:,{_NUMBERED})*",
        **dict.fromkeys(("BYMONTH", "BYMONTHDAY"), r"-?\d{1,3}(?:,-?\d{1,3})*"),
    }.items()
}
_HIGHEST = {"BYMONTH": 12, "BYMONTHDAY": 31}
_PLAIN_DAYS = re.compile(f"{_DAY}(?:,{_DAY})*")
_ALWAYS = frozenset({"FREQ", "INTERVAL", "COUNT", "WKST", "BYDAY", "BYMONTH"})
_ALLOWED: Mapping[str, frozenset[str]] = {
    "DAILY": _ALWAYS,
    "WEEKLY": _ALWAYS,
    "MONTHLY": _ALWAYS | {"BYMONTHDAY"},
    "YEARLY": frozenset(_PARTS),
}
"""The parts allowed for each frequency, as in RFC 5545."""

_A_DAY = timedelta(days=1)


class BadRule(ValueError):
    """An invalid or unsupported rule; the message states what is expected."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A rule in a time zone, between the first start and the end. It computes only the occurrences asked for.

    Each occurrence has the local time of `starts_at` in `timezone`, in every season. `starts_at` itself is included only when the
    rule matches it. `last_day` is the day of the last occurrence, or a later day.
    """

    rule: DayRule
    timezone: ZoneInfo
    starts_at: datetime
    ends_at: datetime
    last_day: date

    @classmethod
    def of(cls, rule: str, timezone: ZoneInfo, starts_at: datetime, ends_at: datetime) -> Recurrence:
        """Computes the last day of the rule, so that it has at most `MAX_OCCURRENCES`. Raises `BadRule`."""
        found, first = parts(rule), to_local(starts_at, timezone).date()
        days, last_day = DayRule.of(found, first), to_local(ends_at, timezone).date()
        count = min(int(found.get("COUNT", MAX_OCCURRENCES)), MAX_OCCURRENCES)
        if count <= (last_day - first).days:
            last_day = next(islice(days.days(first, last_day), count - 1, None), last_day)
        return cls(days, timezone, starts_at, ends_at, last_day)

    def starts(self, since: datetime, until: datetime) -> Iterator[datetime]:
        """Yields the instants of the occurrences, in UTC and in order, from `since` until before `until` and the end."""
        clock, last = to_local(self.starts_at, self.timezone).time(), to_local(self.ends_at, self.timezone)
        first_day = to_local(max(since, self.starts_at), self.timezone).date() - _A_DAY
        last_day = self.last_day
        if until < self.ends_at:
            last_day = min(last_day, to_local(until, self.timezone).date() + _A_DAY)
        for day in self.rule.days(first_day, last_day):
            wall = datetime.combine(day, clock.replace(microsecond=0))
            start = max(to_utc(wall, self.timezone), self.starts_at)
            if wall > last or start >= min(until, self.ends_at):
                break
            if start >= since:
                yield start


def occurrences(rule: str, timezone: ZoneInfo, starts_at: datetime, ends_at: datetime) -> list[datetime]:
    """Returns the instants, in UTC and in order, at which `rule` occurs from `starts_at` until before `ends_at`.

    They are at most `MAX_OCCURRENCES`. Raises `BadRule`.
    """
    return list(Recurrence.of(rule, timezone, starts_at, ends_at).starts(starts_at, ends_at))


def parts(rule: str) -> dict[str, str]:
    """Returns the parts of a valid rule by name, in capitals. Raises `BadRule`."""
    if len(rule) > MAX_RULE_LENGTH:
        raise BadRule(f"Must have at most {MAX_RULE_LENGTH} characters.")
    found = _parts(rule)
    if "FREQ" not in found:
        raise BadRule("FREQ is missing, such as FREQ=WEEKLY;BYDAY=SU.")
    for name in found.keys() - _ALLOWED[found["FREQ"]]:
        raise BadRule(f"{name} cannot be combined with FREQ={found['FREQ']}.")
    if found["FREQ"] in ("DAILY", "WEEKLY") and not _PLAIN_DAYS.fullmatch(found.get("BYDAY", "MO")):
        raise BadRule("BYDAY takes numbers with FREQ=MONTHLY and FREQ=YEARLY only.")
    return found


def _parts(rule: str) -> dict[str, str]:
    """Returns the values of the parts by name. Each name may occur once, with a valid value. Raises `BadRule`."""
    parts: dict[str, str] = {}
    for part in rule.upper().split(";"):
        name, _, value = part.partition("=")
        if name not in _PARTS:
            raise BadRule(_refusal_text(name))
        if name in parts:
            raise BadRule(f"{name} is given twice.")
        if not _PARTS[name].fullmatch(value) or not _in_range(name, value):
            expected = " Must be DAILY, WEEKLY, MONTHLY or YEARLY." if name == "FREQ" else ""
            raise BadRule(f"Not a value of {name}.{expected}")
        parts[name] = value
    return parts


def _in_range(name: str, value: str) -> bool:
    highest = _HIGHEST.get(name, 0)
    lowest = 1 if name == "BYMONTH" else -highest
    return not highest or all(lowest <= int(each) <= highest and int(each) for each in value.split(","))


def _refusal_text(name: str) -> str:
    match name:
        case "UNTIL" | "DTSTART":
            return f"{name} is not supported: startsAt and endsAt are its beginning and end."
        case "BYHOUR" | "BYMINUTE" | "BYSECOND":
            return f"{name} is not supported: the time of day is that of startsAt."
        case "BYSETPOS" | "BYYEARDAY" | "BYWEEKNO":
            return f"{name} is not supported: use BYDAY, BYMONTHDAY and BYMONTH, such as BYDAY=-1FR."
        case _:
            return "Not a rule such as FREQ=WEEKLY;BYDAY=SU."
