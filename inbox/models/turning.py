"""The pages of a list that grows without end, each for about the same price however rare what is wanted, and wherever it lies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from inbox.domain.paging import Position
from inbox.models import walks
from inbox.models.base import db
from inbox.models.walks import Statement, Walk

FIRST_LOOKED_AT = 1_000
"""How many rows are looked at on the way to a page, over all branches that are walked at once, before it is asked what it
would cost to gather all that is sought."""

MANY = 12_000
"""So many rows, as the database estimates, are not gathered."""

DEAR = 20_000
"""Nor are rows for which it would pay more than that, in its own units: it may read many in vain."""

LOOKED_AT = 10_000
"""How many rows are looked at then, and no more; at another pace (`Walk.pace`) more or fewer."""

SEARCHED = 5_000
"""How many texts are looked through where nothing else is asked."""

LEAST_LOOKED_AT = 100
"""How many rows are looked at in each branch at least."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The ids of a page in their order, and the position behind it when more may follow."""

    ids: Sequence[UUID]
    following: Position | None


def page(walk: Walk, *, after: Position | None, descending: bool, limit: int) -> Steps:
    """The next `limit` rows after a position; fewer, though more may follow, when enough were looked at."""
    if not walk.asked:
        return _walked(walk, after, descending, limit, SEARCHED)
    steps = _walked(walk, after, descending, limit, FIRST_LOOKED_AT)
    if len(steps.ids) == limit or steps.following is None:
        return steps
    gathering = _gathering(walk, after, descending, limit + 1)
    if _is_cheap(gathering):
        return _cut(walk, _run(gathering), limit)
    return _walked(walk, after, descending, limit, int(LOOKED_AT * walk.pace))


def plan(walk: Walk, *, descending: bool, limit: int) -> list[str]:
    """The lines of the database's plan for the first page, for who wants to see which indexes it takes."""
    steps = _walked(walk, None, descending, limit, FIRST_LOOKED_AT)
    gathering = _gathering(walk, None, descending, limit + 1)
    if walk.asked and len(steps.ids) < limit and steps.following is not None and _is_cheap(gathering):
        return _explained(gathering)
    part = next(_parts(walk, None, descending))
    return _explained(_walking(part, None, descending, limit + 1, LOOKED_AT))


def _walked(walk: Walk, after: Position | None, descending: bool, limit: int, most: int) -> Steps:
    rows: list[Any] = []
    for part in _parts(walk, after, descending):
        rows += _run(_walking(part, after, descending, limit + 1 - len(rows), most))
        if len(rows) > limit or (rows and any(last for *_, last in rows)):
            break
    return _cut(walk, rows, limit)


def _explained(statement: Statement) -> list[str]:
    sql, values = statement
    return [line for (line,) in db.execute_sql(f"EXPLAIN {sql}", values).fetchall()]


def _is_cheap(statement: Statement) -> bool:
    sql, values = statement
    plan = db.execute_sql(f"EXPLAIN (FORMAT JSON) {sql}", values).fetchone()[0][0]
    return plan["Plan"]["Total Cost"] <= DEAR and max(_rows(plan["Plan"])) <= MANY


def _rows(plan: Mapping[str, Any]) -> Iterator[float]:
    """How many rows each part of a plan is expected to answer; bits of an index are no rows."""
    if plan["Node Type"] != "Bitmap Index Scan":
        yield plan["Plan Rows"]
    for part in plan.get("Plans", ()):
        yield from _rows(part)


def _walking(walk: Walk, after: Position | None, descending: bool, limit: int, looked_at: int) -> Statement:
    there = [each for each in (replace(walk, beside=()), *walk.beside) if each.branches.rows]
    rows = sum(len(each.branches.rows) for each in there if not each.gathered)
    most = max(limit, LEAST_LOOKED_AT, looked_at // max(rows, 1))
    parts = [
        walks.gathered(each, after, descending=descending)
        if each.gathered
        else walks.along(each, after, descending=descending, most=most, limit=limit)
        for each in there
    ]
    return walks.merged(walk, parts, descending=descending, limit=limit)


def _gathering(walk: Walk, after: Position | None, descending: bool, limit: int) -> Statement:
    pool = walk.pool or walk
    part = walks.gathered(pool, after, descending=descending)
    return walks.merged(pool, [part], descending=descending, limit=limit)


def _parts(walk: Walk, after: Position | None, descending: bool) -> Iterator[Walk]:
    """The walk in parts that follow each other: the first branches of the sort, and then twice as many each time."""
    if not any(branches.rows for branches in walk.all_branches()):
        return
    if walk.branches.ranked is None:
        yield walk
        return
    places, many = walks.ranks(walk, after, descending=descending), 1
    while places:
        here, places, many = set(places[:many]), places[many:], many * 2
        beside = [replace(each, branches=each.branches.only(here)) for each in walk.beside]
        yield replace(walk, branches=walk.branches.only(here), beside=beside)


def _run(statement: Statement) -> list[Any]:
    return list(db.execute_sql(*statement).fetchall())


def _cut(walk: Walk, rows: Sequence[Any], limit: int) -> Steps:
    """The page in these rows: it ends with the last row that was looked at in some branch."""
    ids: list[UUID] = []
    before: Sequence[Any] = ()
    for row in rows:
        if len(ids) == limit:
            return Steps(ids, walks.position(walk, before))
        hit, last = row[-2:]
        if hit:
            ids.append(row[0])
        if last:
            return Steps(ids, walks.position(walk, row))
        before = row
    return Steps(ids, None)
