"""SQL for the pages of unbounded lists: a scan of an index in order, or a sort of all matching rows.

A branch is one workspace, or one value of a filter or a sort in a workspace. With several values, no index is in order.
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
from inbox.models.sql.base import Table, db

_LEAST, _MOST = UUID(int=0), UUID(bytes=b"\xff" * 16)

Statement = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Partitions:
    """The branches of a scan: `columns` are names and SQL types of the fixed columns, first the workspace; `rows` the
    values.

    With `ranked`, each row ends with the rank of its branch in the sort, of that SQL type. The rank comes before
    `IndexScan.order`.
    """

    columns: Mapping[str, str]
    rows: Sequence[Sequence[Any]]
    ranked: str | None = None

    def only(self, ranks: Collection[Any]) -> Partitions:
        """The branches with these ranks in the sort."""
        return replace(self, rows=[row for row in self.rows if row[-1] in ranks])


@dataclass(frozen=True, slots=True)
class Prefilter:
    """A filter in two stages: `near` are conditions on the scanned table, which may leave few rows. `far` is then
    checked for each of these rows, by id, in another table."""

    near: Sequence[Any]
    far: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class IndexScan:
    """A scan of the rows of `table` in `order`, along one index in each branch. The last column of `order` is the id.

    The scan covers `low` (inclusive) to `high` (exclusive) of the first order column; its rows fulfil `where`.

    - `residual_filters` are checked for each scanned row.
    - `all_filters` are all filters, in the form that other indexes support.
    - `unindexed_filter` has no index; it is checked in both cases.
    - `extra_scans` read the remaining rows, in the same order.
    - `fetched` means that the rows are found by `all_filters` and then sorted.
    - `fetch_source` is the same list for such a fetch, where it uses another table than the scan.
    - `is_prefiltered` means that only rows that pass `prefilter.near` are scanned.
    """

    table: type[Table]
    order: Sequence[peewee.Field]
    branches: Partitions
    low: Any = None
    high: Any = None
    where: Sequence[Any] = field(default=())
    residual_filters: Sequence[Any] = field(default=())
    all_filters: Sequence[Any] = field(default=())
    unindexed_filter: Any = None
    extra_scans: Sequence[IndexScan] = field(default=())
    fetched: bool = False
    fetch_source: IndexScan | None = None
    prefilter: Prefilter | None = None
    is_prefiltered: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether neither this scan nor an extra scan has a branch."""
        return not any(each.branches.rows for each in (self, *self.extra_scans))


def scan_sql(scan: IndexScan, after: Position | None, *, descending: bool, most: int | None, limit: int) -> Statement:
    """The next `limit` rows after a position in each branch, of at most `most` examined rows, or of all.

    Columns: the id, the rank of the branch, the order columns, `hit` and `last`. `hit` marks a matching row. `last`
    marks the last examined row, if more may follow. That row is returned even without a match.
    """
    keys = [column.alias(f"k{place}") for place, column in enumerate(scan.order)]
    hits = [*scan.residual_filters, *([] if scan.unindexed_filter is None else [scan.unindexed_filter])]
    hit = reduce(and_, hits) if hits else peewee.SQL("TRUE")
    table: Any = scan.table
    query = table.select(scan.order[-1].alias("id"), *keys, hit.alias("hit"))
    query = query.where(
        *(getattr(table, name) == peewee.SQL(f"b.{name}") for name in scan.branches.columns), *scan.where
    )
    if after is not None:
        query = query.where(_beyond(scan, after, scan.order, descending))
    # The database starts at the first bound of a side. A second bound on that side would make it scan in vain.
    if scan.low is not None and (after is None or descending):
        query = query.where(scan.order[0] >= scan.low)
    if scan.high is not None and (after is None or not descending):
        query = query.where(scan.order[0] < scan.high)
    sql, values = query.order_by(*(_direction(column, descending) for column in scan.order)).limit(most).sql()
    last = "FALSE" if most is None else f"row_number() OVER () = {most}"
    numbered = f"SELECT y.*, {last} AS last FROM ({sql}) y"
    return _select(
        scan,
        after,
        descending,
        f"CROSS JOIN LATERAL (SELECT * FROM ({numbered}) z WHERE z.hit OR z.last LIMIT {limit}) x",
        values,
    )


def fetch_all_sql(scan: IndexScan, after: Position | None, *, descending: bool) -> Statement:
    """All matching rows after a position, with the columns of `scan_sql`."""
    table: Any = scan.table
    keys = [column.alias(f"k{place}") for place, column in enumerate(scan.order)]
    named = [getattr(table, name) for name in scan.branches.columns]
    sql, values = matching(scan).select(scan.order[-1].alias("id"), *keys, *named).sql()
    joined = " AND ".join(f"x.{name} = b.{name}" for name in scan.branches.columns)
    # MATERIALIZED: the rows are read once for all branches, and not in the order of some index.
    tail = f"JOIN (WITH y AS MATERIALIZED ({sql}) SELECT *, TRUE AS hit, FALSE AS last FROM y) x ON {joined}"
    if after is None:
        return _select(scan, after, descending, tail, values)
    here = [peewee.SQL(f"x.k{place}") for place in range(len(scan.order))]
    boundless = replace(scan, low=None, high=None)
    bound, more = db.get_sql_context().sql(_beyond(boundless, after, here, descending)).query()
    return _select(scan, after, descending, f"{tail} AND {bound}", [*values, *more])


def prefiltered_sql(scan: IndexScan, after: Position | None, *, descending: bool, most: int, limit: int) -> Statement:
    """The next `limit` rows after a position, of at most `most` examined rows that pass `prefilter.near`.

    The columns are those of `scan_sql`. Only these rows are checked against the other table.
    """
    assert scan.prefilter is not None
    left = fetch_all_sql(replace(scan, all_filters=scan.prefilter.near), after, descending=descending)
    sql, values = merge_sql(scan, [left], descending=descending, limit=most)
    far, asked = db.get_sql_context().sql(scan.prefilter.far(peewee.SQL("y.id"))).query()
    keys = ", ".join(f"y.k{place}" for place in range(len(scan.order)))
    told = f"SELECT y.id, y.rank, {keys}, {far} AS hit, row_number() OVER () = {most} AS last FROM ({sql}) y"
    return f"SELECT * FROM ({told}) z WHERE z.hit OR z.last LIMIT {limit}", [*asked, *values]


def matching(scan: IndexScan) -> Any:
    """The rows that match all filters, in no order."""
    table: Any = scan.table
    workspaces = list({row[0] for row in scan.branches.rows})
    hit = [] if scan.unindexed_filter is None else [scan.unindexed_filter]
    return table.select(table.id).where(table.workspace_id.in_(workspaces), *scan.all_filters, *scan.where, *hit)


def merge_sql(
    scan: IndexScan, parts: Sequence[Statement], *, descending: bool, limit: int, offset: int = 0
) -> Statement:
    """The first `limit` rows of all parts after `offset` rows, in the order of the scan."""
    way = "DESC" if descending else "ASC"
    lead = ["rank"] if scan.branches.ranked else []
    order = ", ".join(f"{key} {way}" for key in (*lead, *(f"k{place}" for place in range(len(scan.order)))))
    rows = " UNION ALL ".join(sql for sql, _ in parts)
    return f"{rows} ORDER BY {order} LIMIT {limit} OFFSET {offset}", [value for _, values in parts for value in values]


def partition_order(scan: IndexScan, after: Position | None, *, descending: bool) -> list[Any]:
    """The ranks of the branches from the position on, in the order of the database."""
    places = [row[-1] for each in (scan, *scan.extra_scans) for row in each.branches.rows]
    rows = ", ".join([f"(%s::{scan.branches.ranked})"] * len(places))
    beyond, rank = _rank_beyond(scan, after, descending)
    way = "DESC" if descending else "ASC"
    asked = f"SELECT b.rank FROM (VALUES {rows}) b (rank){beyond} GROUP BY b.rank ORDER BY b.rank {way}"
    return [row[0] for row in db.execute_sql(asked, [*places, *rank]).fetchall()]


def position(scan: IndexScan, row: Sequence[Any]) -> Position:
    """The position of a row of these statements."""
    id, rank, *keys = row[: 2 + len(scan.order)]
    if scan.branches.ranked is None:
        return Position(keys[0], id)
    if len(keys) == 1:
        return Position(rank, id)
    return Position(f"{rank}|{keys[0].astimezone(UTC).isoformat()}", id)


def count(scan: IndexScan) -> int:
    """The number of branches that are scanned at once; at least one, even if all are fetched."""
    return (
        1
        if scan.is_prefiltered
        else max(1, sum(len(each.branches.rows) for each in (scan, *scan.extra_scans) if not each.fetched))
    )


def cursor_before(scan: IndexScan, rank: Any, *, descending: bool) -> Position:
    """The position before all rows of the branches with this rank."""
    moment, id = (datetime.max, _MOST) if descending else (datetime.min, _LEAST)
    return Position(rank if len(scan.order) == 1 else f"{rank}|{moment.replace(tzinfo=UTC).isoformat()}", id)


def _select(scan: IndexScan, after: Position | None, descending: bool, tail: str, values: Sequence[Any]) -> Statement:
    branches = scan.branches
    names = [*branches.columns, *(["rank"] if branches.ranked else [])]
    types = [*branches.columns.values(), *([branches.ranked] if branches.ranked else [])]
    row = "(" + ", ".join(f"%s::{sql_type}" for sql_type in types) + ")"
    keys = ", ".join(f"x.k{place}" for place in range(len(scan.order)))
    beyond, rank = _rank_beyond(scan, after, descending)
    rows = ", ".join([row] * len(branches.rows))
    sql = (
        f"SELECT x.id, {'b.rank' if branches.ranked else 'NULL'} AS rank, {keys}, x.hit, x.last"
        f" FROM (VALUES {rows}) b ({', '.join(names)}) {tail}{beyond}"
    )
    return sql, [*(value for each in branches.rows for value in each), *values, *rank]


def _direction(column: Any, descending: bool) -> Any:
    return column.desc() if descending else column.asc()


def _beyond(scan: IndexScan, after: Position, keys: Sequence[Any], descending: bool) -> Any:
    rank, values = _unpacked(scan, after)
    begin = _begin(scan, values, descending)
    if begin is not None and (values[0] >= begin[0] if descending else values[0] < begin[0]):
        values = begin  # # the position belongs to an extra scan
    bounds: list[Any] = [peewee.Value(value, converter=False) for value in values]
    if scan.branches.ranked is not None:
        ends = begin or ["infinity" if descending else "-infinity", _MOST if descending else _LEAST][-len(values) :]
        case = f"CASE WHEN b.rank = %s::{scan.branches.ranked} THEN %s ELSE %s END"
        bounds = [
            peewee.SQL(f"({case})::{'uuid' if isinstance(value, UUID) else 'timestamptz'}", (rank, value, end))
            for value, end in zip(values, ends, strict=True)
        ]
    mine, bound = (peewee.Tuple(*each) if len(each) > 1 else each[0] for each in (keys, bounds))
    return peewee.Expression(mine, peewee.OP.LT if descending else peewee.OP.GT, bound)


def _begin(scan: IndexScan, values: Sequence[Any], descending: bool) -> list[Any] | None:
    """The position right before the range of the scan in a branch."""
    bound = scan.high if descending else scan.low
    if bound is None:
        return None
    if len(values) == 1 and not descending:
        return [UUID(int=max(bound.int - 1, 0))]
    return [bound, _LEAST][: len(values)]


def _rank_beyond(scan: IndexScan, after: Position | None, descending: bool) -> Statement:
    if after is None or scan.branches.ranked is None:
        return "", []
    rank, _ = _unpacked(scan, after)
    return f" WHERE b.rank {'<=' if descending else '>='} %s::{scan.branches.ranked}", [rank]


def _unpacked(scan: IndexScan, after: Position) -> tuple[Key | None, list[Any]]:
    """The rank of the branch, and the values of `order`."""
    if scan.branches.ranked is None:
        return None, [after.value, after.id][-len(scan.order) :]
    if len(scan.order) == 1:
        return after.value, [after.id]
    rank, _, moment = str(after.value).rpartition("|")
    return rank, [datetime.fromisoformat(moment), after.id]
