"""Schedules of other tools as items of a plan: layers, overrides, and the comparison of shifts (specification 22.12)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from inbox.domain.oncall import stored
from inbox.domain.oncall.schedule import (
    FIRST,
    LAST,
    MAX_EVERY,
    MAX_LAYERS,
    MAX_MEMBERS,
    MAX_OVERRIDE,
    MAX_PEOPLE,
    Counting,
    Layer,
    OnCallSchedule,
    Override,
    OverrideKind,
    Unit,
)
from inbox.domain.oncall.shifts import TooManyShifts
from inbox.domain.oncall.turns import start_of, turn_at
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.wallclock import to_local
from inbox.domain.values.windows import Window
from inbox.intake.importers import plan, rendered_shifts
from inbox.intake.importers.people import People
from inbox.intake.importers.plan import Item, ItemKind, Plan
from inbox.intake.importers.rendered_shifts import RenderedShift

MAX_WINDOWS, MAX_OVERRIDES, LONGEST_DESCRIPTION = 20, 1_000, 500

_NAMESPACE = UUID("0f6f8f0a-5d1c-4c56-8f4b-7f5f0d9d3f11")


NO_PERIOD = "An override whose times or people cannot be read is not imported."


class NoLayer(Exception):
    """An entry becomes no layer, for this reason."""


@dataclass(frozen=True, slots=True)
class LayerDraft:
    """A layer to be: `members` are placeholders of people by turn, `start` a local time in the zone of the layer."""

    name: str
    start: datetime
    unit: Unit
    every: int
    members: Sequence[Sequence[UUID]]
    level: int = 1
    windows: Sequence[Window] = ()
    timezone: str | None = None
    begins_at: datetime | None = None
    ends_at: datetime | None = None
    counts: Counting = Counting.ALL


@dataclass(frozen=True, slots=True)
class OverrideDraft:
    """An override to be; `layers` are places in the list of layers, none for the whole schedule.

    Of overrides at one time the last one counts: the one of the highest `order`, and then of the latest start.
    """

    starts_at: datetime
    ends_at: datetime
    kind: OverrideKind = OverrideKind.REPLACE
    people: Sequence[UUID] = ()
    instead_of: UUID | None = None
    layers: Sequence[int] = ()
    order: int = 0


@dataclass(slots=True)
class ScheduleDraft:
    """A schedule to be. `rendered` are the shifts that the other tool computed; None when they were not read."""

    reference: str
    name: str
    timezone: str
    description: str = ""
    layers: list[LayerDraft] = field(default_factory=list)
    overrides: list[OverrideDraft] = field(default_factory=list)
    rendered: Sequence[RenderedShift] | None = None
    warnings: list[str] = field(default_factory=list)


def add(made: Plan, draft: ScheduleDraft, people: People, at: datetime) -> bool:
    """Adds the item of a schedule that was read at this time, or the reason why there is none."""
    fault = _fault(draft)
    if fault:
        made.leave_out(draft.name, fault)
        return False
    zone = ZoneInfo(draft.timezone)
    layers = []
    for number, each in enumerate(draft.layers):
        try:
            layers.append(_layer(each, zone, uuid5(_NAMESPACE, f"{draft.reference}:{number}"), at))
        except NoLayer as reason:
            made.leave_out(draft.name, f"{plan.line(each.name)}: {reason}")
            return False
    overrides = list(_overrides(draft, layers, at))
    schedule = OnCallSchedule.of_layers(layers, overrides)
    comparison = _comparison(draft, schedule, people, at)
    made.add(
        Item(
            ItemKind.SCHEDULE,
            draft.reference,
            made.unique(draft.name),
            _text(layers, overrides, draft.timezone),
            {
                "timezone": draft.timezone,
                "description": plan.stored_text(draft.description)[:LONGEST_DESCRIPTION],
                "layers": [stored.record(each) for each in layers],
                "overrides": [_override_record(each, layers) for each in overrides],
                "people": {ids.encode(Prefix.USER, id): people.name_of(id) for id in sorted(_named(schedule))},
            },
            warnings=plan.notes(draft.warnings),
            comparison=comparison,
        )
    )
    return True


def ended_layer(draft: ScheduleDraft, name: str) -> None:
    """Warns that a layer is not imported because it has ended."""
    draft.warnings.append(f"{plan.line(name) or 'A layer'} has ended. It is not imported.")


def instant(text: str) -> datetime | None:
    """Reads an instant of another tool; None when it is none, or out of range."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    if found.tzinfo is None or not FIRST.year < found.year < LAST.year - 1:
        return None
    return found.astimezone(UTC)


def _fault(draft: ScheduleDraft) -> str:
    if not plan.line(draft.name):
        return "The schedule has no name."
    if not plan.is_zone(draft.timezone):
        return f"This machine does not know the time zone {plan.line(draft.timezone)}."
    if not draft.layers:
        return "The schedule has no rotation that is imported."
    if len(draft.layers) > MAX_LAYERS:
        return f"A schedule has at most {MAX_LAYERS} layers."
    return ""


def _layer(draft: LayerDraft, zone: ZoneInfo, id: UUID, at: datetime) -> Layer:
    """Returns the layer. Raises `NoLayer` above a limit of layers."""
    if draft.timezone is not None and not plan.is_zone(draft.timezone):
        raise NoLayer(f"This machine does not know the time zone {plan.line(draft.timezone)}.")
    if not 1 <= draft.every <= MAX_EVERY:
        raise NoLayer(f"A turn lasts from 1 to {MAX_EVERY} units.")
    if not 1 <= len(draft.members) <= MAX_MEMBERS:
        raise NoLayer(f"A layer has from 1 to {MAX_MEMBERS} turns.")
    members = tuple(tuple(dict.fromkeys(each)) for each in draft.members)
    if max(map(len, members)) > MAX_PEOPLE:
        raise NoLayer(f"A turn has at most {MAX_PEOPLE} people.")
    if len(draft.windows) > MAX_WINDOWS:
        raise NoLayer(f"A layer has at most {MAX_WINDOWS} windows.")
    if not FIRST.year <= draft.start.year < LAST.year:
        raise NoLayer(f"It starts before {FIRST.year} or after {LAST.year - 1}.")
    layer = Layer(
        id=id,
        name=plan.line(draft.name) or "Layer",
        level=draft.level,
        zone=zone if draft.timezone is None else ZoneInfo(draft.timezone),
        start=draft.start.replace(second=0, microsecond=0),
        unit=draft.unit,
        every=draft.every,
        members=members,
        windows=tuple(draft.windows),
        begins_at=draft.begins_at,
        ends_at=draft.ends_at,
        counts=draft.counts if draft.unit is Unit.DAY and draft.windows else Counting.ALL,
        inherits_zone=draft.timezone is None,
    )
    return _with_clear_start(layer, at)


def _with_clear_start(layer: Layer, at: datetime) -> Layer:
    """Returns the same turns from a start that clocks show once. Raises `NoLayer` when only a former start would do.

    A start that clocks skip or show twice is refused when people type it, so a later start with the same first turn
    replaces it.
    """
    if not list(stored.start_faults(layer.start, layer.zone)):
        return layer
    rounds = max(1, len(layer.covered) - 1) * len(layer.members)
    present = turn_at(layer, at) or 0
    turn = present - present % rounds
    while turn > 0:
        moved = replace(layer, start=to_local(start_of(layer, turn), layer.zone))
        if not list(stored.start_faults(moved.start, moved.zone)):
            return moved
        turn -= rounds
    raise NoLayer("Clocks skip its start, or show it twice.")


def _overrides(draft: ScheduleDraft, layers: Sequence[Layer], at: datetime) -> Iterator[Override]:
    """Yields the overrides that have not ended. A long one is cut, and those beyond the maximum are left out."""
    coming = sorted(
        (each for each in draft.overrides if each.ends_at > at), key=lambda each: (each.order, each.starts_at)
    )
    if len(coming) < len(draft.overrides):
        draft.warnings.append("Overrides that have ended are not imported.")
    for number, each in enumerate(coming):
        if number >= MAX_OVERRIDES:
            draft.warnings.append(f"Only the first {MAX_OVERRIDES:,} overrides are imported.")
            return
        starts_at = max(each.starts_at, at)
        if len(set(each.people)) > MAX_PEOPLE or each.ends_at - starts_at > MAX_OVERRIDE:
            draft.warnings.append(
                f"An override that starts on {starts_at:%Y-%m-%d} is too long, or has too many people."
            )
            continue
        yield Override(
            uuid5(_NAMESPACE, f"{draft.reference}:override:{number}"),
            starts_at,
            each.ends_at,
            each.kind,
            tuple(dict.fromkeys(each.people)),
            each.instead_of,
            frozenset(layers[place].id for place in each.layers),
        )


def _override_record(override: Override, layers: Sequence[Layer]) -> dict[str, Any]:
    return {
        "startsAt": times.rfc3339(override.starts_at),
        "endsAt": times.rfc3339(override.ends_at),
        "kind": str(override.kind),
        "userIds": [ids.encode(Prefix.USER, each) for each in override.user_ids],
        "insteadOf": override.instead_of and ids.encode(Prefix.USER, override.instead_of),
        "layers": [place for place, layer in enumerate(layers) if layer.id in override.layer_ids],
    }


def _named(schedule: OnCallSchedule) -> set[UUID]:
    layers = schedule.versions[-1].layers
    turns = {user for layer in layers for people in layer.members for user in people}
    replaced = {each.instead_of for each in schedule.overrides if each.instead_of}
    return turns | replaced | {user for each in schedule.overrides for user in each.user_ids}


def _comparison(draft: ScheduleDraft, schedule: OnCallSchedule, people: People, at: datetime) -> Any:
    if draft.rendered is None:
        draft.warnings.append("The shifts of the other tool were not read, so they are not compared.")
        return None
    start = at.replace(second=0, microsecond=0) + timedelta(minutes=1)
    try:
        return rendered_shifts.compared(schedule, draft.rendered, start, start + rendered_shifts.AHEAD, people.name_of)
    except TooManyShifts:
        draft.warnings.append("Its shifts are too many to compare.")
        return None


def _text(layers: Sequence[Layer], overrides: Sequence[Override], timezone: str) -> str:
    people = {user for layer in layers for turn in layer.members for user in turn}
    counted = ((len(layers), "layer"), (len(people), "person"), (len(overrides), "override"))
    return f"{', '.join(_counted(*each) for each in counted)}, in {timezone}."


def _counted(count: int, word: str) -> str:
    several = "people" if word == "person" else f"{word}s"
    return f"{count:,} {word if count == 1 else several}"
