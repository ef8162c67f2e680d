"""The pages of a list that grows without end, each in about the same time however rare what is wanted, and wherever it lies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from inbox.domain.paging import Position
from inbox.models import walks
from inbox.models.base import BrokenOff, brief, db
from inbox.models.pages import Slice
from inbox.models.walks import Statement, Walk

Clock = Callable[[], float]
"""Seconds that only ever grow."""

FIRST_LOOKED_AT = 250
"""How many rows the first step of a page looks at, over all branches that are walked at once."""

LEAST_LOOKED_AT = 100
"""A step that could not look at that many rows is not begun."""

GROWTH = 4
"""How many times as many rows a step looks at as the one before it, at most."""

ENOUGH = 0.025
"""Seconds after which a page ends, full or not: no step is begun that is not expected to be through by then."""

LATEST = 0.035
"""Seconds after which a step is broken off that takes longer than was expected; the first never is."""

GATHERED = 0.1
"""Seconds after which gathering is broken off: on a busy or a slow machine it is still dearer to pass by what is not sought."""

MANY = 12_000
"""So many rows, as the database estimates, are not gathered."""

DEAR = 20_000
"""Nor are rows for which it would pay more than that, in its own units: it may read many in vain."""

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
        """The next page, which may be short, even empty, though more follow: it ends when it has taken long enough."""
        steps = page(self.walk, after=after, descending=descending, limit=limit)
        return Slice(self._rows(steps.ids), steps.following)

    def leap(self, *, offset: int, descending: bool, limit: int) -> Sequence[Any] | None:
        """`limit` rows behind `offset` others; None where they are not found in a few seconds."""
        ids = leap(self.walk, offset=offset, descending=descending, limit=limit)
        return None if ids is None else self._rows(ids)

    def _rows(self, ids: Sequence[UUID]) -> Sequence[Any]:
        found = {row.id: row for row in self.among(ids)} if ids else {}
        return [found[id] for id in ids if id in found]


class Pace:
    """How long the page has taken, and how many rows its next step may look at."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._began = clock, clock()
        self._last: tuple[int, float] | None = None

    def rows(self) -> int:
        """As many as are expected to be looked at before the page ends, by what the last step took; 0: it ends now."""
        if self._last is None:
            return FIRST_LOOKED_AT
        rows, took = self._last
        left = self._began + ENOUGH - self._clock()
        more = int(rows * min(GROWTH, left / max(took, 0.001)))
        return more if more >= LEAST_LOOKED_AT else 0

    def suffices(self, hits: int, wanted: int) -> bool:
        """Whether so many are found in time as are still wanted, if the way goes on as in the last step with its hits."""
        _, took = self._last or (0, 0.0)
        left = self._began + ENOUGH - self._clock()
        return hits * left / max(took, 0.001) >= wanted

    def step(self, statement: Statement, rows: int) -> list[Any] | None:
        """What a step finds that looks at so many rows; None when it was broken off, which the first never is."""
        began = self._clock()
        found = _run(*statement) if self._last is None else self.brief(statement, LATEST)
        self._last = rows, self._clock() - began
        return found

    def brief(self, statement: Statement, latest: float) -> list[Any] | None:
        """What the statement answers; None when it was broken off so many seconds after the page began."""
        left = self._began + latest - self._clock()
        if left <= 0:
            return None
        try:
            with brief(left):
                return _alone(statement)
        except BrokenOff:
            return None


def page(walk: Walk, *, after: Position | None, descending: bool, limit: int, clock: Clock = time.monotonic) -> Steps:
    """The next `limit` rows after a position; fewer, though more may follow, when the page has taken long enough.

    Each page comes further than the one before. Not within a transaction: it would end when a statement is broken off.
    """
    pace, found, following = Pace(clock), [], None
    for hits, following in _steps(walk, after, descending, limit + 1, pace):
        found += hits
        if len(found) > limit:
            following = walks.position(walk, found[limit - 1])
            break
    return Steps([row[0] for row in found[:limit]], following)


def leap(walk: Walk, *, offset: int, descending: bool, limit: int) -> list[UUID] | None:
    """The ids of `limit` rows behind `offset` others; None when they are not found in a few seconds (`AFAR`).

    Not within a transaction.
    """
    if walk.is_empty:
        return []
    walked = partial(_reached, walk, offset, descending, limit)
    tries: list[tuple[Callable[[], list[Any]], float]] = [(walked, AFAR)]
    if walk.asked or walk.hit is not None:
        gathering = _gathering(walk, None, descending, limit, offset)
        tries = [*([] if _is_cheap(gathering) else [(walked, ON_THE_WAY)]), (partial(_run, *gathering), AFAR)]
    for look, seconds in tries:
        with suppress(BrokenOff), brief(seconds):
            return [row[0] for row in look()]
    return None


def plan(walk: Walk, *, descending: bool, limit: int) -> list[str]:
    """The lines of the database's plan for the first page, for who wants to see which indexes it takes."""
    part, end = next(_parts(walk, None, descending))
    walking = _walking(part, None, descending, limit + 1, max(limit + 1, FIRST_LOOKED_AT // walks.count(part)))
    hits, following = _until_last(walk, _run(*walking), end)
    if walk.asked and len(hits) <= limit and following is not None:
        gathering = _gathering(walk, following, descending, limit + 1)
        if _is_cheap(gathering):
            return _explained(gathering)
    return _explained(walking)


def _reached(walk: Walk, offset: int, descending: bool, limit: int) -> list[Any]:
    """`limit` rows behind `offset` others, however far they are walked to."""
    far = offset + limit
    if far > NEARBY:
        return _run(*_walking(walk, None, descending, limit, None, offset))
    found: list[Any] = []
    for part, _ in _parts(walk, None, descending):
        found += _run(*_walking(part, None, descending, far - len(found), None))
        if len(found) == far:
            break
    return found[offset:]


def _steps(
    walk: Walk, after: Position | None, descending: bool, limit: int, pace: Pace
) -> Iterator[tuple[list[Any], Position | None]]:
    """What is found step by step while there is time, and the position behind each; None when nothing follows.

    Where too little is found on the way, all that is sought is gathered instead, if that costs little.
    """
    gathers, wanted = bool(walk.asked), limit
    for part, end in _parts(walk, after, descending):
        branches = walks.count(part)
        while True:
            if (most := pace.rows()) == 0:
                return
            each = max(limit, most // branches)
            rows = pace.step(_walking(part, after, descending, limit, each), each * branches)
            if rows is None:
                return
            hits, after = _until_last(walk, rows, end)
            yield hits, after
            if after is None or after is end:
                break
            wanted -= len(hits)
            if gathers and not pace.suffices(len(hits), wanted):
                gathers = False
                if (rest := _gathered(walk, after, descending, limit, pace)) is not None:
                    yield rest, None
                    return


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


def _gathered(walk: Walk, after: Position, descending: bool, limit: int, pace: Pace) -> list[Any] | None:
    """The next rows of all that is sought; None where that costs too much."""
    gathering = _gathering(walk, after, descending, limit)
    return pace.brief(gathering, GATHERED) if _is_cheap(gathering) else None


def _walking(
    walk: Walk, after: Position | None, descending: bool, limit: int, most: int | None, offset: int = 0
) -> Statement:
    """Of at most `most` rows in each branch, or of all."""
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


def _is_cheap(statement: Statement) -> bool:
    sql, values = statement
    (plan,) = _alone((f"EXPLAIN (FORMAT JSON) {sql}", values))[0][0]
    return plan["Plan"]["Total Cost"] <= DEAR and max(_rows(plan["Plan"])) <= MANY


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
    if walk.branches.ranked is None:
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
    return [line for (line,) in _run(f"EXPLAIN {sql}", values)]


def _alone(statement: Statement) -> list[Any]:
    """Without helpers: to start them takes longer than most pages do, and others have pages to turn, too."""
    sql, values = statement
    return _run(f"SET LOCAL max_parallel_workers_per_gather = 0; {sql}", values)


def _run(sql: str, values: Sequence[Any]) -> list[Any]:
    return list(db.execute_sql(sql, values).fetchall())
