"""Who is on call: the shifts of a period and the people of an instant, by one computation (specification 23.3)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from heapq import merge
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple
from uuid import UUID

from inbox.domain.oncall.schedule import Forwarding, Layer, OnCallSchedule, Override, OverrideKind
from inbox.domain.oncall.turns import start_of, turn_at
from inbox.domain.values.wallclock import Period, merge_periods

MAX_RANGE = timedelta(days=366)
"""The longest period of a request."""

MAX_SHIFTS = 5_000
"""The most shifts of a request."""

MAX_STEPS = 100_000
"""The most changes and overrides that one computation evaluates, whether a shift ends there or not."""


class OriginKind(StrEnum):
    """The kind of record that puts a person on call."""

    LAYER = "layer"
    OVERRIDE = "override"
    FORWARDING = "forwarding"

    CALENDAR = "calendar"
    """The external calendar that the schedule follows; the id is that of the schedule."""


class Origin(NamedTuple):
    """The layer, override or forwarding that puts a person on call."""

    kind: OriginKind
    id: UUID


class OnCall(NamedTuple):
    """A person on call."""

    user_id: UUID
    origin: Origin


@dataclass(frozen=True, slots=True)
class Shift:
    """A period with the same people on call for the same reasons. Without people it is a gap."""

    starts_at: datetime
    ends_at: datetime
    people: tuple[OnCall, ...]


def users_of(shift: Shift) -> frozenset[UUID]:
    """Returns the people of a shift without their reasons."""
    return frozenset(each.user_id for each in shift.people)


def periods_of(user_id: UUID, shifts: Iterable[Shift]) -> tuple[Period, ...]:
    """Returns the periods in which a person is on call. Adjoining shifts are one."""
    return merge_periods((each.starts_at, each.ends_at) for each in shifts if user_id in users_of(each))


class TooManyShifts(Exception):
    """A period has more shifts, or needs more steps, than one request may have."""


_People = tuple[OnCall, ...]
_Found = dict[UUID, Origin]

_Change = tuple[datetime, int, _People | None]
"""A time, a slot of `_Evaluation.state`, and the value of the slot from then on."""


def who(schedule: OnCallSchedule, at: datetime) -> tuple[OnCall, ...]:
    """Returns the people on call at an instant."""
    return next(upcoming(schedule, at, at + timedelta.resolution)).people


def shifts(schedule: OnCallSchedule, start: datetime, end: datetime) -> list[Shift]:
    """Returns the shifts from `start` until before `end`, without holes. Raises `TooManyShifts`."""
    return _collected(upcoming(schedule, start, end), MAX_SHIFTS)


def turns_by_layer(schedule: OnCallSchedule, start: datetime, end: datetime) -> dict[UUID, list[Shift]]:
    """Returns the turns of each present layer, as if there were nothing else. Raises `TooManyShifts` for all together."""
    layers = schedule.versions[-1].layers
    found: dict[UUID, list[Shift]] = {}
    room = MAX_SHIFTS
    for layer in layers:
        turns = upcoming(schedule.of_layer(layer.id), start, end, MAX_STEPS // len(layers))
        found[layer.id] = _collected(turns, room)
        room -= len(found[layer.id])
    return found


def _collected(found: Iterable[Shift], most: int) -> list[Shift]:
    collected = list(islice(found, most + 1))
    if len(collected) > most:
        raise TooManyShifts
    return collected


def upcoming(schedule: OnCallSchedule, start: datetime, end: datetime, steps: int = MAX_STEPS) -> Iterator[Shift]:
    """Yields the shifts in order, each computed when it is asked for. Raises `TooManyShifts` after so many steps."""
    pieces = _pieces(schedule, start, end, steps)
    begins, people = next(pieces, (end, ()))
    for at, following in pieces:
        if following != people:
            yield Shift(begins, at, people)
            begins, people = at, following
    if begins < end:
        yield Shift(begins, end, people)


def _pieces(schedule: OnCallSchedule, start: datetime, end: datetime, steps: int) -> Iterator[tuple[datetime, _People]]:
    """Yields each time at which people can change, with the people from then on, by the version of the time."""
    effective = [version.effective_at or start for version in schedule.versions]
    if start < min(effective, default=end):
        yield start, ()
    for version, begins, ends in zip(schedule.versions, effective, [*effective[1:], end], strict=True):
        begins, ends = max(begins, start), min(ends, end)
        if begins < ends:
            evaluation = _Evaluation(version.layers, schedule.overrides, schedule.forwardings)
            steps -= yield from evaluation.pieces(begins, ends, steps)


class _Evaluation:
    """The layers, overrides and forwardings of a period, and their state at the present change.

    Each has a slot in `state`: the people of an active layer, an empty tuple for an active override, else None.
    """

    def __init__(
        self, layers: Sequence[Layer], overrides: Sequence[Override], forwardings: Sequence[Forwarding]
    ) -> None:
        self.layers = layers
        self.replacements: tuple[Override | Forwarding, ...] = (*overrides, *forwardings)
        self.state: list[_People | None] = [None] * (len(layers) + len(self.replacements))
        by_level: dict[int, list[int]] = {}
        for slot, layer in enumerate(layers):
            by_level.setdefault(layer.level, []).append(slot)
        self.levels = [by_level[level] for level in sorted(by_level, reverse=True)]
        self.active: list[int] = []

    def pieces(self, start: datetime, end: datetime, steps: int) -> Generator[tuple[datetime, _People], None, int]:
        """Yields the pieces; returns the number of steps."""
        sources = [_layer_changes(layer, slot, start, end) for slot, layer in enumerate(self.layers)]
        at, used = start, 0
        for moment, slot, value in merge(*sources, self._replacement_changes(start, end)):
            if moment > at:
                yield at, self._people()
                at, used = moment, used + 1 + len(self.active)
                if used > steps:
                    raise TooManyShifts
            self._set(slot, value)
        if at < end:
            yield at, self._people()
        return used

    def _replacement_changes(self, start: datetime, end: datetime) -> list[_Change]:
        changes: list[_Change] = []
        for slot, each in enumerate(self.replacements, start=len(self.layers)):
            begins, ends = max(each.starts_at, start), min(each.ends_at, end)
            if begins < ends:
                changes += [(begins, slot, ()), (ends, slot, None)]
        return sorted(changes, key=itemgetter(0, 1))

    def _set(self, slot: int, value: _People | None) -> None:
        self.state[slot] = value
        if slot >= len(self.layers):
            if value is None:
                self.active.remove(slot)
            else:
                insort(self.active, slot)

    def _people(self) -> _People:
        if not self.active:
            return self._of_layers()
        chosen = [self.replacements[slot - len(self.layers)] for slot in self.active]
        overrides = [each for each in chosen if isinstance(each, Override)]
        found: _Found = dict(self._of_layers([each for each in overrides if each.layer_ids]))
        for override in overrides:
            if not override.layer_ids:
                found = _overridden(found, override)
        return _forwarded(found, {each.user_id: each for each in chosen if isinstance(each, Forwarding)})

    def _of_layers(self, overrides: Sequence[Override] = ()) -> _People:
        """Returns the people of the highest level that has any. All layers of a level are on call."""
        for slots in self.levels:
            found = [people for slot in slots if (people := self._of_layer(slot, overrides))]
            if len(found) > 1:
                merged: _Found = {}
                for user, origin in chain.from_iterable(found):
                    merged.setdefault(user, origin)
                return tuple(map(OnCall._make, merged.items()))
            if found:
                return found[0]
        return ()

    def _of_layer(self, slot: int, overrides: Sequence[Override]) -> _People | None:
        people, layer_id = self.state[slot], self.layers[slot].id
        for override in overrides:
            if people is not None and layer_id in override.layer_ids:
                people = tuple(map(OnCall._make, _overridden(dict(people), override).items()))
        return people


def _overridden(found: _Found, override: Override) -> _Found:
    kind = OriginKind.CALENDAR if override.is_of_calendar else OriginKind.OVERRIDE
    given = dict.fromkeys(override.user_ids, Origin(kind, override.id))
    match override.kind:
        case OverrideKind.ADD:
            return found | given | found
        case OverrideKind.REMOVE:
            return {user: origin for user, origin in found.items() if user not in given}
        case OverrideKind.REPLACE if override.instead_of is None:
            return given
        case _:
            others = {user: origin for user, origin in found.items() if user != override.instead_of}
            return others | given if len(others) < len(found) else found


def _forwarded(found: _Found, forwardings: Mapping[UUID, Forwarding]) -> _People:
    """Replaces each person once. The last forwarding of a person counts, and the new person is not forwarded again."""
    result: _Found = {}
    for user, origin in found.items():
        forwarding = forwardings.get(user)
        if forwarding is None:
            result[user] = origin
        else:
            result.setdefault(forwarding.to, Origin(OriginKind.FORWARDING, forwarding.id))
    return tuple(map(OnCall._make, result.items()))


def _layer_changes(layer: Layer, slot: int, start: datetime, end: datetime) -> Iterator[_Change]:
    """Yields the people of a layer when its turns begin, and None when it becomes inactive."""
    origin = Origin(OriginKind.LAYER, layer.id)
    members = [tuple(OnCall(user, origin) for user in people) for people in layer.members]
    never_changes = layer.members.count(layer.members[0]) == len(layer.members) if layer.members else True
    turn, following = -1, start
    for begins, ends in _active_periods(layer, start, end):
        if begins >= following:
            turn = turn_at(layer, begins) or 0
            following = end if never_changes else start_of(layer, turn + 1)
        yield begins, slot, members[layer.place(turn)]
        while following < ends:
            turn, at, following = turn + 1, following, start_of(layer, turn + 2)
            if at < following:
                yield at, slot, members[layer.place(turn)]
        yield ends, slot, None


def _active_periods(layer: Layer, start: datetime, end: datetime) -> Iterable[Period]:
    begins = max(start, layer.begins_at or start, start_of(layer, 0))
    ends = min(end, layer.ends_at or end)
    if begins >= ends or not layer.members:
        return ()
    return [(begins, ends)] if layer.weekly is None else layer.weekly.periods(begins, ends)
