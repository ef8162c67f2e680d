"""Pages of unbounded lists. The time of a page hardly depends on how rare the matching rows are or where they lie."""

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
from inbox.models.lists import index_scan, time_budget
from inbox.models.lists.index_scan import IndexScan, Statement
from inbox.models.lists.pages import RowPage
from inbox.models.lists.time_budget import Clock, TimeBudget, run, run_serial
from inbox.models.sql.base import StatementTimeout, execute_within

FETCH_ALL_TIMEOUT = 0.1
"""Seconds after which a fetch of all rows is cancelled. A fetch within `FETCH_ALL_MAX_COST` takes so long only on a busy
machine, or when many rows are not in memory. A whole page then replaces a series of empty ones."""

FETCH_ALL_MAX_COST = 22_000
"""The maximum cost of a fetch of all rows, in the database's own units, plus one for each row. About 25 ms."""

_ALL = 2**31
"""More rows than a step could examine."""

EMPTY_PAGE_SECONDS = 0.5
"""Seconds after which an empty page is returned although more rows may follow."""

OFFSET_SCAN_TIMEOUT, OFFSET_TIMEOUT = 1.0, 8.0
"""Seconds after which a numbered page gives up the scan, and seconds after which it gives up altogether."""

CLIENT_SKIP_LIMIT = 5_000
"""Up to this many rows are skipped in Python, so that the database does not scan later branches in vain."""


@dataclass(frozen=True, slots=True)
class IdPage:
    """The ids of a page in order, and the position after it when more may follow."""

    ids: Sequence[UUID]
    following: Position | None


@dataclass(frozen=True, slots=True)
class PagedList:
    """An unbounded list: its scan, a query of rows by ids in any order, and a query of all rows for counting."""

    scan: IndexScan
    by_ids: Callable[[Sequence[UUID]], Iterable[Any]]
    all_rows: Callable[[], Any]

    def page(self, *, after: Position | None, descending: bool, limit: int) -> RowPage:
        """The next page. It may be short although more rows follow, because its time is limited.

        The page is empty only at the end of the list, or when nothing was found within `EMPTY_PAGE_SECONDS`.
        """
        until = time.monotonic() + EMPTY_PAGE_SECONDS
        while True:
            steps = keyset_page(self.scan, after=after, descending=descending, limit=limit)
            rows = self._rows(steps.ids)
            if rows or steps.following is None or time.monotonic() >= until:
                return RowPage(rows, steps.following)
            after = steps.following

    def page_at_offset(self, *, offset: int, descending: bool, limit: int) -> Sequence[Any] | None:
        """`limit` rows after `offset` rows; None when they are not found within a few seconds."""
        ids = page_at_offset(self.scan, offset=offset, descending=descending, limit=limit)
        return None if ids is None else self._rows(ids)

    def _rows(self, ids: Sequence[UUID]) -> Sequence[Any]:
        found = {row.id: row for row in self.by_ids(ids)} if ids else {}
        return [found[id] for id in ids if id in found]


def keyset_page(
    scan: IndexScan, *, after: Position | None, descending: bool, limit: int, clock: Clock = time.monotonic
) -> IdPage:
    """The next `limit` rows after a position, or fewer when the time of the page has ended.

    Each page advances the position. Not within a transaction: a cancelled statement would end it.

    1. Scan step by step while the time budget lasts.
    2. If the scan finds too little, fetch the remaining rows by a shortcut.
    3. Return the ids, and the position after the last one.
    """
    budget, found, following = TimeBudget(clock, gathers=after is None or not after.walks), [], None
    for hits, following in _steps(scan, after, descending, limit + 1, budget):
        found += hits
        if len(found) > limit:
            following = index_scan.position(scan, found[limit - 1])
            break
    if following is not None and not budget.gathers:
        following = replace(following, walks=True)
    return IdPage([row[0] for row in found[:limit]], following)


def page_at_offset(scan: IndexScan, *, offset: int, descending: bool, limit: int) -> list[UUID] | None:
    """The ids of `limit` rows after `offset` rows; None when they are not found within `OFFSET_TIMEOUT` seconds.

    Not within a transaction.
    """
    if scan.is_empty:
        return []
    scanned = partial(_scanned_to_offset, scan, offset, descending, limit)
    tries: list[tuple[Callable[[float], list[Any]], float]] = [(scanned, OFFSET_TIMEOUT)]
    if scan.residual_filters or scan.unindexed_filter is not None:
        statement = _fetch_all_statement(scan, None, descending, limit, offset)
        tries = [
            *([] if _cost(statement) <= FETCH_ALL_MAX_COST else [(scanned, OFFSET_SCAN_TIMEOUT)]),
            (partial(execute_within, *statement), OFFSET_TIMEOUT),
        ]
    for attempt, seconds in tries:
        with suppress(StatementTimeout):
            return [row[0] for row in attempt(seconds)]
    return None


def explain(scan: IndexScan, *, descending: bool, limit: int) -> list[str]:
    """The lines of the database's plan for the first page. They show which indexes it uses."""
    part, end = next(_parts(scan, None, descending))
    walking = _scan_statement(
        part, None, descending, limit + 1, max(limit + 1, time_budget.FIRST_SCAN_ROWS // index_scan.count(part))
    )
    hits, following = _until_last(scan, run(*walking), end)
    if scan.residual_filters and len(hits) <= limit and following is not None:
        way = _shortcut(scan, following, descending, limit + 1)
        if isinstance(way, IndexScan):
            return _explained(_scan_statement(way, following, descending, limit + 1, time_budget.FIRST_SCAN_ROWS))
        if way is not None:
            return _explained(way)
    return _explained(walking)


def _scanned_to_offset(scan: IndexScan, offset: int, descending: bool, limit: int, seconds: float) -> list[Any]:
    """`limit` rows after `offset` rows. Raises `StatementTimeout` when a statement takes longer than `seconds`."""
    far = offset + limit
    if far > CLIENT_SKIP_LIMIT:
        return execute_within(*_scan_statement(scan, None, descending, limit, None, offset), seconds)
    found: list[Any] = []
    for part, _ in _parts(scan, None, descending):
        found += execute_within(*_scan_statement(part, None, descending, far - len(found), None), seconds)
        if len(found) == far:
            break
    return found[offset:]


def _steps(
    scan: IndexScan, after: Position | None, descending: bool, limit: int, budget: TimeBudget
) -> Iterator[tuple[list[Any], Position | None]]:
    """The matches of each step within the time budget, with the position after it; None at the end of the list.

    If the scan finds too little, a shortcut finds the rest.
    """
    looks, wanted = bool(scan.residual_filters), limit
    for part, end in _parts(scan, after, descending):
        branches = index_scan.count(part)
        while True:
            if (most := budget.rows()) == 0:
                return
            each = max(limit, most // branches)
            rows = budget.scan(partial(_scan_statement, part, after, descending, limit), branches, each, limit)
            if rows is None:
                return
            hits, after = _until_last(scan, rows, end)
            yield hits, after
            if after is None or after is end:
                break
            wanted -= len(hits)
            if looks and not budget.is_on_track(len(hits), wanted):
                looks = False
                way = _shortcut(scan, after, descending, wanted, gathers=budget.gathers)
                if isinstance(way, IndexScan):
                    yield from _steps(way, after, descending, wanted, budget)
                    return
                if way is not None and (rest := budget.fetch_all(way, FETCH_ALL_TIMEOUT)) is not None:
                    yield rest, None
                    return


def _shortcut(
    scan: IndexScan, after: Position, descending: bool, limit: int, *, gathers: bool = True
) -> IndexScan | Statement | None:
    """The cheaper way to the remaining rows, if it is cheap: a prefiltered scan, or a fetch of all matching rows.

    A prefiltered scan continues, unless a fetch costs less than the rest of it and less than half of
    `FETCH_ALL_MAX_COST`.
    """
    cost, dear = _cost_within(scan, after, descending, limit) if gathers else math.inf, float(FETCH_ALL_MAX_COST)
    if scan.is_prefiltered:
        dear = min(FETCH_ALL_MAX_COST / 2, _cost(_scan_statement(scan, after, descending, limit, _ALL)))
    elif scan.prefilter is not None:
        sifting = replace(scan, is_prefiltered=True)
        if _cost(_scan_statement(sifting, after, descending, limit, max(limit, time_budget.FIRST_SCAN_ROWS))) < min(
            cost, dear
        ):
            return sifting
    return _fetch_all_statement(scan, after, descending, limit) if cost <= dear else None


def _cost_within(scan: IndexScan, after: Position, descending: bool, limit: int) -> float:
    """The cost of a fetch. A filter without an index is left out, since all rows are read however few match."""
    pool = scan.fetch_source or scan
    return _cost(
        _fetch_all_statement(replace(scan, fetch_source=replace(pool, unindexed_filter=None)), after, descending, limit)
    )


def _until_last(scan: IndexScan, rows: Sequence[Any], end: Position | None) -> tuple[list[Any], Position | None]:
    """The matches up to the last examined row of some branch, and its position, or else `end`."""
    hits = []
    for row in rows:
        hit, last = row[-2:]
        if hit:
            hits.append(row)
        if last:
            return hits, index_scan.position(scan, row)
    return hits, end


def _scan_statement(
    scan: IndexScan, after: Position | None, descending: bool, limit: int, most: int | None, offset: int = 0
) -> Statement:
    """The statement for at most `most` examined rows in each branch, or for all."""
    if scan.is_prefiltered and most is not None:
        return index_scan.prefiltered_sql(scan, after, descending=descending, most=most, limit=limit)
    there = [each for each in (replace(scan, extra_scans=()), *scan.extra_scans) if each.branches.rows]
    parts = [
        index_scan.fetch_all_sql(each, after, descending=descending)
        if each.fetched
        else index_scan.scan_sql(each, after, descending=descending, most=most, limit=limit + offset)
        for each in there
    ]
    return index_scan.merge_sql(scan, parts, descending=descending, limit=limit, offset=offset)


def _fetch_all_statement(
    scan: IndexScan, after: Position | None, descending: bool, limit: int, offset: int = 0
) -> Statement:
    pool = scan.fetch_source or scan
    part = index_scan.fetch_all_sql(pool, after, descending=descending)
    return index_scan.merge_sql(pool, [part], descending=descending, limit=limit, offset=offset)


def _cost(statement: Statement) -> float:
    """The cost in the database's own units, plus one for each row."""
    sql, values = statement
    (plan,) = run_serial((f"EXPLAIN (FORMAT JSON) {sql}", values))[0][0]
    return float(plan["Plan"]["Total Cost"] + max(_rows(plan["Plan"])))


def _rows(plan: Mapping[str, Any]) -> Iterator[float]:
    """The expected number of rows of each plan node; the bits of a bitmap index scan are no rows."""
    if plan["Node Type"] != "Bitmap Index Scan":
        yield plan["Plan Rows"]
    for part in plan.get("Plans", ()):
        yield from _rows(part)


def _parts(scan: IndexScan, after: Position | None, descending: bool) -> Iterator[tuple[IndexScan, Position | None]]:
    """Split the scan into consecutive parts: first the first branch rank of the sort, then twice as many ranks each
    time.

    Each part comes with the position after it; None at the end of the list.
    """
    if scan.is_empty:
        return
    if scan.branches.ranked is None or scan.is_prefiltered:
        yield scan, None
        return
    places, many = index_scan.partition_order(scan, after, descending=descending), 1
    while places:
        here, places, many = places[:many], places[many:], many * 2
        beside = [replace(each, branches=each.branches.only(here)) for each in scan.extra_scans]
        end = index_scan.cursor_before(scan, places[0], descending=descending) if places else None
        yield replace(scan, branches=scan.branches.only(here), extra_scans=beside), end


def _explained(statement: Statement) -> list[str]:
    sql, values = statement
    return [line for (line,) in run(f"EXPLAIN {sql}", values)]
