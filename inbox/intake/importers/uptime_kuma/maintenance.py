"""Converts maintenance windows of Uptime Kuma into silences of the monitors that it names (specification 22.7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple, NoReturn
from zoneinfo import ZoneInfo

from inbox.domain.routing import matchers
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.routing.matchers.clauses import VALUES_LIMIT
from inbox.domain.values import times
from inbox.domain.values.recurrence import BadRule
from inbox.domain.values.wallclock import to_local, to_utc
from inbox.intake.base import Node
from inbox.intake.importers import plan
from inbox.intake.importers.plan import Item, ItemKind, Plan

LONGEST = timedelta(days=365)
COMMENT_LIMIT = 500
DAY = timedelta(days=1)
WEEKDAYS = ("SU", "MO", "TU", "WE", "TH", "FR", "SA")
LAST_DAY = "lastDay"


class NoSilence(Exception):
    """The maintenance becomes no silence, for this reason."""


@dataclass(frozen=True, slots=True)
class Covered:
    """The names of a maintenance's monitors: push monitors, and monitors that report by the webhook."""

    push: Sequence[str] = ()
    others: Sequence[str] = ()

    def match(self) -> Mapping[str, Any]:
        """Returns the match of the events about these monitors."""
        clauses = []
        if self.others:
            clauses.append({"field": "resource", "op": "in", "value": [f"monitor:{name}" for name in self.others]})
        if self.push:
            clauses.append({"field": "metadata.monitor", "op": "in", "value": list(self.push)})
        if not clauses:
            raise NoSilence("It names no monitor.")
        found = {"any": clauses}
        if len(self.push) > VALUES_LIMIT or len(self.others) > VALUES_LIMIT or matchers.check(found):
            raise NoSilence("It names more monitors than a silence can, or names that cannot be matched.")
        return found


@dataclass(frozen=True, slots=True)
class Window:
    """The active time of a silence. `recurrence` is None for a single window."""

    starts_at: datetime
    ends_at: datetime
    recurrence: Mapping[str, Any] | None = None


def add(
    made: Plan, row: Mapping[str, Any], covered: Covered, source: str, now: datetime, shared: Sequence[str] = ()
) -> None:
    """Adds the silence of a maintenance to the plan, or the reason why it becomes none.

    `shared` are the names of the covered monitors that other monitors have too.
    """
    maintenance = Node(row)
    name = plan.line(maintenance.text("title")) or "Maintenance"
    try:
        match, window = covered.match(), _window(maintenance, now)
    except NoSilence as reason:
        made.leave_out(name, str(reason))
        return
    count = len(covered.push) + len(covered.others)
    made.add(
        Item(
            ItemKind.SILENCE,
            plan.line(f"uptime_kuma:maintenance:{maintenance.text('id')}", plan.REFERENCE_LIMIT),
            made.unique(name),
            f"{count} monitors are silenced {_words(window)}.",
            {
                "match": match,
                "starts_at": window.starts_at,
                "ends_at": window.ends_at,
                "recurrence": window.recurrence,
                "comment": plan.line(maintenance.text("title"), COMMENT_LIMIT) or "Imported from Uptime Kuma",
            },
            source=source,
            warnings=tuple(f"Several monitors have the name {plan.line(each)}. It covers them all." for each in shared),
        )
    )


def _words(window: Window) -> str:
    until = f"until {times.rfc3339(window.ends_at)}"
    if window.recurrence is None:
        return f"from {times.rfc3339(window.starts_at)} {until}"
    return f"{window.recurrence['durationMinutes']} minutes at a time by {window.recurrence['rrule']}, {until}"


def _window(maintenance: Node, now: datetime) -> Window:
    strategy = maintenance.text("strategy")
    if not maintenance.text("id") or strategy not in ("single", *_WITHOUT_END, *_RULES):
        _refused()
    if maintenance.text("active") in ("0", "false"):
        raise NoSilence("It is not active.")
    if strategy in _WITHOUT_END:
        raise NoSilence(_WITHOUT_END[strategy])
    zone = _zone(maintenance.text("timezone"))
    begins, ends = (_local(maintenance.text(each)) for each in ("start_date", "end_date"))
    starts_at = now if begins is None else max(to_utc(begins, zone), now)
    ends_at = starts_at + LONGEST if ends is None else min(to_utc(ends, zone), starts_at + LONGEST)
    if ends_at <= starts_at:
        raise NoSilence("It has ended.")
    if strategy == "single":
        return Window(starts_at, ends_at) if ends is not None else _refused()
    first = (begins or to_local(now, zone)).date()
    return _recurring(maintenance, _RULES[strategy](maintenance), Window(starts_at, ends_at), zone, first)


def _recurring(maintenance: Node, rule: _Rule, within: Window, zone: ZoneInfo, first: date) -> Window:
    """Returns the window that recurs by the rule at a time of day. The days of the rule count from `first`."""
    opens, closes = (_time(maintenance.text(each)) for each in ("start_time", "end_time"))
    length = (datetime.combine(date.min, closes) - datetime.combine(date.min, opens)) % DAY
    day = to_local(within.starts_at, zone).date()
    day += timedelta(days=(first - day).days % rule.step)
    starts_at = to_utc(datetime.combine(day, opens), zone)
    stored = {"rrule": rule.text, "timezone": zone.key, "durationMinutes": int(length.total_seconds() // 60)}
    try:
        periods = ActivePeriods.of(starts_at, within.ends_at, stored).periods if length else _refused()
    except (BadRule, ValueError, OverflowError):
        _refused()
    if not any(end > within.starts_at for _, end in periods):
        raise NoSilence("It has no time before its end.")
    return Window(starts_at, within.ends_at, stored)


class _Rule(NamedTuple):
    """An RRULE. `step` is its number of days, for a rule that counts days."""

    text: str
    step: int = 1


def _every_days(maintenance: Node) -> _Rule:
    step = maintenance.at("interval_day").value
    if isinstance(step, int) and not isinstance(step, bool) and 0 < step < 1_000:
        return _Rule(f"FREQ=DAILY;INTERVAL={step}", step)
    _refused()


def _on_weekdays(maintenance: Node) -> _Rule:
    return _Rule(f"FREQ=WEEKLY;BYDAY={_joined(_weekday(each) for each in _list(maintenance, 'weekdays'))}")


def _on_days_of_month(maintenance: Node) -> _Rule:
    return _Rule(f"FREQ=MONTHLY;BYMONTHDAY={_joined(_month_day(each) for each in _list(maintenance, 'days_of_month'))}")


_RULES: Mapping[str, Callable[[Node], _Rule]] = {
    "recurring-interval": _every_days,
    "recurring-weekday": _on_weekdays,
    "recurring-day-of-month": _on_days_of_month,
}
_WITHOUT_END = {
    "manual": "It has no end. Create a silence.",
    "cron": "It follows a cron expression. Create a silence that recurs.",
}


def _joined(days: Iterable[str]) -> str:
    return ",".join(dict.fromkeys(days))


def _refused() -> NoReturn:
    raise NoSilence("Its times cannot be read.")


def _zone(name: str) -> ZoneInfo:
    """Returns the time zone. Without one, a maintenance follows the server, which the database does not name."""
    if name in ("", "SAME_AS_SERVER", "UTC"):
        return ZoneInfo("UTC")
    if not plan.is_zone(name):
        raise NoSilence("Its time zone is unknown.")
    return ZoneInfo(name)


def _local(text: str) -> datetime | None:
    """Reads a local time in the form of the database: `2026-11-22 10:00:00`."""
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        _refused()
    if not 2000 <= found.year <= 9000:
        _refused()
    return found.replace(tzinfo=None)


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text).replace(second=0, microsecond=0, tzinfo=None)
    except ValueError:
        _refused()


def _list(maintenance: Node, name: str) -> Iterator[object]:
    try:
        found = json.loads(maintenance.text(name))
    except (ValueError, RecursionError):
        _refused()
    if not isinstance(found, list) or not found:
        _refused()
    yield from found


def _weekday(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 7:
        return WEEKDAYS[value % 7]
    _refused()


def _month_day(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 31:
        return str(value)
    if isinstance(value, str) and value.removeprefix(LAST_DAY) in ("1", "2", "3", "4") and value.startswith(LAST_DAY):
        return f"-{value.removeprefix(LAST_DAY)}"
    _refused()
