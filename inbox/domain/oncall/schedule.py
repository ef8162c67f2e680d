"""On-call schedules: layers of people who take turns, overrides, and forwarding (specification 23.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import accumulate
from math import gcd
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.domain.values.windows import Schedule as WeeklyWindows
from inbox.domain.values.windows import Window

MAX_LAYERS = 20
"""The most layers of a schedule, and the highest level."""

MAX_MEMBERS = 50
"""The most turns of a layer until the first one comes again."""

MAX_PEOPLE = 10
"""The most people who share a turn, and whom an override names."""

MAX_EVERY = 366
"""The most units of a turn."""

MAX_OVERRIDE = timedelta(days=366)
"""The longest override."""

FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2101, 1, 1, tzinfo=UTC)
"""The times for which schedules are computed."""

People = tuple[UUID, ...]
"""The people who share one turn; empty when nobody takes it."""

_DAY = timedelta(days=1)


class Unit(StrEnum):
    """The unit of the length of turns."""

    HOUR = "hour"
    """Hours by the clock when their number divides 24, such as shifts of 8 hours; otherwise elapsed hours."""

    DAY = "day"
    WEEK = "week"

    MONTH = "month"
    """Calendar months from the start. A day that a month does not have is its last day."""


class Counting(StrEnum):
    """Which turns of a layer move its rotation on."""

    ALL = "all"
    """Every turn, also one in which no window lies."""

    COVERED = "covered"
    """Only turns in which a window lies: three groups on Wednesday and Friday take Wed, Fri, Wed, Fri …"""


class OverrideKind(StrEnum):
    """The effect of an override on the people on call."""

    REPLACE = "replace"
    """Its people are on call in place of `instead_of`, or of everybody."""

    ADD = "add"
    """Its people are on call in addition."""

    REMOVE = "remove"
    """Its people are not on call."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A list of people who take turns. Of the layers that have people at a time, the highest level is on call.

    `start` is a local time without a zone, at which the first of `members` takes the first turn. Without `windows` the
    layer is always active, otherwise only in them. It counts from `begins_at` until before `ends_at`.
    `inherits_zone` says that the time zone is the schedule's.
    """

    id: UUID
    name: str
    level: int
    zone: ZoneInfo
    start: datetime
    unit: Unit
    every: int
    members: tuple[People, ...]
    windows: tuple[Window, ...] = ()
    begins_at: datetime | None = None
    ends_at: datetime | None = None
    counts: Counting = Counting.ALL
    inherits_zone: bool = False
    length: timedelta | None = field(init=False, repr=False, compare=False)
    """The length of a turn; None for months."""
    weekly: WeeklyWindows | None = field(init=False, repr=False, compare=False)
    """The windows in the zone of the layer; None without windows."""
    covered: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The number of covered turns before each turn of a period, and of the whole period; empty if all turns count."""

    def __post_init__(self) -> None:
        """Computes what stays the same for all turns."""
        unit = {Unit.HOUR: timedelta(hours=1), Unit.DAY: _DAY, Unit.WEEK: 7 * _DAY}.get(self.unit)
        object.__setattr__(self, "length", None if unit is None else self.every * unit)
        weekly = WeeklyWindows(self.zone, self.windows) if self.windows else None
        object.__setattr__(self, "weekly", weekly)
        counted = weekly is not None and self.counts is Counting.COVERED and self.unit is Unit.DAY
        object.__setattr__(self, "covered", tuple(self._covered_turns(weekly)) if weekly and counted else ())

    def _covered_turns(self, weekly: WeeklyWindows) -> Iterator[int]:
        """Yields the covered turns before each turn of the shortest period in which turns and weeks repeat."""
        length = self.every * _DAY
        starts = [self.start + turn * length for turn in range(7 // gcd(self.every, 7))]
        yield from accumulate((weekly.overlaps(start, start + length) for start in starts), initial=0)

    def people(self, turn: int) -> People:
        """Returns the people of a turn, counted from the start."""
        return self.members[self.place(turn)]

    def place(self, turn: int) -> int:
        """Returns the place in `members` of a turn, counted from the start."""
        if self.covered:
            periods, rest = divmod(turn, len(self.covered) - 1)
            turn = periods * self.covered[-1] + self.covered[rest]
        return turn % len(self.members)

    def keeps_clock(self) -> bool:
        """Returns whether turns begin at local times, and do not last for elapsed hours."""
        return self.unit is not Unit.HOUR or 24 % self.every == 0


@dataclass(frozen=True, slots=True)
class Override:
    """A change of the people on call for a time, of the whole schedule or of the layers in `layer_ids`.

    One that `is_of_calendar` adds the people of an external calendar. Its `id` is that of the schedule.
    """

    id: UUID
    starts_at: datetime
    ends_at: datetime
    kind: OverrideKind
    user_ids: People = ()
    instead_of: UUID | None = None
    layer_ids: frozenset[UUID] = frozenset()
    is_of_calendar: bool = False


@dataclass(frozen=True, slots=True)
class Forwarding:
    """A person who is on call in place of another one in all schedules, for a time."""

    id: UUID
    starts_at: datetime
    ends_at: datetime
    user_id: UUID
    to: UUID


@dataclass(frozen=True, slots=True)
class Version:
    """The layers of a schedule from a time on; None means always."""

    effective_at: datetime | None
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True)
class OnCallSchedule:
    """Versions of the layers by time, and overrides and forwardings in the order of their creation."""

    versions: tuple[Version, ...]
    overrides: tuple[Override, ...] = ()
    forwardings: tuple[Forwarding, ...] = ()
    absent: People = ()
    """The people whom turns of the last version name, and who left."""

    @classmethod
    def of_layers(cls, layers: Sequence[Layer], overrides: Sequence[Override] = ()) -> OnCallSchedule:
        """Returns a schedule that always had these layers."""
        return cls((Version(None, tuple(layers)),), tuple(overrides))

    def of_layer(self, layer_id: UUID) -> OnCallSchedule:
        """Returns the schedule with the turns of one layer alone, which no other layer, override or forwarding hides."""
        versions = tuple(
            replace(each, layers=tuple(layer for layer in each.layers if layer.id == layer_id))
            for each in self.versions
        )
        return replace(self, versions=versions, overrides=(), forwardings=())

    def without(self, absent: Collection[UUID], now: datetime) -> OnCallSchedule:
        """Returns the schedule in which these people take no turn from now on, because they left.

        Overrides whose people have all left, and forwardings to them, have no effect from now on.
        """
        if not absent:
            return self
        versions = [each for each in self.versions if each.effective_at is None or each.effective_at < now]
        last = self.versions[-1].layers if self.versions else ()
        named = {user for layer in last for people in layer.members for user in people}
        current = tuple(_layer_without(layer, absent) for layer in last)
        return replace(
            self,
            versions=(*versions, Version(now, current)),
            overrides=tuple(_present(self.overrides, absent, now)),
            forwardings=tuple(
                replace(each, ends_at=min(each.ends_at, now)) if each.to in absent else each
                for each in self.forwardings
            ),
            absent=tuple(sorted(named.intersection(absent))),
        )


def _layer_without(layer: Layer, absent: Collection[UUID]) -> Layer:
    members = tuple(tuple(user for user in people if user not in absent) for people in layer.members)
    return replace(layer, members=members)


def _present(overrides: Sequence[Override], absent: Collection[UUID], now: datetime) -> Iterator[Override]:
    for override in overrides:
        users = tuple(user for user in override.user_ids if user not in absent)
        if users == override.user_ids:
            yield override
            continue
        yield replace(override, ends_at=min(override.ends_at, now))
        if users:
            yield replace(override, starts_at=max(override.starts_at, now), user_ids=users)
