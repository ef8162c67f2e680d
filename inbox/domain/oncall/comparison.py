"""The periods in which two computations of a schedule differ, for the preview of an edit (specification 23.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from uuid import UUID

from inbox.domain.oncall.shifts import Shift, users_of
from inbox.domain.values.wallclock import Period


def changed_periods(before: Sequence[Shift], after: Sequence[Shift]) -> list[Period]:
    """Returns the periods in which other people are on call. Both lists cover the same period without holes."""
    found: list[Period] = []
    for begins, ends, was, becomes in _pieces(before, after):
        if was == becomes:
            continue
        if found and found[-1][1] == begins:
            found[-1] = (found[-1][0], ends)
        else:
            found.append((begins, ends))
    return found


def _pieces(
    before: Sequence[Shift], after: Sequence[Shift]
) -> Iterator[tuple[datetime, datetime, frozenset[UUID], frozenset[UUID]]]:
    """Yields the periods in which both lists have one shift, with the people of each."""
    edges = sorted({edge for each in (*before, *after) for edge in (each.starts_at, each.ends_at)})
    was, becomes = iter(before), iter(after)
    old, new = next(was, None), next(becomes, None)
    for begins, ends in pairwise(edges):
        if old is not None and old.ends_at <= begins:
            old = next(was, None)
        if new is not None and new.ends_at <= begins:
            new = next(becomes, None)
        yield begins, ends, _users(old), _users(new)


def _users(shift: Shift | None) -> frozenset[UUID]:
    return frozenset() if shift is None else users_of(shift)
