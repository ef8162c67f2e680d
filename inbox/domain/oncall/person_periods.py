"""The times of each person in the shifts of a schedule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.oncall.shifts import Shift, TooManyShifts, users_of


class PersonPeriod(NamedTuple):
    """A time in which a person is on call. Adjoining shifts are one."""

    user_id: UUID
    starts_at: datetime
    ends_at: datetime


def person_periods(shifts: Iterable[Shift]) -> Iterator[PersonPeriod]:
    """Yields the times of everybody by their ends, as long as the shifts can be computed."""
    since: dict[UUID, datetime] = {}
    until = None
    for shift in _computable(shifts):
        users, until = users_of(shift), shift.ends_at
        for user in sorted(since.keys() - users):
            yield PersonPeriod(user, since.pop(user), shift.starts_at)
        for user in users:
            since.setdefault(user, shift.starts_at)
    if until is not None:
        for user, begins in sorted(since.items()):
            yield PersonPeriod(user, begins, until)


def _computable(shifts: Iterable[Shift]) -> Iterator[Shift]:
    try:
        yield from shifts
    except TooManyShifts:
        return
