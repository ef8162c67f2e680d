"""One page of a list that grows without end: in each branch an index is walked in order, and the branches are merged.

A branch is one workspace, or one value of a filter or a sort in it: where several values may stand, no index is in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.paging import Key, Position
from inbox.models.base import Table, db

LOOKED_THROUGH = 5_000
"""How many rows of a search without an index are looked through for one page, over all branches."""

LEAST_LOOKED_THROUGH = 1_000

_ENDS = {True: ("'infinity'::timestamptz", "'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid"),
         False: ("'-infinity'::timestamptz", "'00000000-0000-0000-0000-000000000000'::uuid")}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Branches:
    """`columns` are names and SQL types of what is fixed in a branch, `rows` the values.

    With `ranked` each row ends with the branch's place in the sort, of that SQL type, which comes before `Walk.order`.
    """

    columns: Mapping[str, str]
    rows: Sequence[Sequence[Any]]
    ranked: str | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """What is walked: rows of `table` that fulfil `conditions`, in `order`, of which the id is the last.

    `hit` is a further condition that no index serves: so many rows are looked through for it, then the page ends.
    `beside` walks in the same order through the rest of the rows, which are found by other conditions. `gathered` rows are
    found by the conditions alone and sorted then, where walking in order would pass by too many others.
    """

    table: type[Table]
    order: Sequence[peewee.Field]
    branches: Branches
    conditions: Sequence[Any] = field(default=())
    hit: Any = None
    beside: Walk | None = None
    gathered: bool = False


@dataclass(frozen=True, slots=True)
class Steps:
    """The ids of a page in their order, and the position behind it when more may follow."""

    ids: Sequence[UUID]
    following: Position | None


def page(walk: Walk, *, after: Position | None, descending: bool, limit: int) -> Steps:
    """The next `limit` rows after a position; fewer, though more may follow, when a search has looked through enough."""
    if not walk.branches.rows:
        return Steps([], None)
    if walk.hit is None:
        rows = _rows(*_merged(walk, after, descending, limit + 1), limit + 1)
        return _steps(walk, rows, limit)
    most = max(LEAST_LOOKED_THROUGH, LOOKED_THROUGH // len(walk.branches.rows))
    statement, values = _merged(walk, after, descending, most)
    seen = f"SELECT * FROM ({statement} LIMIT {most}) s"
    rows = _rows(f"{seen} WHERE s.hit", values, limit + 1)
    if len(rows) > limit:
        return _steps(walk, rows, limit)
    last = db.execute_sql(f"{seen} OFFSET {most - 1}", values).fetchone()
    return Steps([row[0] for row in rows], None if last is None else _position(walk, last))


def plan(walk: Walk, *, descending: bool, limit: int) -> list[str]:
    """The lines of the database's plan for the first page, for who wants to see which indexes it takes."""
    most = limit + 1 if walk.hit is None else LOOKED_THROUGH
    statement, values = _merged(walk, None, descending, most)
    return [line for (line,) in db.execute_sql(f"EXPLAIN {statement} LIMIT {limit + 1}", values).fetchall()]


def _rows(statement: str, values: Sequence[Any], limit: int) -> list[Any]:
    return list(db.execute_sql(f"{statement} LIMIT {limit}", values).fetchall())


def _steps(walk: Walk, rows: Sequence[Any], limit: int) -> Steps:
    following = _position(walk, rows[limit - 1]) if len(rows) > limit else None
    return Steps([row[0] for row in rows[:limit]], following)


def _merged(walk: Walk, after: Position | None, descending: bool, limit: int) -> tuple[str, list[Any]]:
    """Columns: the id, the branch's place, what is ordered by (without the id), whether it is a hit."""
    statement, values = _branched(walk, after, descending, limit)
    if walk.beside is not None:
        more, others = _branched(walk.beside, after, descending, limit)
        statement, values = f"{statement} UNION ALL {more}", [*values, *others]
    way = "DESC" if descending else "ASC"
    lead = ["rank"] if walk.branches.ranked else []
    order = ", ".join(f"{key} {way}" for key in (*lead, *(f"k{place}" for place in range(len(walk.order)))))
    return f"{statement} ORDER BY {order}", values


def _branched(walk: Walk, after: Position | None, descending: bool, limit: int) -> tuple[str, list[Any]]:
    branches, inner = walk.branches, _inner(walk, after, descending).limit(limit)
    names = [*branches.columns, *(["rank"] if branches.ranked else [])]
    types = [*branches.columns.values(), *([branches.ranked] if branches.ranked else [])]
    row = "(" + ", ".join(f"%s::{sql_type}" for sql_type in types) + ")"
    sql, values = inner.sql()
    keys = ", ".join(f"x.k{place}" for place in range(len(walk.order)))
    beyond, rank = _rank_beyond(walk, after, descending)
    places = ", ".join([row] * len(branches.rows))
    statement = (
        f"SELECT x.id, {'b.rank' if branches.ranked else 'NULL'} AS rank, {keys}, x.hit"
        f" FROM (VALUES {places}) b ({', '.join(names)}) CROSS JOIN LATERAL ({sql}) x{beyond}"
    )
    return statement, [*(value for each in branches.rows for value in each), *values, *rank]


def _inner(walk: Walk, after: Position | None, descending: bool) -> Any:
    table: Any = walk.table
    keys = [column.alias(f"k{place}") for place, column in enumerate(walk.order)]
    hit = peewee.SQL("NULL") if walk.hit is None else walk.hit
    query = table.select(walk.order[-1].alias("id"), *keys, hit.alias("hit"))
    here = [getattr(table, name) == peewee.SQL(f"b.{name}") for name in walk.branches.columns]
    query = query.where(*here, *walk.conditions)
    if after is not None:
        mine = peewee.Tuple(*walk.order) if len(walk.order) > 1 else walk.order[0]
        bound = _bound(walk, after, descending)
        query = query.where(mine < bound if descending else mine > bound)
    # No index is in the order of an expression.
    order = [peewee.fn.COALESCE(column, column) for column in walk.order] if walk.gathered else walk.order
    return query.order_by(*(column.desc() if descending else column.asc() for column in order))


def _bound(walk: Walk, after: Position, descending: bool) -> Any:
    rank, values = _unpacked(walk, after)
    if walk.branches.ranked is None:
        bounds: list[Any] = [peewee.Value(value, converter=False) for value in values]
    else:
        ends = _ENDS[descending][-len(values) :]
        bounds = [
            peewee.SQL(f"CASE WHEN b.rank = %s::{walk.branches.ranked} THEN %s ELSE {end} END", (rank, value))
            for value, end in zip(values, ends, strict=True)
        ]
    return peewee.Tuple(*bounds) if len(bounds) > 1 else bounds[0]


def _rank_beyond(walk: Walk, after: Position | None, descending: bool) -> tuple[str, list[Any]]:
    if after is None or walk.branches.ranked is None:
        return "", []
    rank, _ = _unpacked(walk, after)
    return f" WHERE b.rank {'<=' if descending else '>='} %s::{walk.branches.ranked}", [rank]


def _position(walk: Walk, row: Sequence[Any]) -> Position:
    id, rank, *keys = row[: 2 + len(walk.order)]
    if walk.branches.ranked is None:
        return Position(keys[0], id)
    if len(keys) == 1:
        return Position(rank, id)
    return Position(f"{rank}|{keys[0].astimezone(UTC).isoformat()}", id)


def _unpacked(walk: Walk, after: Position) -> tuple[Key | None, list[Any]]:
    """The place of the branch, and the values of `order`."""
    if walk.branches.ranked is None:
        return None, [after.value, after.id][-len(walk.order) :]
    if len(walk.order) == 1:
        return after.value, [after.id]
    rank, _, moment = str(after.value).rpartition("|")
    return rank, [datetime.fromisoformat(moment), after.id]
