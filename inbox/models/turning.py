"""The pages of a list that grows without end, each in about the same time however rare what is wanted, and wherever it lies."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from inbox.domain.paging import Position
from inbox.models import pacing, walks
from inbox.models.base import BrokenOff, briefly
from inbox.models.pacing import Clock, Pace, alone, run
from inbox.models.pages import Slice
from inbox.models.walks import Statement, Walk

GATHERED = 0.1
"""Seconds after which gathering is broken off. What is not `DEAR` comes near it on a busy machine only, or where much is not in
memory; it makes a whole page there, where empty ones would come instead."""

DEAR = 22_000
"""What is not gathered: that for which the database would pay more in its own units, with one for each row. Some 25 ms."""

_ALL = 2**31
"""More rows than a step could look at."""

SEARCHED = 0.5
"""Seconds after which an empty page is answered though more may follow."""

ON_THE_WAY, AFAR = 1.0, 8.0
"""Seconds after which the rows of a numbered page are no longer looked for one after the other; or at all."""

NEARBY = 5_000
"""Up to so many rows are skipped here rather than by the database, so that later branches are not walked in vain."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The ids of a page in their order, and the position behind it when more may follow."""

    ids: Sequence[UUID]
    following: Position | None


@dataclass(frozen=True, slots=True)
class LongList:
    """A list that grows without end: how it is walked, its rows among some ids, in any order, and all of it for counting."""

    walk: Walk
    among: Callable[[Sequence[UUID]], Iterable[Any]]
    whole: Callable[[], Any]

    def turn(self, *, after: Position | None, descending: bool, limit: int) -> Slice:
        """The next page, which may be short though more follow: it ends when it has taken long enough.

        It is empty only where nothing follows, or where nothing was found within `SEARCHED`.
        """
        until = time.monotonic() + SEARCHED
        while True:
            steps = page(self.walk, after=after, descending=descending, limit=limit)
            rows = self._rows(steps.ids)
            if rows or steps.following is None or time.monotonic() >= until:
                return Slice(rows, steps.following)
            after = steps.following

    def leap(self, *, offset: int, descending: bool, limit: int) -> Sequence[Any] | None:
        """`limit` rows behind `offset` others; None where they are not found in a few seconds."""
        ids = leap(self.walk, offset=offset, descending=descending, limit=limit)
        return None if ids is None else self._rows(ids)

    def _rows(self, ids: Sequence[UUID]) -> Sequence[Any]:
        found = {row.id: row for row in self.among(ids)} if ids else {}
        return [found[id] for id in ids if id in found]


def page(walk: Walk, *, after: Position | None, descending: bool, limit: int, clock: Clock = time.monotonic) -> Steps:
    """The next `limit` rows after a position; fewer, though more may follow, when the page has taken long enough.

    Each page comes further than the one before. Not within a transaction: it would end when a statement is broken off.
    """
    pace, found, following = Pace(clock, gathers=after is None or not after.walks), [], None
    for hits, following in _steps(walk, after, descending, limit + 1, pace):
        found += hits
        if len(found) > limit:
            following = walks.position(walk, found[limit - 1])
            break
    if following is not None and not pace.gathers:
        following = replace(following, walks=True)
    return Steps([row[0] for row in found[:limit]], following)


def leap(walk: Walk, *, offset: int, descending: bool, limit: int) -> list[UUID] | None:
    """The ids of `limit` rows behind `offset` others; None when they are not found in a few seconds (`AFAR`).

    Not within a transaction.
    """
    if walk.is_empty:
        return []
    walked = partial(_reached, walk, offset, descending, limit)
    tries: list[tuple[Callable[[float], list[Any]], float]] = [(walked, AFAR)]
    if walk.asked or walk.hit is not None:
        gathering = _gathering(walk, None, descending, limit, offset)
        tries = [*([] if _cost(gathering) <= DEAR else [(walked, ON_THE_WAY)]), (partial(briefly, *gathering), AFAR)]
    for look, seconds in tries:
        with suppress(BrokenOff):
            return [row[0] for row in look(seconds)]
    return None


def plan(walk: Walk, *, descending: bool, limit: int) -> list[str]:
    """The lines of the database's plan for the first page, for who wants to see which indexes it takes."""
    part, end = next(_parts(walk, None, descending))
    walking = _walking(part, None, descending, limit + 1, max(limit + 1, pacing.FIRST_LOOKED_AT // walks.count(part)))
    hits, following = _until_last(walk, run(*walking), end)
    if walk.asked and len(hits) <= limit and following is not None:
        way = _shortcut(walk, following, descending, limit + 1)
        if isinstance(way, Walk):
            return _explained(_walking(way, following, descending, limit + 1, pacing.FIRST_LOOKED_AT))
        if way is not None:
            return _explained(way)
    return _explained(walking)


def _reached(walk: Walk, offset: int, descending: bool, limit: int, seconds: float) -> list[Any]:
    """`limit` rows behind `offset` others; raises `BrokenOff` where a statement takes longer than that."""
    far = offset + limit
    if far > NEARBY:
        return briefly(*_walking(walk, None, descending, limit, None, offset), seconds)
    found: list[Any] = []
    for part, _ in _parts(walk, None, descending):
        found += briefly(*_walking(part, None, descending, far - len(found), None), seconds)
        if len(found) == far:
            break
    return found[offset:]


def _steps(
    walk: Walk, after: Position | None, descending: bool, limit: int, pace: Pace
) -> Iterator[tuple[list[Any], Position | None]]:
    """What is found step by step while there is time, and the position behind each; None when nothing follows.

    Where too little is found on the way, a shortcut is taken.
    """
    looks, wanted = bool(walk.asked), limit
    for part, end in _parts(walk, after, descending):
        branches = walks.count(part)
        while True:
            if (most := pace.rows()) == 0:
                return
            each = max(limit, most // branches)
            rows = pace.step(partial(_walking, part, after, descending, limit), branches, each, limit)
            if rows is None:
                return
            hits, after = _until_last(walk, rows, end)
            yield hits, after
            if after is None or after is end:
                break
            wanted -= len(hits)
            if looks and not pace.suffices(len(hits), wanted):
                looks = False
                way = _shortcut(walk, after, descending, wanted, gathers=pace.gathers)
                if isinstance(way, Walk):
                    yield from _steps(way, after, descending, wanted, pace)
                    return
                if way is not None and (rest := pace.gather(way, GATHERED)) is not None:
                    yield rest, None
                    return


def _shortcut(
    walk: Walk, after: Position, descending: bool, limit: int, *, gathers: bool = True
) -> Walk | Statement | None:
    """What finds the rest sooner: the walk through what its sieve leaves, or all that is sought, gathered.

    The cheaper one, if that is cheap. Who sifts already goes on so, unless gathering costs less than all that is left to sift,
    and half of `DEAR`.
    """
    cost, dear = _price(walk, after, descending, limit) if gathers else math.inf, float(DEAR)
    if walk.sifts:
        dear = min(DEAR / 2, _cost(_walking(walk, after, descending, limit, _ALL)))
    elif walk.sieve is not None:
        sifting = replace(walk, sifts=True)
        if _cost(_walking(sifting, after, descending, limit, max(limit, pacing.FIRST_LOOKED_AT))) < min(cost, dear):
            return sifting
    return _gathering(walk, after, descending, limit) if cost <= dear else None


def _price(walk: Walk, after: Position, descending: bool, limit: int) -> float:
    """The cost of gathering; what is searched without an index is read whole, however little is found."""
    pool = walk.pool or walk
    return _cost(_gathering(replace(walk, pool=replace(pool, hit=None)), after, descending, limit))


def _until_last(walk: Walk, rows: Sequence[Any], end: Position | None) -> tuple[list[Any], Position | None]:
    """What is wanted of the rows up to the last one that was looked at in some branch, and its position, or the end."""
    hits = []
    for row in rows:
        hit, last = row[-2:]
        if hit:
            hits.append(row)
        if last:
            return hits, walks.position(walk, row)
    return hits, end


def _walking(
    walk: Walk, after: Position | None, descending: bool, limit: int, most: int | None, offset: int = 0
) -> Statement:
    """Of at most `most` rows in each branch, or of all."""
    if walk.sifts and most is not None:
        return walks.sifted(walk, after, descending=descending, most=most, limit=limit)
    there = [each for each in (replace(walk, beside=()), *walk.beside) if each.branches.rows]
    parts = [
        walks.gathered(each, after, descending=descending)
        if each.gathered
        else walks.along(each, after, descending=descending, most=most, limit=limit + offset)
        for each in there
    ]
    return walks.merged(walk, parts, descending=descending, limit=limit, offset=offset)


def _gathering(walk: Walk, after: Position | None, descending: bool, limit: int, offset: int = 0) -> Statement:
    pool = walk.pool or walk
    part = walks.gathered(pool, after, descending=descending)
    return walks.merged(pool, [part], descending=descending, limit=limit, offset=offset)


def _cost(statement: Statement) -> float:
    """In the database's own units, and one for each row."""
    sql, values = statement
    (plan,) = alone((f"EXPLAIN (FORMAT JSON) {sql}", values))[0][0]
    return float(plan["Plan"]["Total Cost"] + max(_rows(plan["Plan"])))


def _rows(plan: Mapping[str, Any]) -> Iterator[float]:
    """How many rows each part of a plan is expected to answer; bits of an index are no rows."""
    if plan["Node Type"] != "Bitmap Index Scan":
        yield plan["Plan Rows"]
    for part in plan.get("Plans", ()):
        yield from _rows(part)


def _parts(walk: Walk, after: Position | None, descending: bool) -> Iterator[tuple[Walk, Position | None]]:
    """The walk in parts that follow each other: the first branches of the sort, and then twice as many each time.

    With each the position behind it; None: nothing follows.
    """
    if walk.is_empty:
        return
    if walk.branches.ranked is None or walk.sifts:
        yield walk, None
        return
    places, many = walks.ranks(walk, after, descending=descending), 1
    while places:
        here, places, many = places[:many], places[many:], many * 2
        beside = [replace(each, branches=each.branches.only(here)) for each in walk.beside]
        end = walks.before(walk, places[0], descending=descending) if places else None
        yield replace(walk, branches=walk.branches.only(here), beside=beside), end


def _explained(statement: Statement) -> list[str]:
    sql, values = statement
    return [line for (line,) in run(f"EXPLAIN {sql}", values)]
