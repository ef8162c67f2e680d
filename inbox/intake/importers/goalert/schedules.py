"""Schedules of GoAlert: each rotation or user of a schedule is a layer of one level, with its rules as windows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.schedule import Layer, OverrideKind, Unit
from inbox.domain.oncall.turns import turn_at
from inbox.domain.values.wallclock import to_local
from inbox.domain.values.windows import Window
from inbox.intake.base import Node
from inbox.intake.importers import on_call_schedules, plan
from inbox.intake.importers.answers import Answers
from inbox.intake.importers.goalert import queries
from inbox.intake.importers.goalert.people import TOOL
from inbox.intake.importers.on_call_schedules import LayerDraft, NoLayer, OverrideDraft, ScheduleDraft, instant
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan
from inbox.intake.importers.rendered_shifts import RenderedShift

TWO_ZONES = "A rotation has another time zone than the schedule. Its handoffs follow the schedule's."

_UNITS = {"hourly": Unit.HOUR, "daily": Unit.DAY, "weekly": Unit.WEEK, "monthly": Unit.MONTH}
_LENGTHS = {Unit.HOUR: timedelta(hours=1), Unit.DAY: timedelta(days=1), Unit.WEEK: timedelta(weeks=1)}
_ALL_DAYS = frozenset(range(7))
_AFTER_OVERRIDES, _TEMPORARY_SHIFT = 1, 2


def reference(mark: str) -> str:
    """Returns the reference of a schedule."""
    return plan.line(f"{TOOL}:schedule:{mark}", plan.REFERENCE_LIMIT)


def add(made: Plan, answers: Answers, people: People, at: datetime) -> set[str]:
    """Adds the schedules of all pages; returns their references."""
    rotations = {each.text("id"): each for each in queries.nodes(answers, queries.ROTATIONS)}
    overrides: dict[str, list[Node]] = {}
    for override in queries.nodes(answers, queries.OVERRIDES):
        overrides.setdefault(override.text("target", "id"), []).append(override)
    added = set()
    for schedule in made.reading(list(queries.nodes(answers, queries.SCHEDULES))):
        mark = schedule.text("id")
        draft = ScheduleDraft(
            reference(mark), plan.line(schedule.text("name")), schedule.text("timeZone"), schedule.text("description")
        )
        try:
            for target in schedule.items("targets") if plan.is_zone(draft.timezone) else []:
                draft.layers.append(_layer(target, draft, rotations, people, at))
        except NoLayer as reason:
            made.leave_out(draft.name, str(reason))
            continue
        draft.overrides += [each for node in overrides.get(mark, ()) for each in _override(node, draft, people)]
        draft.overrides += [
            each for node in schedule.items("temporarySchedules") for each in _temporary(node, draft, people)
        ]
        shifts = queries.shifts_of(answers, mark)
        draft.rendered = None if shifts is None else list(_rendered(shifts, people))
        if on_call_schedules.add(made, draft, people, at):
            added.add(draft.reference)
    return added


def _layer(
    target: Node, draft: ScheduleDraft, rotations: Mapping[str, Node], people: People, at: datetime
) -> LayerDraft:
    """Returns the layer of a rotation or a user. Raises `NoLayer`."""
    mark, name = target.text("target", "id"), target.text("target", "name") or "Layer"
    windows = _windows(target)
    if target.text("target", "type") == "user":
        user = people.id_of(TOOL, name, mark)
        return LayerDraft(name, datetime(2020, 1, 6), Unit.WEEK, 1, [[user]], windows=windows)
    rotation = rotations.get(mark)
    start = instant(rotation.text("start")) if rotation is not None else None
    unit = _UNITS.get(rotation.text("type")) if rotation is not None else None
    if rotation is None or start is None or unit is None:
        raise NoLayer(f"The rotation {plan.line(name)} was not answered, or has no type that is imported.")
    timezone = rotation.text("timeZone")
    if not plan.is_zone(timezone):
        raise NoLayer(f"This machine does not know the time zone {plan.line(timezone)}.")
    if timezone != draft.timezone and windows:
        draft.warnings.append(TWO_ZONES)
        timezone = draft.timezone
    length: Any = rotation.at("shiftLength").value
    every = length if isinstance(length, int) and not isinstance(length, bool) and length > 0 else 1
    users = [[people.id_of(TOOL, each.text(), each.text())] for each in rotation.items("userIDs") if each.text()]
    begins = _begun(to_local(start, ZoneInfo(timezone)), unit, every, to_local(at, ZoneInfo(timezone)))
    made = LayerDraft(
        name, begins, unit, every, users or [[]], windows=windows,
        timezone=None if timezone == draft.timezone else timezone,
    )  # fmt: skip
    return _placed(made, rotation, ZoneInfo(timezone), at)


def _begun(start: datetime, unit: Unit, every: int, now: datetime) -> datetime:
    """Returns the start, or an earlier handoff: the active user is on call before the start, too."""
    if start <= now or unit is Unit.MONTH:
        return start
    length = every * _LENGTHS[unit]
    return start - -(-(start - now) // length) * length


def _placed(draft: LayerDraft, rotation: Node, zone: ZoneInfo, at: datetime) -> LayerDraft:
    """Returns the layer whose present turn is that of the active user."""
    active, members = rotation.at("activeUserIndex").value, draft.members
    if not isinstance(active, int) or isinstance(active, bool) or not 1 <= draft.every <= 366:
        return draft
    layer = Layer(
        UUID(int=0), draft.name, 1, zone, draft.start, draft.unit, draft.every, tuple(map(tuple, members))
    )  # fmt: skip
    by = (active - (turn_at(layer, at) or 0)) % len(members)
    return LayerDraft(
        draft.name, draft.start, draft.unit, draft.every, [*members[by:], *members[:by]],
        windows=draft.windows, timezone=draft.timezone,
    )  # fmt: skip


def _windows(target: Node) -> tuple[Window, ...]:
    """Returns the windows of the rules of a target; none when a rule is always active. Raises `NoLayer`."""
    found = []
    for rule in target.items("rules"):
        chosen = rule.at("weekdayFilter").value
        days = frozenset(
            (day - 1) % 7 for day in range(7) if isinstance(chosen, list) and chosen[day : day + 1] == [True]
        )
        try:
            start, end = (time.fromisoformat(rule.text(each)) for each in ("start", "end"))
        except ValueError:
            raise NoLayer("The hours of a rule cannot be read.") from None
        if start == end and days == _ALL_DAYS:
            return ()
        if days:
            found.append(Window(days, start.replace(second=0, microsecond=0), end.replace(second=0, microsecond=0)))
    if not found:
        raise NoLayer("A rotation of the schedule has no rule with a day.")
    return tuple(found)


def _override(node: Node, draft: ScheduleDraft, people: People) -> Iterator[OverrideDraft]:
    starts_at, ends_at = instant(node.text("start")), instant(node.text("end"))
    added, removed = node.text("addUserID"), node.text("removeUserID")
    if starts_at is None or ends_at is None or starts_at >= ends_at or not (added or removed):
        draft.warnings.append(on_call_schedules.NO_PERIOD)
        return
    kind = OverrideKind.REPLACE if added and removed else OverrideKind.ADD if added else OverrideKind.REMOVE
    named = people.id_of(TOOL, added or removed, added or removed)
    instead_of = people.id_of(TOOL, removed, removed) if kind is OverrideKind.REPLACE else None
    yield OverrideDraft(starts_at, ends_at, kind, [named], instead_of)


def _temporary(node: Node, draft: ScheduleDraft, people: People) -> Iterator[OverrideDraft]:
    """Yields the overrides of a temporary schedule: nobody for its time, and its shifts in addition."""
    starts_at, ends_at = instant(node.text("start")), instant(node.text("end"))
    if starts_at is None or ends_at is None or starts_at >= ends_at:
        draft.warnings.append(on_call_schedules.NO_PERIOD)
        return
    yield OverrideDraft(starts_at, ends_at, order=_AFTER_OVERRIDES)
    for shift in node.items("shifts"):
        begins, ends = instant(shift.text("start")), instant(shift.text("end"))
        if begins is not None and ends is not None and begins < ends and shift.text("userID"):
            user = people.id_of(TOOL, shift.text("userID"), shift.text("userID"))
            yield OverrideDraft(begins, ends, OverrideKind.ADD, [user], order=_TEMPORARY_SHIFT)
        else:
            draft.warnings.append(on_call_schedules.NO_PERIOD)


def _rendered(found: Node, people: People) -> Iterator[RenderedShift]:
    for shift in found.items():
        starts_at, ends_at = instant(shift.text("start")), instant(shift.text("end"))
        if starts_at is not None and ends_at is not None and shift.text("userID"):
            yield RenderedShift(starts_at, ends_at, people.id_of(TOOL, shift.text("userID"), shift.text("userID")))
