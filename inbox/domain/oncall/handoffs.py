"""The moments at which people begin and end to be on call (specification 23.10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.oncall.schedule import OnCallSchedule
from inbox.domain.oncall.shifts import Shift, TooManyShifts, upcoming, users_of, who


class Handoff(NamedTuple):
    """A time at which other people are on call, with those who end and those who begin."""

    at: datetime
    end: frozenset[UUID]
    begin: frozenset[UUID]


STEPS = 2_000
"""The most changes that the search for the next handoff evaluates."""


def present_and_next(schedule: OnCallSchedule, now: datetime, until: datetime) -> list[Shift]:
    """Returns the present shift, and the next one with other people if it is found before `until` and in `STEPS`."""
    found: list[Shift] = []
    try:
        for shift in upcoming(schedule, now, until, STEPS):
            if not found or users_of(shift) != users_of(found[0]):
                found.append(shift)
            if len(found) == 2:
                break
    except TooManyShifts:
        found = found or [Shift(now, until, who(schedule, now))]
    return found


def handoffs(present: Collection[UUID], shifts: Iterable[Shift]) -> Iterator[Handoff]:
    """Yields the handoffs of these shifts. `present` are the people before the first one.

    A person who stays on call for another reason has no handoff.
    """
    before = frozenset(present)
    for shift in shifts:
        after = users_of(shift)
        if after != before:
            yield Handoff(shift.starts_at, before - after, after - before)
        before = after
