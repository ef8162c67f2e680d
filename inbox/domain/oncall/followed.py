"""Shifts of a schedule that follows an external calendar: events matched to members (specification 23.20)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from inbox.domain.oncall.schedule import MAX_PEOPLE

AHEAD = timedelta(days=400)
"""The time for which events of a calendar are read."""

MAX_CALENDAR_SHIFTS = 5_000
"""The most shifts that are kept of a calendar."""

MAX_AT_ONCE = 50
"""The most events at one time that name members."""

MAX_UNMATCHED = 50
"""The most names that are kept of those that match nobody."""

LONGEST_NAME = 100
"""The most characters that are kept of a name that matches nobody."""


class TooManyEvents(Exception):
    """A calendar has more shifts than are kept, or more events at one time. The text says which."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An event of a calendar at a time. It names people by texts of its title, and by addresses of its guests."""

    starts_at: datetime
    ends_at: datetime
    level: int
    names: tuple[str, ...]
    addresses: tuple[str, ...]


class Reachable(NamedTuple):
    """A member whom events can name."""

    id: UUID
    name: str
    email: str


class CalendarShift(NamedTuple):
    """A time in which these people are on call by the calendar. No two shifts of a calendar overlap."""

    starts_at: datetime
    ends_at: datetime
    user_ids: tuple[UUID, ...]


class Matching:
    """Members by their addresses and names. A name that two members have matches neither."""

    def __init__(self, members: Iterable[Reachable]) -> None:
        self._by_address: dict[str, UUID] = {}
        self._by_name: dict[str, UUID | None] = {}
        for each in members:
            self._by_address[each.email.lower()] = each.id
            name = _folded(each.name)
            self._by_name[name] = None if name in self._by_name else each.id
        self.unmatched: dict[str, None] = {}

    def people(self, occurrence: Occurrence) -> tuple[UUID, ...]:
        """Returns the people of an event: by the texts of its title, otherwise by the addresses of its guests.

        A text is an address or a name. `unmatched` keeps the texts of events that name somebody else.
        """
        found = [self._by_address.get(each.lower()) or self._by_name.get(_folded(each)) for each in occurrence.names]
        people = [each for each in found if each]
        if not people:
            people = [id for each in occurrence.addresses if (id := self._by_address.get(each.lower()))]
            missing = () if people else occurrence.names or ("",)
        else:
            missing = tuple(text for text, id in zip(occurrence.names, found, strict=True) if id is None)
        self.unmatched.update(dict.fromkeys(text[:LONGEST_NAME] for text in missing))
        return tuple(dict.fromkeys(people))[:MAX_PEOPLE]


def shifts_of(occurrences: Iterable[Occurrence], matching: Matching) -> list[CalendarShift]:
    """Returns the shifts of events, in order. Of events at one time, the highest level that names a member counts.

    Raises `TooManyEvents`.
    """
    people: list[tuple[Occurrence, tuple[UUID, ...]]] = []
    for each in occurrences:
        if named := matching.people(each):
            people.append((each, named))
    found = _joined(_pieces(people))
    if len(found) > MAX_CALENDAR_SHIFTS:
        raise TooManyEvents(f"It has more than {MAX_CALENDAR_SHIFTS:,} shifts.")
    return found


def _pieces(people: Sequence[tuple[Occurrence, tuple[UUID, ...]]]) -> Iterable[CalendarShift]:
    edges = sorted(
        [(each.starts_at, 1, place) for place, (each, _) in enumerate(people)]
        + [(each.ends_at, 0, place) for place, (each, _) in enumerate(people)]
    )
    active: set[int] = set()
    for (at, begins, place), (following, _, _) in zip(edges, [*edges[1:], edges[-1]] if edges else [], strict=True):
        (active.add if begins else active.discard)(place)
        if len(active) > MAX_AT_ONCE:
            raise TooManyEvents(f"It has more than {MAX_AT_ONCE} events at one time.")
        if active and at < following:
            yield CalendarShift(at, following, _present([people[each] for each in active]))


def _present(active: Sequence[tuple[Occurrence, tuple[UUID, ...]]]) -> tuple[UUID, ...]:
    highest = max(occurrence.level for occurrence, _ in active)
    return tuple(sorted({id for occurrence, ids in active if occurrence.level == highest for id in ids}))


def _joined(pieces: Iterable[CalendarShift]) -> list[CalendarShift]:
    found: list[CalendarShift] = []
    for each in pieces:
        last = found[-1] if found else None
        if last is not None and last.ends_at == each.starts_at and last.user_ids == each.user_ids:
            found[-1] = last._replace(ends_at=each.ends_at)
        else:
            found.append(each)
    return found


@dataclass(frozen=True, slots=True)
class Changes:
    """What a reading changes: shifts to end now, to remove, and to add."""

    ended: Collection[CalendarShift]
    removed: Collection[CalendarShift]
    added: Collection[CalendarShift]

    def __bool__(self) -> bool:
        return bool(self.ended or self.removed or self.added)


def changes(stored: Sequence[CalendarShift], read: Sequence[CalendarShift], now: datetime) -> Changes:
    """Compares the stored shifts that have not ended with the shifts just read. Ended shifts stay unchanged."""
    before, after = {_from(each, now): each for each in stored}, {_from(each, now) for each in read}
    gone = [shift for clipped, shift in before.items() if clipped not in after]
    return Changes(
        ended=[each for each in gone if each.starts_at < now],
        removed=[each for each in gone if each.starts_at >= now],
        added=sorted(after - before.keys()),
    )


def _from(shift: CalendarShift, now: datetime) -> CalendarShift:
    return shift._replace(starts_at=max(shift.starts_at, now))


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()
