"""Shifts of Grafana OnCall as layers: each shift recurs, and one that is shorter than its period is a window.

The shifts of a web schedule recur in UTC. They are imported at the local times that they have at the time of reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.schedule import Counting, Unit
from inbox.domain.values.wallclock import to_local, to_utc
from inbox.intake.base import Node
from inbox.intake.importers import plan, week_spans
from inbox.intake.importers.on_call_schedules import LayerDraft, NoLayer, instant
from inbox.intake.importers.oncall.people import TOOL
from inbox.intake.importers.people import People
from inbox.intake.importers.week_spans import DAY, WEEK

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {"hourly": Unit.HOUR, "daily": Unit.DAY, "weekly": Unit.WEEK}
_MINUTES = {Unit.HOUR: 60, Unit.DAY: DAY, Unit.WEEK: WEEK}
_HIGHEST = 20


@dataclass(frozen=True, slots=True)
class ShiftZone:
    """The zone of a shift. `moves_by` is added to its local times, which are in UTC in a web schedule."""

    zone: ZoneInfo
    timezone: str | None
    moves_by: timedelta = timedelta()

    @classmethod
    def of(cls, shift: Node, of_schedule: str, at: datetime, *, is_web: bool) -> ShiftZone:
        """Returns the zone of a shift in a schedule with this zone. Raises `NoLayer`."""
        own = shift.text("time_zone")
        for name in filter(None, (own, of_schedule)):
            if not plan.is_zone(name):
                raise NoLayer(f"This machine does not know the time zone {plan.line(name)}.")
        if own or not is_web:
            return cls(ZoneInfo(own or of_schedule), own or None)
        zone = ZoneInfo(of_schedule)
        return cls(zone, None, to_local(at, zone) - at.replace(tzinfo=None))

    def local(self, text: str) -> datetime | None:
        """Reads a local time of the shift, in the zone of the layer. None when it is none."""
        try:
            return datetime.fromisoformat(text.removesuffix("Z")).replace(tzinfo=None) + self.moves_by
        except (ValueError, OverflowError):
            return None


@dataclass(frozen=True, slots=True)
class _Recurrence:
    start: datetime
    unit: Unit
    interval: int
    length: int
    """Minutes of one event."""

    days: tuple[int, ...]
    week_start: int
    moves_by: timedelta

    @property
    def period(self) -> int:
        """Returns the minutes from one event to the next one without chosen days."""
        return self.interval * _MINUTES[self.unit]


def layer(shift: Node, zone: ShiftZone, people: People, at: datetime) -> LayerDraft | None:
    """Returns the layer of a shift; None for one that has ended. Raises `NoLayer`."""
    start, until = zone.local(shift.text("start")), zone.local(shift.text("until"))
    if start is None:
        raise NoLayer("A shift has no start.")
    ends_at = to_utc(until, zone.zone) if until is not None else None
    begins_at = to_utc(start, zone.zone)
    since = zone.local(shift.text("rotation_start"))
    if since is not None:
        begins_at = max(begins_at, to_utc(since, zone.zone))
    members = _members(shift, people)
    if shift.text("type") == "single_event":
        ends_at = begins_at + timedelta(minutes=_length(shift))
        made = LayerDraft(shift.text("name"), start, Unit.DAY, 366, members[:1])
    else:
        made = _recurring(shift.text("name"), _recurrence(shift, start, zone), members)
    if ends_at is not None and ends_at <= max(at, begins_at):
        return None
    level = shift.at("level").value
    return LayerDraft(
        made.name, made.start, made.unit, made.every, made.members,
        level=min(_HIGHEST, 1 + level) if isinstance(level, int) and level >= 0 else 1,
        windows=made.windows, timezone=zone.timezone, begins_at=begins_at, ends_at=ends_at, counts=made.counts,
    )  # fmt: skip


def _members(shift: Node, people: People) -> list[list[UUID]]:
    """Returns the people of each turn, beginning with those who take the first one."""
    if shift.text("type") != "rolling_users":
        return [[people.id_of(TOOL, each.text(), each.text()) for each in shift.items("users") if each.text()]]
    rolling = shift.at("rolling_users").value
    groups = [
        [people.id_of(TOOL, each.text(), each.text()) for each in Node(group).items() if each.text()]
        for group in (rolling if isinstance(rolling, list) else [])
    ]
    first = shift.at("start_rotation_from_user_index").value
    place = first % len(groups) if isinstance(first, int) and groups else 0
    return groups[place:] + groups[:place] or [[]]


def _recurrence(shift: Node, start: datetime, zone: ShiftZone) -> _Recurrence:
    """Returns how a shift recurs. Raises `NoLayer` for what no layer can do."""
    unit, interval = _UNITS.get(shift.text("frequency")), shift.at("interval").value
    if unit is None or shift.at("by_month") or shift.at("by_monthday"):
        raise NoLayer(f"Shifts that recur {plan.line(shift.text('frequency')) or 'otherwise'} are not imported.")
    named = [each.text().upper() for each in shift.items("by_day")]
    days = tuple(sorted(_DAYS.index(each) for each in set(named) if each in _DAYS))
    week_start = shift.text("week_start").upper()
    return _Recurrence(
        start, unit, interval if isinstance(interval, int) and interval > 0 else 1, _length(shift),
        () if len(days) == 7 and unit is Unit.DAY else days,
        _DAYS.index(week_start) if week_start in _DAYS else 6, zone.moves_by,
    )  # fmt: skip


def _length(shift: Node) -> int:
    seconds = shift.at("duration").value
    if not isinstance(seconds, int) or isinstance(seconds, bool) or not 60 <= seconds <= 366 * 86_400:
        raise NoLayer("A shift has no duration of a minute to a year.")
    return seconds // 60


def _recurring(name: str, found: _Recurrence, members: Sequence[Sequence[UUID]]) -> LayerDraft:
    """Returns the layer of a recurrence. Raises `NoLayer`."""
    if found.days:
        return _on_days(name, found, members)
    if found.length >= found.period:
        return LayerDraft(name, found.start, found.unit, found.interval, members)
    unit = _MINUTES[found.unit]
    if found.unit is Unit.HOUR or found.length > unit:
        raise NoLayer("A shift that lasts for several units of its period, but not for all of them, is not imported.")
    weekday = found.start.weekday() * DAY + found.start.hour * 60 + found.start.minute
    minute = weekday % DAY
    spans = [(weekday, found.length)] if unit == WEEK else [(day * DAY + minute, found.length) for day in range(7)]
    pauses: list[Sequence[UUID]] = [[]] * (found.interval - 1)
    turns = [turn for each in members for turn in (each, *pauses)]
    windows = () if found.length == unit else week_spans.windows_of(spans)
    return LayerDraft(name, found.start, found.unit, 1, turns, windows=windows)


def _on_days(name: str, found: _Recurrence, members: Sequence[Sequence[UUID]]) -> LayerDraft:
    """Returns the layer of a recurrence on chosen days, which are those of the shift's own zone."""
    told = found.start - found.moves_by
    clock = told.hour * 60 + told.minute
    moved = int(found.moves_by.total_seconds() // 60)
    spans = [((day * DAY + clock + moved) % WEEK, found.length) for day in found.days]
    windows = week_spans.windows_of(spans)
    if found.unit is Unit.DAY and found.interval == 1:
        return LayerDraft(name, found.start, Unit.DAY, 1, members, windows=windows, counts=Counting.COVERED)
    if found.unit is not Unit.WEEK:
        raise NoLayer("A shift on chosen days that recurs by hours, or not daily, is not imported.")
    first = found.start - timedelta(days=(told.weekday() - found.week_start) % 7)
    return LayerDraft(name, first, Unit.WEEK, 1, _weeks(found, members), windows=windows)


def _weeks(found: _Recurrence, members: Sequence[Sequence[UUID]]) -> list[Sequence[UUID]]:
    pauses: list[Sequence[UUID]] = [[]] * (found.interval - 1)
    return [turn for each in members for turn in (each, *pauses)]


def override_times(shift: Node, zone: ShiftZone) -> tuple[datetime, datetime] | None:
    """Returns the start and the end of an override; None when it has none."""
    start = zone.local(shift.text("start"))
    if start is None:
        return None
    begins = to_utc(start, zone.zone)
    return begins, begins + timedelta(minutes=_length(shift))


def rendered_times(node: Node) -> tuple[datetime, datetime] | None:
    """Returns the start and the end of a computed shift; None when it has none."""
    starts_at, ends_at = instant(node.text("shift_start")), instant(node.text("shift_end"))
    return (starts_at, ends_at) if starts_at is not None and ends_at is not None else None
