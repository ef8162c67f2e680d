"""The time budget of a page. Each step is sized by the duration of the previous one, and cancelled when it takes too
long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from inbox.models.lists.index_scan import Statement
from inbox.models.sql.base import StatementTimeout, db, execute_within

Clock = Callable[[], float]
"""A monotonic clock, in seconds."""

ScanStatement = Callable[[int], Statement]
"""A scan step for a number of rows to examine in each branch."""

FIRST_SCAN_ROWS = 250
"""The number of rows that the first step of a page examines, over all branches that are scanned at once."""

MIN_SCAN_ROWS = 100
"""The minimum size of a step: with less time left, no step starts."""

MAX_GROWTH = 4
"""The maximum ratio of rows between a step and the previous one."""

PAGE_BUDGET = 0.02
"""Seconds after which a page ends, full or not. No step starts that is expected to exceed them."""

STATEMENT_DEADLINE = 0.03
"""Seconds after which a step is cancelled that takes longer than expected."""


class TimeBudget:
    """The elapsed time of a page, and the size of its next step; `gathers` is true until a fetch of all rows is
    cancelled."""

    def __init__(self, clock: Clock, *, gathers: bool = True) -> None:
        self._clock, self._began = clock, clock()
        self.gathers = gathers
        self._last: tuple[int, float] | None = None

    def rows(self) -> int:
        """The number of rows for the next step, from the duration of the last step; 0 ends the page."""
        if self._last is None:
            return FIRST_SCAN_ROWS
        rows, took = self._last
        left = self._began + PAGE_BUDGET - self._clock()
        more = int(rows * min(MAX_GROWTH, left / max(took, 0.001)))
        return more if more >= MIN_SCAN_ROWS else 0

    def is_on_track(self, hits: int, wanted: int) -> bool:
        """Whether the remaining time suffices for `wanted` matches at the rate of the last step."""
        _, took = self._last or (0, 0.0)
        left = self._began + PAGE_BUDGET - self._clock()
        return hits * left / max(took, 0.001) >= wanted

    def scan(self, scan_statement: ScanStatement, branches: int, each: int, least: int) -> list[Any] | None:
        """The rows of a step with `each` examined rows in each branch; None when it was cancelled. The first step always
        returns rows."""
        began = self._clock()
        if self._last is None:
            found, each = self._first(scan_statement, each, least)
        else:
            found = self.run_within(scan_statement(each), STATEMENT_DEADLINE)
        self._last = each * branches, self._clock() - began
        return found

    def _first(self, scan_statement: ScanStatement, each: int, least: int) -> tuple[list[Any] | None, int]:
        """The rows of the first step, and the number of examined rows in each branch.

        A cancelled first step is repeated with `least` rows and without a limit. Each page therefore advances, and no
        rows at its start are left out. The rows read before the cancellation are in memory by then.
        """
        found = self.run_within(scan_statement(each), STATEMENT_DEADLINE / 2) if each > least else None
        return (run_serial(scan_statement(least)), least) if found is None else (found, each)

    def fetch_all(self, statement: Statement, latest: float) -> list[Any] | None:
        """As `run_within`. A fetch that takes too long is not tried again."""
        found = self.run_within(statement, latest)
        self.gathers = found is not None
        return found

    def run_within(self, statement: Statement, latest: float) -> list[Any] | None:
        """The result of the statement; None when it was cancelled `latest` seconds after the start of the page."""
        left = self._began + latest - self._clock()
        with suppress(StatementTimeout):
            return execute_within(*_without_helpers(statement), left) if left > 0 else None
        return None


def run_serial(statement: Statement) -> list[Any]:
    """The result of a statement in one process of the database, without a time limit."""
    return run(*_without_helpers(statement))


def _without_helpers(statement: Statement) -> Statement:
    """Disable parallel workers. Their start takes longer than most pages, and other requests also need processors."""
    sql, values = statement
    return f"SET LOCAL max_parallel_workers_per_gather = 0; {sql}", values


def run(sql: str, values: Sequence[Any]) -> list[Any]:
    """The result of a statement."""
    return list(db.execute_sql(sql, values).fetchall())
