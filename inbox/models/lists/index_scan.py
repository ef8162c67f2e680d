"""SQL of long lists: scans an index in list order, and sorts the few rows a filter leaves.

A branch is one workspace, or one value of a filter or a sort in a workspace. An index keeps the order within a branch.
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

from inbox.database.base import Table, db
from inbox.database.bulk_sql import array_literal
from inbox.domain.values.paging import Key, Position

Statement = tuple[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Partitions:
    """The branches of a scan.

    `columns` are names and SQL types of the fixed columns, the workspace first; `rows` are the values. With `ranked`,
    each row ends with the rank of its branch in the sort, of that SQL type. The rank comes before `IndexScan.order`.
    """

    columns: Mapping[str, str]
    rows: Sequence[Sequence[Any]]
    ranked: str | None = None

    def only(self, ranks: Collection[Any]) -> Partitions:
        """Returns the branches with these ranks in the sort."""
        return replace(self, rows=[row for row in self.rows if row[-1] in ranks])


@dataclass(frozen=True, slots=True)
class Lookup:
    """The rows of `table` that `where` finds by an index, in no order. `filters` are checked for each of them.

    `rows` selects the same rows from the indexed table alone, for counting. Without `where`, it selects their ids.
    """

    rows: Any
    table: Any
    where: Sequence[Any] | None
    filters: Sequence[Any]


@dataclass(frozen=True, slots=True)
class IndexScan:
    """A scan of the rows of `table` in `order`, along one index in each branch. The last column of `order` is the id.

    The scan covers `low` (inclusive) to `high` (exclusive) of the first order column; its rows fulfil `where`.

    - `filters` are checked for each scanned row.
    - `text_filter` is a condition for an id. It is checked last, because it reads another table.
    - `beside` scans other tables of the same order, with their own branches.
    - `outside` finds the rows outside the range of the scan that belong to the list. They are few.
    - `lookups` and `text_lookups` are the filters that may leave few rows, the most selective first.
    """

    table: type[Table]
    order: Sequence[peewee.Field]
    branches: Partitions
    low: Any = None
    high: Any = None
    where: Sequence[Any] = field(default=())
    filters: Sequence[Any] = field(default=())
    text_filter: Callable[[Any], Any] | None = None
    beside: Sequence[IndexScan] = field(default=())
    outside: Sequence[Lookup] = field(default=())
    lookups: Sequence[Lookup] = field(default=())
    text_lookups: Sequence[Lookup] = field(default=())

    def only(self, ranks: Collection[Any]) -> IndexScan:
        """Returns the scan of the branches with these ranks in the sort."""
        return replace(self, branches=self.branches.only(ranks), beside=[scan.only(ranks) for scan in self.beside])


def scan_sql(scan: IndexScan, after: Position | None, *, descending: bool, most: int, limit: int) -> Statement:
    """Returns the next `limit` rows after a position, of at most `most` examined rows in each branch.

    Columns: the id, the rank of the branch, the order columns, `hit` and `last`. `hit` marks a matching row. `last`
    marks the last examined row of a branch, if more may follow. That row is returned even without a match.
    """
    parts = [
        *(_scanned(each, after, descending, most, limit) for each in (scan, *scan.beside) if each.branches.rows),
        *(lookup_sql(scan, each, after, descending=descending, limit=limit) for each in scan.outside),
    ]
    rows = " UNION ALL ".join(f"SELECT * FROM ({sql}) part" for sql, _ in parts)
    sql = f"{rows} ORDER BY {_order(scan, descending)} LIMIT {limit}"
    return sql, [value for _, values in parts for value in values]


def size_sql(scan: IndexScan, after: Position | None, *, descending: bool, most: int) -> Statement:
    """Returns the number of rows that the scan examines after a position in all branches, counted to `most`."""
    parts = [_sized(each, after, descending, most) for each in (scan, *scan.beside) if each.branches.rows]
    rows = " UNION ALL ".join(f"SELECT * FROM ({sql}) part" for sql, _ in parts)
    return f"SELECT count(*) FROM ({rows} LIMIT {most}) y", [value for _, values in parts for value in values]


def lookup_sql(scan: IndexScan, lookup: Lookup, after: Position | None, *, descending: bool, limit: int) -> Statement:
    """Returns the next `limit` rows after a position, of all rows that the lookup finds, with the columns of `scan_sql`.

    The filters are no conditions of the inner query, so that the planner cannot choose another index for them.
    """
    table, branches = lookup.table, scan.branches
    keys = [getattr(table, column.name).alias(f"k{place}") for place, column in enumerate(scan.order)]
    columns = [getattr(table, name).alias(name) for name in branches.columns]
    found = table.select(table.id.alias("id"), *keys, *columns, _all(lookup.filters).alias("hit"))
    inner, values = found.where(_in_workspaces(table, scan), *(lookup.where or ())).sql()
    beyond, position_values = _beyond_sorted(scan, after, descending)
    text, text_values = _sql(_all(_text(scan, peewee.SQL("y.id"))))
    names, branch_sql, branch_values = _branch_rows(branches)
    joined = " AND ".join(f"y.{name} = b.{name}" for name in branches.columns)
    rank = "b.rank" if branches.ranked else "NULL::text"
    columns_sql = ", ".join(f"y.k{place}" for place in range(len(keys)))
    sql = (
        f"WITH y AS MATERIALIZED ({inner}) SELECT y.*, TRUE AS hit, FALSE AS last FROM ("
        f"SELECT y.id, {rank} AS rank, {columns_sql} FROM y JOIN (VALUES {branch_sql}) b ({names}) ON {joined}"
        f" WHERE y.hit{beyond} ORDER BY {_order(scan, descending)}) y WHERE {text} LIMIT {limit}"
    )
    return sql, [*values, *branch_values, *position_values, *text_values]


def count_sql(lookup: Lookup, most: int) -> Statement:
    """Returns the number of rows that the lookup finds, counted to `most`."""
    sql, values = lookup.rows.limit(most).sql()
    return f"SELECT count(*) FROM ({sql}) y", values


def by_ids(lookup: Lookup, ids: Sequence[UUID]) -> Lookup:
    """Returns the lookup of the rows with these ids."""
    any_id = peewee.SQL("ANY(%s::uuid[])", [array_literal(ids, unquoted=True)])
    return replace(lookup, where=[peewee.Expression(lookup.table.id, peewee.OP.EQ, any_id)])


def ranks_from(scan: IndexScan, after: Position | None, *, descending: bool) -> list[Any]:
    """Returns the ranks of the branches from the position on, in the order of the database."""
    ranks = list({row[-1] for row in scan.branches.rows})
    rows = ", ".join([f"(%s::{scan.branches.ranked})"] * len(ranks))
    beyond, rank = ("", []) if after is None else (f" WHERE b.rank {_side(descending)}= %s", [unpacked(scan, after)[0]])
    way = "DESC" if descending else "ASC"
    found = db.execute_sql(
        f"SELECT b.rank FROM (VALUES {rows}) b (rank){beyond} ORDER BY b.rank {way}", [*ranks, *rank]
    )
    return [row[0] for row in found.fetchall()]


def position(scan: IndexScan, row: Sequence[Any]) -> Position:
    """Returns the position of a row of these statements."""
    id, rank, *keys = row[: 2 + len(scan.order)]
    if scan.branches.ranked is None:
        return Position(keys[0], id)
    if len(keys) == 1:
        return Position(rank, id)
    return Position(f"{rank}|{keys[0].astimezone(UTC).isoformat()}", id)


def unpacked(scan: IndexScan, after: Position) -> tuple[Key | None, list[Any]]:
    """Returns the rank of the branch, and the values of `order`."""
    if scan.branches.ranked is None:
        return None, [after.value, after.id][-len(scan.order) :]
    if len(scan.order) == 1:
        return after.value, [after.id]
    rank, _, moment = str(after.value).rpartition("|")
    return (int(rank) if scan.branches.ranked == "integer" else rank), [datetime.fromisoformat(moment), after.id]


def _scanned(scan: IndexScan, after: Position | None, descending: bool, most: int, limit: int) -> Statement:
    keys = [column.alias(f"k{place}") for place, column in enumerate(scan.order)]
    hit = _all([*scan.filters, *_text(scan, scan.order[-1])]).alias("hit")
    columns = [scan.order[-1].alias("id"), *keys, hit]
    sql, values = _of_branch(scan, columns, after, descending, most)
    names, branch_sql, branch_values = _branch_rows(scan.branches)
    keys_sql = ", ".join(f"x.k{place}" for place in range(len(keys)))
    sql = (
        f"SELECT x.id, {'b.rank' if scan.branches.ranked else 'NULL::text'} AS rank, {keys_sql}, x.hit, x.last"
        f" FROM (VALUES {branch_sql}) b ({names}) CROSS JOIN LATERAL (SELECT * FROM ("
        f"SELECT y.*, row_number() OVER () = {most} AS last FROM ({sql}) y) z WHERE z.hit OR z.last LIMIT {limit}) x"
    )
    return sql, [*branch_values, *values]


def _sized(scan: IndexScan, after: Position | None, descending: bool, most: int) -> Statement:
    sql, values = _of_branch(scan, [peewee.SQL("1")], after, descending, most)
    names, branch_sql, branch_values = _branch_rows(scan.branches)
    return f"SELECT 1 FROM (VALUES {branch_sql}) b ({names}) CROSS JOIN LATERAL ({sql}) x", [*branch_values, *values]


def _of_branch(
    scan: IndexScan, columns: Sequence[Any], after: Position | None, descending: bool, most: int
) -> Statement:
    """Returns the next `most` rows of the branch `b` after a position."""
    table: Any = scan.table
    query = table.select(*columns).where(
        *(getattr(table, name) == peewee.SQL(f"b.{name}") for name in scan.branches.columns),
        *scan.where,
        *_bounds(scan, after, descending),
    )
    sql, values = (
        query.order_by(*((column.desc() if descending else column.asc()) for column in scan.order)).limit(most).sql()
    )
    return sql, values


def _bounds(scan: IndexScan, after: Position | None, descending: bool) -> list[Any]:
    """Returns the range of the scan after the position.

    Each side has one bound, since the index is read from the first bound.
    """
    column, found = scan.order[0], []
    values = None if after is None else unpacked(scan, after)[1]
    begin = scan.high if descending else scan.low
    if values is not None and begin is not None and (values[0] >= begin if descending else values[0] < begin):
        values = None  # # the position is that of a row outside the range
    if scan.low is not None and (values is None or descending):
        found.append(column >= scan.low)
    if scan.high is not None and (values is None or not descending):
        found.append(column < scan.high)
    if values is not None:
        bounds = [peewee.Value(value, converter=False) for value in values]
        here, there = (peewee.Tuple(*each) if len(bounds) > 1 else each[0] for each in (scan.order, bounds))
        found.append(peewee.Expression(here, peewee.OP.LT if descending else peewee.OP.GT, there))
    return found


def _beyond_sorted(scan: IndexScan, after: Position | None, descending: bool) -> Statement:
    if after is None:
        return "", []
    rank, values = unpacked(scan, after)
    keys = [f"y.k{place}" for place in range(len(values))]
    if scan.branches.ranked:
        keys, values = ["b.rank", *keys], [rank, *values]
    return f" AND ({', '.join(keys)}) {_side(descending)} ({', '.join(['%s'] * len(values))})", values


def _branch_rows(branches: Partitions) -> tuple[str, str, list[Any]]:
    """Returns the names, the rows and the values of the `VALUES` table `b`."""
    names = [*branches.columns, *(["rank"] if branches.ranked else [])]
    types = [*branches.columns.values(), *([branches.ranked] if branches.ranked else [])]
    row = "(" + ", ".join(f"%s::{sql_type}" for sql_type in types) + ")"
    return ", ".join(names), ", ".join([row] * len(branches.rows)), [value for each in branches.rows for value in each]


def _in_workspaces(table: Any, scan: IndexScan) -> Any:
    return table.workspace_id.in_(list({row[0] for row in scan.branches.rows}))


def _order(scan: IndexScan, descending: bool) -> str:
    keys = [*(["rank"] if scan.branches.ranked else []), *(f"k{place}" for place in range(len(scan.order)))]
    return ", ".join(f"{key} {'DESC' if descending else 'ASC'}" for key in keys)


def _side(descending: bool) -> str:
    return "<" if descending else ">"


def _text(scan: IndexScan, id: Any) -> list[Any]:
    return [] if scan.text_filter is None else [scan.text_filter(id)]


def _all(conditions: Sequence[Any]) -> Any:
    return reduce(and_, conditions) if conditions else peewee.SQL("TRUE")


def _sql(node: Any) -> Statement:
    sql, values = db.get_sql_context().sql(node).query()
    return sql, values
