"""Schedules of Grafana OnCall: shifts become layers with their levels, and overrides replace everybody."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

from inbox.intake.base import Node
from inbox.intake.importers import on_call_schedules, plan
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.on_call_schedules import NoLayer, OverrideDraft, ScheduleDraft
from inbox.intake.importers.oncall import paths, shifts
from inbox.intake.importers.oncall.people import TOOL
from inbox.intake.importers.oncall.shifts import ShiftZone
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan
from inbox.intake.importers.rendered_shifts import RenderedShift

FOLLOWS = "The schedule follows an external calendar. Its shifts are not imported."
IN_UTC = "Its shifts recur in UTC there. Here they keep their local times when clocks change."


def reference(mark: str) -> str:
    """Returns the reference of a schedule."""
    return plan.line(f"{TOOL}:schedule:{mark}", plan.REFERENCE_LIMIT)


def add(made: Plan, answers: Answers, people: People, at: datetime) -> set[str]:
    """Adds the schedules of all pages; returns their references."""
    by_id = {shift.text("id"): shift for shift in entries(answers, paths.SHIFTS, "results")}
    added = set()
    for schedule in made.reading(list(entries(answers, paths.SCHEDULES, "results"))):
        draft = ScheduleDraft(
            reference(schedule.text("id")), plan.line(schedule.text("name")), schedule.text("time_zone") or "UTC"
        )
        try:
            if schedule.text("type") == "ical":
                raise NoLayer(FOLLOWS)
            _fill(draft, schedule, by_id, people, at)
        except NoLayer as reason:
            made.leave_out(draft.name, str(reason))
            continue
        draft.rendered = _rendered(answers, schedule.text("id"), people)
        if on_call_schedules.add(made, draft, people, at):
            added.add(draft.reference)
    return added


def _fill(draft: ScheduleDraft, schedule: Node, by_id: Mapping[str, Node], people: People, at: datetime) -> None:
    """Adds layers and overrides. Raises `NoLayer`."""
    if schedule.text("type") == "web" and draft.timezone != "UTC":
        draft.warnings.append(IN_UTC)
    for mark in schedule.items("shifts"):
        shift = by_id.get(mark.text())
        if shift is None:
            draft.warnings.append("A shift of the schedule was not answered.")
            continue
        zone = ShiftZone.of(shift, draft.timezone, at, is_web=schedule.text("type") == "web")
        if shift.text("type") == "override":
            _add_override(draft, shift, zone, people)
            continue
        layer = shifts.layer(shift, zone, people, at)
        if layer is not None:
            draft.layers.append(layer)
        else:
            on_call_schedules.ended_layer(draft, shift.text("name"))


def _add_override(draft: ScheduleDraft, shift: Node, zone: ShiftZone, people: People) -> None:
    times = shifts.override_times(shift, zone)
    if times is not None:
        users = [people.id_of(TOOL, each.text(), each.text()) for each in _users(shift) if each.text()]
        draft.overrides.append(OverrideDraft(*times, people=users))
    else:
        draft.warnings.append(on_call_schedules.NO_PERIOD)


def _users(shift: Node) -> list[Node]:
    rolling = shift.items("rolling_users")
    return shift.items("users") or [each for group in rolling for each in group.items()]


def _rendered(answers: Answers, mark: str, people: People) -> list[RenderedShift] | None:
    path = paths.final_shifts(quote(mark, safe=""))
    if not any(key.startswith(f"{path}?") and answer is not None for key, answer in answers.items()):
        return None
    found = []
    for entry in entries(answers, path, "results"):
        times = shifts.rendered_times(entry)
        if times is not None and entry.text("user_pk"):
            user = people.id_of(TOOL, entry.text("user_username"), entry.text("user_pk"), entry.text("user_email"))
            found.append(RenderedShift(*times, user))
    return found
