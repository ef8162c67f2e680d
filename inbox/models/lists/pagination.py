"""Pages of long lists. A page examines a bounded number of rows, however rare the matching rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.domain.values.paging import Position
from inbox.models.lists import index_scan
from inbox.models.lists.index_scan import IndexScan, Lookup, Statement


@dataclass(frozen=True, slots=True)
class Bounds:
    """The maximum numbers of rows that a page examines.

    `first_rows` and `scan_rows` limit its two scans, over all branches. `lookup_rows` and `text_rows` limit the rows
    that it sorts. A filter by a column or text that leaves more is not looked up.

    With `is_numbered`, the second scan reads all remaining rows if `scan_rows` suffice, however they are distributed
    among the branches. They are counted before, which can cost more than a page by cursor.
    """

    first_rows: int = 250
    scan_rows: int = 1_500
    lookup_rows: int = 10_000
    text_rows: int = 2_000
    is_numbered: bool = False


PAGE, NUMBERED_PAGE = Bounds(), Bounds(scan_rows=50_000, is_numbered=True)
"""The bounds of a page by cursor and of a numbered page."""

Execute = Callable[[Statement], Sequence[Any]]
"""Executes a statement and returns its rows."""


def run(statement: Statement) -> Sequence[Any]:
    """Executes a statement and returns its rows.

    An index keeps the order of each scan. Without statistics on the rows, another index and a sort look as cheap, and
    would read all rows. A sort that cannot be avoided, of the few rows of all branches, is still made.
    """
    sql, values = statement
    # Both statements are one implicit transaction, so the setting ends with it.
    rows = list(db.execute_sql(f"SET LOCAL enable_sort = off; {sql}", values).fetchall())
    if db.in_transaction():  # a read on a replica behind a pooler
        db.execute_sql("SET LOCAL enable_sort = on")
    return rows


def keyset_page(
    scan: IndexScan,
    *,
    after: Position | None,
    descending: bool,
    limit: int,
    bounds: Bounds = PAGE,
    execute: Execute = run,
) -> tuple[list[UUID], Position | None]:
    """Returns the ids of the next `limit` rows after a position, and the position after them when more may follow.

    1. Scan the index of the sort, at most `first_rows` rows. They suffice unless matching rows are rare.
    2. If they do not, and a filter by a column leaves few rows, sort these rows instead.
    3. Scan on, at most `scan_rows` rows.
    4. If the page is still short, and a filter by text leaves few rows, sort these rows instead.
    """
    found: list[Any] = []
    following = after
    first = _Budget(bounds.first_rows, execute)
    second = _Budget(bounds.scan_rows, execute, is_counted=bounds.is_numbered)
    for budget, lookups in ((first, scan.lookups), (second, scan.text_lookups)):
        hits, following = _scanned(scan, following, descending, limit + 1 - len(found), budget)
        found += hits
        if following is None or len(found) > limit:
            break
        lookup = first_small(lookups, bounds, execute)
        if lookup is not None:
            found = list(execute(index_scan.lookup_sql(scan, lookup, after, descending=descending, limit=limit + 1)))
            following = None
            break
    if len(found) > limit:
        following = index_scan.position(scan, found[limit - 1])
    return [row[0] for row in found[:limit]], following


@dataclass(frozen=True, slots=True)
class _Budget:
    """The rows that one scan examines over all its branches."""

    rows: int
    execute: Execute
    is_counted: bool = False

    def rows_of_branch(self, scan: IndexScan, after: Position | None, descending: bool) -> int:
        """Returns the rows that a branch examines: all if the rows of all branches suffice, else an equal part.

        An equal part alone would leave rows of one large workspace beside many empty ones.
        """
        branches = sum(len(each.branches.rows) for each in (scan, *scan.beside))
        if self.is_counted and branches > 1:
            counted = self.execute(index_scan.size_sql(scan, after, descending=descending, most=self.rows + 1))
            if counted[0][0] <= self.rows:
                return self.rows + 1
        return self.rows // branches


def first_small(lookups: Iterable[Lookup], bounds: Bounds, execute: Execute = run) -> Lookup | None:
    """Returns the first of these lookups that leaves few rows."""
    return next(filter(None, (_small(each, bounds, execute) for each in lookups)), None)


def _small(lookup: Lookup, bounds: Bounds, execute: Execute) -> Lookup | None:
    """Returns the lookup if it leaves few rows.

    A lookup in another table becomes one by ids, because that table is slow to read twice.
    """
    if lookup.where is not None:
        ((rows,),) = execute(index_scan.count_sql(lookup, bounds.lookup_rows + 1))
        return lookup if rows <= bounds.lookup_rows else None
    ids = [id for (id,) in execute(lookup.rows.limit(bounds.text_rows + 1).sql())]
    return index_scan.by_ids(lookup, ids) if len(ids) <= bounds.text_rows else None


def _scanned(
    scan: IndexScan, after: Position | None, descending: bool, limit: int, budget: _Budget
) -> tuple[list[Any], Position | None]:
    """Returns the first `limit` matches, and the position after the last examined row; None at the end of the list."""
    found: list[Any] = []
    for part, begin in _parts(scan, after, descending):
        remaining = limit - len(found)
        most = max(remaining, budget.rows_of_branch(part, begin, descending))
        for row in budget.execute(index_scan.scan_sql(part, begin, descending=descending, most=most, limit=remaining)):
            hit, last = row[-2:]
            if hit:
                found.append(row)
            if last:
                return found, index_scan.position(scan, row)
        if len(found) == limit:
            break
    return found, None


def _parts(scan: IndexScan, after: Position | None, descending: bool) -> Iterator[tuple[IndexScan, Position | None]]:
    """Splits the scan into consecutive parts, each with the position at which it begins.

    A sort by rank has many branches, of which a page needs the first few. So the first part has one rank, and each
    further part has twice as many as the previous one.
    """
    if not scan.branches.rows:
        return
    if scan.branches.ranked is None:
        yield scan, after
        return
    ranks, many = index_scan.ranks_from(scan, after, descending=descending), 1
    while ranks:
        begins = after is not None and ranks[0] == index_scan.unpacked(scan, after)[0]
        yield scan.only(ranks[:many]), after if begins else None
        ranks, many = ranks[many:], many * 2
