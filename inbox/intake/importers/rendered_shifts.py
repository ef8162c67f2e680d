"""The shifts of an imported schedule, compared with those that the other tool computed (specification 22.12)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any
from uuid import UUID

from inbox.domain.oncall.schedule import OnCallSchedule
from inbox.domain.oncall.shifts import Shift, shifts, users_of
from inbox.domain.values import times

AHEAD = timedelta(days=60)
"""The compared period, from the time at which the set-up was read."""

MOST_DIFFERENCES = 50
"""The most differences of a schedule that a plan lists."""

_People = frozenset[UUID]


@dataclass(frozen=True, slots=True)
class RenderedShift:
    """A person who is on call from a time until another one, as the other tool computed it."""

    starts_at: datetime
    ends_at: datetime
    person: UUID


def compared(
    schedule: OnCallSchedule,
    rendered: Sequence[RenderedShift],
    start: datetime,
    end: datetime,
    name_of: Callable[[UUID], str],
) -> Mapping[str, Any]:
    """Returns the periods in which others are on call, as JSON with names. Raises `TooManyShifts`."""
    found = [
        {
            "startsAt": times.rfc3339(begins),
            "endsAt": times.rfc3339(ends),
            "theirs": sorted(map(name_of, theirs)),
            "ours": sorted(map(name_of, ours)),
        }
        for begins, ends, theirs, ours in _joined(_differences(shifts(schedule, start, end), rendered, start, end))
    ]
    return {
        "startsAt": times.rfc3339(start),
        "endsAt": times.rfc3339(end),
        "total": len(found),
        "differences": found[:MOST_DIFFERENCES],
    }


def _differences(
    own: Sequence[Shift], rendered: Sequence[RenderedShift], start: datetime, end: datetime
) -> Iterator[tuple[datetime, datetime, _People, _People]]:
    """Yields the pieces between two changes in which the people differ: theirs, and ours."""
    theirs = [
        each for each in rendered if each.starts_at < each.ends_at and each.starts_at < end and each.ends_at > start
    ]
    periods = [(each.starts_at, each.ends_at) for each in own] + [(each.starts_at, each.ends_at) for each in theirs]
    edges = {edge for period in periods for edge in period if start < edge < end}
    begun = iter(sorted(theirs, key=lambda each: each.starts_at))
    following = next(begun, None)
    active: list[RenderedShift] = []
    ours = iter(own)
    current = next(ours)
    for begins, ends in pairwise([start, *sorted(edges), end]):
        while following is not None and following.starts_at <= begins:
            active.append(following)
            following = next(begun, None)
        active = [each for each in active if each.ends_at > begins]
        while current.ends_at <= begins:
            current = next(ours)
        their_people = frozenset(each.person for each in active)
        if their_people != users_of(current):
            yield begins, ends, their_people, users_of(current)


def _joined(
    pieces: Iterable[tuple[datetime, datetime, _People, _People]],
) -> Iterator[tuple[datetime, datetime, _People, _People]]:
    """Yields the pieces, with adjoining ones of the same people as one."""
    last: tuple[datetime, datetime, _People, _People] | None = None
    for piece in pieces:
        if last is not None and (last[1], *last[2:]) == (piece[0], *piece[2:]):
            last = (last[0], *piece[1:])
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last
