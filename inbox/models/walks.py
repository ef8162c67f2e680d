"""Lists that grow without end, and how a page of one is said in SQL: an index is walked in order, or rows are gathered.

A branch is one workspace, or one value of a filter or a sort in it: where several values may stand, no index is in order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from operator import and_
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.paging import Key, Position
from inbox.models.base import Table, db

_LEAST, _MOST = UUID(int=0), UUID(bytes=b"\xff" * 16)

Statement = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Branches:
    """`columns` are names and SQL types of what is fixed in a branch, first the workspace; `rows` are the values.

    With `ranked` each row ends with the branch's place in the sort, of that SQL type, which comes before `Walk.order`.
    """

    columns: Mapping[str, str]
    rows: Sequence[Sequence[Any]]
    ranked: str | None = None

    def only(self, ranks: Collection[Any]) -> Branches:
        """The branches with these places in the sort."""
        return replace(self, rows=[row for row in self.rows if row[-1] in ranks])


@dataclass(frozen=True, slots=True)
class Sieve:
    """What is sought in two: `near` is what rows say themselves, by which few may be left, and `far` what is then asked of each
    of these, by its id, in another table."""

    near: Sequence[Any]
    far: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Walk:
    """What is walked: rows of `table` in `order`, of which the id is the last, in each branch along one index.

    That index is walked from `low` (inclusive) to `high` (exclusive) of what comes first in the order; it, or the rows that
    it leads to, fulfil `where`. What else is wanted is asked of each row on the way (`asked`), and `sought` are all filters as
    other indexes find them; where no index says whether a row is wanted (`hit`), both ask for it. `beside` are walks in the
    same order through the rest of the rows. One that is `gathered` is found by what is sought. `pool` is the same list, as
    it is gathered where that is not done from the table that is walked. One that `sifts` goes through what the `sieve` leaves.
    """

    table: type[Table]
    order: Sequence[peewee.Field]
    branches: Branches
    low: Any = None
    high: Any = None
    where: Sequence[Any] = field(default=())
    asked: Sequence[Any] = field(default=())
    sought: Sequence[Any] = field(default=())
    hit: Any = None
    beside: Sequence[Walk] = field(default=())
    gathered: bool = False
    pool: Walk | None = None
    sieve: Sieve | None = None
    sifts: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no branch is left, neither its own nor of what is walked beside it."""
        return not any(each.branches.rows for each in (self, *self.beside))


def along(walk: Walk, after: Position | None, *, descending: bool, most: int | None, limit: int) -> Statement:
    """In each branch the next `limit` rows after a position, of at most `most` that are looked at, or of all.

    Columns: the id, the branch's place, what is ordered by, whether the row is wanted, and whether it is the last that was
    looked at though more may follow. Such a row is there also when it is not wanted.
    """
    keys = [column.alias(f"k{place}") for place, column in enumerate(walk.order)]
    hits = [*walk.asked, *([] if walk.hit is None else [walk.hit])]
    hit = reduce(and_, hits) if hits else peewee.SQL("TRUE")
    table: Any = walk.table
    query = table.select(walk.order[-1].alias("id"), *keys, hit.alias("hit"))
    query = query.where(
        *(getattr(table, name) == peewee.SQL(f"b.{name}") for name in walk.branches.columns), *walk.where
    )
    if after is not None:
        query = query.where(_beyond(walk, after, walk.order, descending))
    # The database begins at the first bound it is told of: another on the same side would have it walk there in vain.
    if walk.low is not None and (after is None or descending):
        query = query.where(walk.order[0] >= walk.low)
    if walk.high is not None and (after is None or not descending):
        query = query.where(walk.order[0] < walk.high)
    sql, values = query.order_by(*(_way(column, descending) for column in walk.order)).limit(most).sql()
    last = "FALSE" if most is None else f"row_number() OVER () = {most}"
    numbered = f"SELECT y.*, {last} AS last FROM ({sql}) y"
    return _told(
        walk,
        after,
        descending,
        f"CROSS JOIN LATERAL (SELECT * FROM ({numbered}) z WHERE z.hit OR z.last LIMIT {limit}) x",
        values,
    )


def gathered(walk: Walk, after: Position | None, *, descending: bool) -> Statement:
    """All of its rows after a position, with the columns of `along`."""
    table: Any = walk.table
    keys = [column.alias(f"k{place}") for place, column in enumerate(walk.order)]
    named = [getattr(table, name) for name in walk.branches.columns]
    sql, values = found(walk).select(walk.order[-1].alias("id"), *keys, *named).sql()
    joined = " AND ".join(f"x.{name} = b.{name}" for name in walk.branches.columns)
    # Read once, however many branches there are, and not in the order of some index.
    tail = f"JOIN (WITH y AS MATERIALIZED ({sql}) SELECT *, TRUE AS hit, FALSE AS last FROM y) x ON {joined}"
    if after is None:
        return _told(walk, after, descending, tail, values)
    here = [peewee.SQL(f"x.k{place}") for place in range(len(walk.order))]
    boundless = replace(walk, low=None, high=None)
    bound, more = db.get_sql_context().sql(_beyond(boundless, after, here, descending)).query()
    return _told(walk, after, descending, f"{tail} AND {bound}", [*values, *more])


def sifted(walk: Walk, after: Position | None, *, descending: bool, most: int, limit: int) -> Statement:
    """The next `limit` rows after a position, of at most `most` that are looked at of those that the sieve leaves, with the
    columns of `along`. Only these are asked for what the other table says."""
    assert walk.sieve is not None
    left = gathered(replace(walk, sought=walk.sieve.near), after, descending=descending)
    sql, values = merged(walk, [left], descending=descending, limit=most)
    far, asked = db.get_sql_context().sql(walk.sieve.far(peewee.SQL("y.id"))).query()
    keys = ", ".join(f"y.k{place}" for place in range(len(walk.order)))
    told = f"SELECT y.id, y.rank, {keys}, {far} AS hit, row_number() OVER () = {most} AS last FROM ({sql}) y"
    return f"SELECT * FROM ({told}) z WHERE z.hit OR z.last LIMIT {limit}", [*asked, *values]


def found(walk: Walk) -> Any:
    """The rows as they are found by what is sought, in no order."""
    table: Any = walk.table
    workspaces = list({row[0] for row in walk.branches.rows})
    hit = [] if walk.hit is None else [walk.hit]
    return table.select(table.id).where(table.workspace_id.in_(workspaces), *walk.sought, *walk.where, *hit)


def merged(walk: Walk, parts: Sequence[Statement], *, descending: bool, limit: int, offset: int = 0) -> Statement:
    """The first `limit` rows of all parts, in the order of the walk, behind `offset` others."""
    way = "DESC" if descending else "ASC"
    lead = ["rank"] if walk.branches.ranked else []
    order = ", ".join(f"{key} {way}" for key in (*lead, *(f"k{place}" for place in range(len(walk.order)))))
    rows = " UNION ALL ".join(sql for sql, _ in parts)
    return f"{rows} ORDER BY {order} LIMIT {limit} OFFSET {offset}", [value for _, values in parts for value in values]


def ranks(walk: Walk, after: Position | None, *, descending: bool) -> list[Any]:
    """The places of the branches from the position on, in the order of the database."""
    places = [row[-1] for each in (walk, *walk.beside) for row in each.branches.rows]
    rows = ", ".join([f"(%s::{walk.branches.ranked})"] * len(places))
    beyond, rank = _rank_beyond(walk, after, descending)
    way = "DESC" if descending else "ASC"
    asked = f"SELECT b.rank FROM (VALUES {rows}) b (rank){beyond} GROUP BY b.rank ORDER BY b.rank {way}"
    return [row[0] for row in db.execute_sql(asked, [*places, *rank]).fetchall()]


def position(walk: Walk, row: Sequence[Any]) -> Position:
    """The position of a row of these statements."""
    id, rank, *keys = row[: 2 + len(walk.order)]
    if walk.branches.ranked is None:
        return Position(keys[0], id)
    if len(keys) == 1:
        return Position(rank, id)
    return Position(f"{rank}|{keys[0].astimezone(UTC).isoformat()}", id)


def count(walk: Walk) -> int:
    """How many branches are walked at once; at least one, though all may be gathered."""
    return (
        1 if walk.sifts else max(1, sum(len(each.branches.rows) for each in (walk, *walk.beside) if not each.gathered))
    )


def before(walk: Walk, rank: Any, *, descending: bool) -> Position:
    """The position before all rows of the branches with this place in the sort."""
    moment, id = (datetime.max, _MOST) if descending else (datetime.min, _LEAST)
    return Position(rank if len(walk.order) == 1 else f"{rank}|{moment.replace(tzinfo=UTC).isoformat()}", id)


def _told(walk: Walk, after: Position | None, descending: bool, tail: str, values: Sequence[Any]) -> Statement:
    branches = walk.branches
    names = [*branches.columns, *(["rank"] if branches.ranked else [])]
    types = [*branches.columns.values(), *([branches.ranked] if branches.ranked else [])]
    row = "(" + ", ".join(f"%s::{sql_type}" for sql_type in types) + ")"
    keys = ", ".join(f"x.k{place}" for place in range(len(walk.order)))
    beyond, rank = _rank_beyond(walk, after, descending)
    rows = ", ".join([row] * len(branches.rows))
    sql = (
        f"SELECT x.id, {'b.rank' if branches.ranked else 'NULL'} AS rank, {keys}, x.hit, x.last"
        f" FROM (VALUES {rows}) b ({', '.join(names)}) {tail}{beyond}"
    )
    return sql, [*(value for each in branches.rows for value in each), *values, *rank]


def _way(column: Any, descending: bool) -> Any:
    return column.desc() if descending else column.asc()


def _beyond(walk: Walk, after: Position, keys: Sequence[Any], descending: bool) -> Any:
    rank, values = _unpacked(walk, after)
    begin = _begin(walk, values, descending)
    if begin is not None and (values[0] >= begin[0] if descending else values[0] < begin[0]):
        values = begin  # the position is one of what is walked beside
    bounds: list[Any] = [peewee.Value(value, converter=False) for value in values]
    if walk.branches.ranked is not None:
        ends = begin or ["infinity" if descending else "-infinity", _MOST if descending else _LEAST][-len(values) :]
        case = f"CASE WHEN b.rank = %s::{walk.branches.ranked} THEN %s ELSE %s END"
        bounds = [
            peewee.SQL(f"({case})::{'uuid' if isinstance(value, UUID) else 'timestamptz'}", (rank, value, end))
            for value, end in zip(values, ends, strict=True)
        ]
    mine, bound = (peewee.Tuple(*each) if len(each) > 1 else each[0] for each in (keys, bounds))
    return peewee.Expression(mine, peewee.OP.LT if descending else peewee.OP.GT, bound)


def _begin(walk: Walk, values: Sequence[Any], descending: bool) -> list[Any] | None:
    """The position right before what is walked in a branch."""
    bound = walk.high if descending else walk.low
    if bound is None:
        return None
    if len(values) == 1 and not descending:
        return [UUID(int=max(bound.int - 1, 0))]
    return [bound, _LEAST][: len(values)]


def _rank_beyond(walk: Walk, after: Position | None, descending: bool) -> Statement:
    if after is None or walk.branches.ranked is None:
        return "", []
    rank, _ = _unpacked(walk, after)
    return f" WHERE b.rank {'<=' if descending else '>='} %s::{walk.branches.ranked}", [rank]


def _unpacked(walk: Walk, after: Position) -> tuple[Key | None, list[Any]]:
    """The place of the branch, and the values of `order`."""
    if walk.branches.ranked is None:
        return None, [after.value, after.id][-len(walk.order) :]
    if len(walk.order) == 1:
        return after.value, [after.id]
    rank, _, moment = str(after.value).rpartition("|")
    return rank, [datetime.fromisoformat(moment), after.id]
