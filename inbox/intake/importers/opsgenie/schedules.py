"""Schedules of Opsgenie: rotations become layers of one level, because all of them are on call together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from urllib.parse import quote
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.oncall.schedule import Unit
from inbox.domain.values.wallclock import to_local
from inbox.intake.base import Node
from inbox.intake.importers import on_call_schedules, plan, week_spans
from inbox.intake.importers.answers import Answers, entries
from inbox.intake.importers.on_call_schedules import LayerDraft, NoLayer, OverrideDraft, ScheduleDraft, instant
from inbox.intake.importers.opsgenie import paths
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Plan
from inbox.intake.importers.rendered_shifts import RenderedShift
from inbox.intake.importers.week_spans import DAY, Span

TOOL = "opsgenie"

_UNITS = {"hourly": Unit.HOUR, "daily": Unit.DAY, "weekly": Unit.WEEK}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

Teams = Mapping[str, Sequence[Node]]
"""The members of each team, by its id."""


def reference(mark: str) -> str:
    """Returns the reference of a schedule."""
    return plan.line(f"{TOOL}:schedule:{mark}", plan.REFERENCE_LIMIT)


def teams_of(answers: Answers) -> dict[str, list[Node]]:
    """Returns the members of each team."""
    found = {}
    for team in entries(answers, paths.TEAMS, "data"):
        mark = team.text("id")
        found[mark] = Node(answers.get(f"{paths.TEAMS}/{quote(mark, safe='')}")).items("data", "members")
    return found


def add(made: Plan, answers: Answers, people: People, at: datetime) -> set[str]:
    """Adds the schedules of all pages; returns their references."""
    teams, added = teams_of(answers), set()
    for schedule in made.reading(list(entries(answers, paths.SCHEDULES, "data"))):
        mark = schedule.text("id")
        if not mark or schedule.text("enabled") == "false":
            made.leave_out(schedule.text("name"), "The schedule has no id, or is disabled.")
            continue
        draft = ScheduleDraft(
            reference(mark), plan.line(schedule.text("name")), schedule.text("timezone"), schedule.text("description")
        )
        try:
            _fill(draft, schedule, answers, people, teams, at)
        except NoLayer as reason:
            made.leave_out(draft.name, str(reason))
            continue
        if on_call_schedules.add(made, draft, people, at):
            added.add(draft.reference)
    return added


def _fill(draft: ScheduleDraft, schedule: Node, answers: Answers, people: People, teams: Teams, at: datetime) -> None:
    if not plan.is_zone(draft.timezone):
        return
    places: dict[str, int] = {}
    for rotation in schedule.items("rotations"):
        ends_at = instant(rotation.text("endDate"))
        if ends_at is not None and ends_at <= at:
            on_call_schedules.ended_layer(draft, rotation.text("name"))
            continue
        places[rotation.text("id")] = len(draft.layers)
        draft.layers.append(_layer(rotation, draft, people, teams, ends_at))
    mark = quote(schedule.text("id"), safe="")
    for override in Node(answers.get(paths.overrides(mark))).items("data"):
        found = _override(override, places, people)
        if found is None:
            draft.warnings.append(on_call_schedules.NO_PERIOD)
        else:
            draft.overrides.append(found)
    timeline = next((answer for key, answer in answers.items() if key.startswith(paths.timeline(mark) + "?")), None)
    if timeline is not None:
        draft.rendered = list(_rendered(Node(timeline), people))


def _layer(rotation: Node, draft: ScheduleDraft, people: People, teams: Teams, ends_at: datetime | None) -> LayerDraft:
    """Returns the layer of a rotation. Raises `NoLayer`."""
    name, start = rotation.text("name") or "Rotation", instant(rotation.text("startDate"))
    unit, length = _UNITS.get(rotation.text("type")), rotation.at("length").value
    if start is None or unit is None:
        raise NoLayer(f"The rotation {plan.line(name)} has no start, or no type that is imported.")
    spans = restriction_spans(rotation.at("timeRestriction"))
    members = [_members(each, draft, people, teams) for each in rotation.items("participants")]
    return LayerDraft(
        name,
        to_local(start, ZoneInfo(draft.timezone)),
        unit,
        length if isinstance(length, int) and not isinstance(length, bool) else 1,
        members or [[]],
        windows=() if week_spans.covers_week(spans) else week_spans.windows_of(spans),
        begins_at=start,
        ends_at=ends_at,
    )


def _members(participant: Node, draft: ScheduleDraft, people: People, teams: Teams) -> list[UUID]:
    match participant.text("type"):
        case "user":
            return [_user(participant, people)]
        case "team":
            name = plan.line(participant.text("name")) or "a team"
            draft.warnings.append(f"The turns of the team {name} name its present members.")
            return [_user(each.at("user"), people) for each in teams.get(participant.text("id"), ())]
        case "none":
            return []
        case other:
            draft.warnings.append(f"A participant of type {plan.line(other) or 'unknown'} is imported as nobody.")
            return []


def _user(node: Node, people: People) -> UUID:
    name = node.text("username") or node.text("name")
    return people.id_of(TOOL, name, node.text("id"), name)


def restriction_spans(restriction: Node) -> list[Span]:
    """Returns the spans of a restriction. Raises `NoLayer` for one that cannot be read."""
    if not restriction:
        return []
    try:
        if restriction.text("type") == "time-of-day":
            only = restriction.at("restriction")
            return week_spans.daily(_minute(only, "start"), _minute(only, "end"))
        found = [
            week_spans.weekly(
                _DAYS.index(each.text("startDay").lower()) * DAY + _minute(each, "start"),
                _DAYS.index(each.text("endDay").lower()) * DAY + _minute(each, "end"),
            )
            for each in restriction.items("restrictions")
        ]
    except ValueError:
        raise NoLayer("A time restriction cannot be read.") from None
    return found


def _minute(node: Node, edge: str) -> int:
    """Returns a time as minutes of the day. Raises `ValueError`."""
    hour, minute = (int(node.text(f"{edge}{unit}") or 0) for unit in ("Hour", "Min"))
    if not (0 <= hour <= 24 and 0 <= minute < 60):
        raise ValueError
    return (hour * 60 + minute) % DAY


def _override(node: Node, places: Mapping[str, int], people: People) -> OverrideDraft | None:
    """Returns an override; None for one without a time, or for rotations alone that are not imported."""
    starts_at, ends_at = instant(node.text("startDate")), instant(node.text("endDate"))
    if starts_at is None or ends_at is None or starts_at >= ends_at:
        return None
    named = [places[each.text("id")] for each in node.items("rotations") if each.text("id") in places]
    layers = [] if not node.items("rotations") or len(set(named)) == len(places) else named
    if node.items("rotations") and not named:
        return None
    user = node.at("user")
    is_person = user.text("type") in ("", "user")
    return OverrideDraft(starts_at, ends_at, people=[_user(user, people)] if is_person else [], layers=layers)


def _rendered(timeline: Node, people: People) -> Iterator[RenderedShift]:
    for rotation in timeline.items("data", "finalTimeline", "rotations"):
        for period in rotation.items("periods"):
            starts_at, ends_at = instant(period.text("startDate")), instant(period.text("endDate"))
            if starts_at is None or ends_at is None:
                continue
            flat = period.items("flattenedRecipients") or [period.at("recipient")]
            for recipient in flat:
                if recipient.text("type") == "user":
                    yield RenderedShift(starts_at, ends_at, _user(recipient, people))
