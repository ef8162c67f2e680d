"""Schedules of PagerDuty: the first layer of an answer is the highest, and one layer alone is on call at a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, time
from typing import Any
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from inbox.domain.oncall.schedule import Unit
from inbox.domain.values.wallclock import to_local
from inbox.intake.base import Node
from inbox.intake.importers import on_call_schedules, plan, week_spans
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.on_call_schedules import LayerDraft, NoLayer, OverrideDraft, ScheduleDraft, instant
from inbox.intake.importers.pagerduty import paths
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan
from inbox.intake.importers.rendered_shifts import RenderedShift
from inbox.intake.importers.week_spans import DAY, Span

TOOL = "pagerduty"

_HOUR_SECONDS, _DAY_SECONDS, _WEEK_SECONDS = 3_600, 86_400, 604_800
NO_LAYERS = "Its layers were not answered. Schedules of version 3, with events that recur, are not imported."


def reference(mark: str) -> str:
    """Returns the reference of a schedule."""
    return plan.line(f"{TOOL}:schedule:{mark}", plan.REFERENCE_LIMIT)


def add(made: Plan, answers: Answers, people: People, at: datetime) -> set[str]:
    """Adds the schedules of all pages; returns their references."""
    details = {urlsplit(key).path: answer for key, answer in answers.items()}
    added = set()
    for listed in made.reading(list(entries(answers, paths.SCHEDULES, "schedules"))):
        mark = listed.text("id")
        path = quote(mark, safe="")
        schedule = Node(details.get(paths.schedule(path))).at("schedule")
        draft = ScheduleDraft(
            reference(mark),
            plan.line(listed.text("name")),
            schedule.text("time_zone"),
            schedule.text("description") or listed.text("description"),
        )
        try:
            _fill(draft, schedule, Node(details.get(paths.overrides(path))), people, at)
        except NoLayer as reason:
            made.leave_out(draft.name, str(reason))
            continue
        if on_call_schedules.add(made, draft, people, at):
            added.add(draft.reference)
    return added


def _fill(draft: ScheduleDraft, schedule: Node, overrides: Node, people: People, at: datetime) -> None:
    if not isinstance(schedule.at("schedule_layers").value, list):
        raise NoLayer(NO_LAYERS)
    if not plan.is_zone(draft.timezone):
        return
    ends = [(layer, instant(layer.text("end"))) for layer in schedule.items("schedule_layers")]
    layers = [(layer, end) for layer, end in ends if end is None or end > at]
    for layer, end in ends:
        if end is not None and end <= at:
            on_call_schedules.ended_layer(draft, layer.text("name"))
    for place, (layer, end) in enumerate(layers):
        draft.layers.append(_layer(layer, len(layers) - place, ZoneInfo(draft.timezone), end, people))
    _add_overrides(draft, overrides, people)
    rendered = schedule.at("final_schedule", "rendered_schedule_entries")
    if isinstance(rendered.value, list):
        draft.rendered = list(_rendered(rendered, people))


def _add_overrides(draft: ScheduleDraft, overrides: Node, people: People) -> None:
    for override in overrides.items("overrides"):
        starts_at, ends_at = instant(override.text("start")), instant(override.text("end"))
        if starts_at is not None and ends_at is not None and starts_at < ends_at:
            draft.overrides.append(OverrideDraft(starts_at, ends_at, people=[_user(override.at("user"), people)]))
        else:
            draft.warnings.append(on_call_schedules.NO_PERIOD)


def _layer(layer: Node, level: int, zone: ZoneInfo, ends_at: datetime | None, people: People) -> LayerDraft:
    """Returns a layer. Raises `NoLayer`."""
    name = plan.line(layer.text("name")) or "Layer"
    begins_at = instant(layer.text("start"))
    anchor = instant(layer.text("rotation_virtual_start")) or begins_at
    unit, every = _length(layer.at("rotation_turn_length_seconds").value)
    if anchor is None or unit is None:
        raise NoLayer(f"The layer {name} has no start, or turns of no whole hours.")
    spans = [_span(each, name) for each in layer.items("restrictions")]
    windows = [span for found in spans for span in found]
    return LayerDraft(
        name,
        to_local(anchor, zone),
        unit,
        every,
        [[_user(each.at("user"), people)] for each in layer.items("users")] or [[]],
        level=level,
        windows=() if week_spans.covers_week(windows) else week_spans.windows_of(windows),
        begins_at=begins_at,
        ends_at=ends_at,
    )


def _length(seconds: Any) -> tuple[Unit | None, int]:
    """Returns the unit and the number of units of a turn."""
    if not isinstance(seconds, int) or isinstance(seconds, bool) or seconds <= 0:
        return None, 0
    for unit, length in ((Unit.WEEK, _WEEK_SECONDS), (Unit.DAY, _DAY_SECONDS), (Unit.HOUR, _HOUR_SECONDS)):
        if seconds % length == 0:
            return unit, seconds // length
    return None, 0


def _span(restriction: Node, name: str) -> list[Span]:
    """Returns the spans of a week of a restriction. Raises `NoLayer`."""
    seconds = restriction.at("duration_seconds").value
    try:
        begins = time.fromisoformat(restriction.text("start_time_of_day"))
        day = int(restriction.text("start_day_of_week") or 0)
        minutes = int(seconds) // 60
    except (ValueError, TypeError, OverflowError):
        raise NoLayer(f"A restriction of the layer {name} cannot be read.") from None
    minute = begins.hour * 60 + begins.minute
    if minutes <= 0 or (restriction.text("type") == "weekly_restriction" and not 1 <= day <= 7):
        raise NoLayer(f"A restriction of the layer {name} cannot be read.")
    if restriction.text("type") == "weekly_restriction":
        return [((day - 1) * DAY + minute, min(minutes, week_spans.WEEK))]
    return [(each * DAY + minute, min(minutes, DAY)) for each in range(7)]


def _user(node: Node, people: People) -> Any:
    return people.id_of(TOOL, node.text("summary") or node.text("name"), node.text("id"))


def _rendered(found: Node, people: People) -> Iterator[RenderedShift]:
    for entry in found.items():
        starts_at, ends_at = instant(entry.text("start")), instant(entry.text("end"))
        if starts_at is not None and ends_at is not None and entry.text("user", "id"):
            yield RenderedShift(starts_at, ends_at, _user(entry.at("user"), people))
