"""The moments at which people begin and end to be on call (specification 23.10)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.oncall.shifts import Shift, users_of


class Handoff(NamedTuple):
    """A time at which other people are on call, with those who end and those who begin."""

    at: datetime
    end: frozenset[UUID]
    begin: frozenset[UUID]


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
