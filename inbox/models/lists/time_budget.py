"""How long a page may take: its steps are as long as those before let expect, and broken off where that was wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from inbox.models.lists.index_scan import Statement
from inbox.models.sql.base import StatementTimeout, db, execute_within

Clock = Callable[[], float]
"""Seconds that only ever grow."""

ScanStatement = Callable[[int], Statement]
"""A step of a walk that looks at so many rows in each branch."""

FIRST_SCAN_ROWS = 250
"""How many rows the first step of a page looks at, over all branches that are walked at once."""

MIN_SCAN_ROWS = 100
"""A step that could not look at that many rows is not begun."""

MAX_GROWTH = 4
"""How many times as many rows a step looks at as the one before it, at most."""

PAGE_BUDGET = 0.02
"""Seconds after which a page ends, full or not: no step is begun that is not expected to be through by then."""

STATEMENT_DEADLINE = 0.03
"""Seconds after which a step is broken off that takes longer than was expected."""


class TimeBudget:
    """How long the page has taken, and how many rows its next step may look at; `gathers`: no gathering was broken off yet."""

    def __init__(self, clock: Clock, *, gathers: bool = True) -> None:
        self._clock, self._began = clock, clock()
        self.gathers = gathers
        self._last: tuple[int, float] | None = None

    def rows(self) -> int:
        """As many as are expected to be looked at before the page ends, by what the last step took; 0: it ends now."""
        if self._last is None:
            return FIRST_SCAN_ROWS
        rows, took = self._last
        left = self._began + PAGE_BUDGET - self._clock()
        more = int(rows * min(MAX_GROWTH, left / max(took, 0.001)))
        return more if more >= MIN_SCAN_ROWS else 0

    def is_on_track(self, hits: int, wanted: int) -> bool:
        """Whether so many are found in time as are still wanted, if the way goes on as in the last step with its hits."""
        _, took = self._last or (0, 0.0)
        left = self._began + PAGE_BUDGET - self._clock()
        return hits * left / max(took, 0.001) >= wanted

    def scan(self, scan_statement: ScanStatement, branches: int, each: int, least: int) -> list[Any] | None:
        """What a step finds that looks at so many rows in each branch; None when it was broken off, which the first never is."""
        began = self._clock()
        if self._last is None:
            found, each = self._first(scan_statement, each, least)
        else:
            found = self.run_within(scan_statement(each), STATEMENT_DEADLINE)
        self._last = each * branches, self._clock() - began
        return found

    def _first(self, scan_statement: ScanStatement, each: int, least: int) -> tuple[list[Any] | None, int]:
        """What the first step finds, and at how many rows it looked: when it was broken off, at the least, however long that takes.

        So each page comes further, and what lies where it begins is never left out. What was read so far need not be fetched again.
        """
        found = self.run_within(scan_statement(each), STATEMENT_DEADLINE / 2) if each > least else None
        return (run_serial(scan_statement(least)), least) if found is None else (found, each)

    def fetch_all(self, statement: Statement, latest: float) -> list[Any] | None:
        """As `run_within`. What takes too long once is not tried again."""
        found = self.run_within(statement, latest)
        self.gathers = found is not None
        return found

    def run_within(self, statement: Statement, latest: float) -> list[Any] | None:
        """What the statement answers; None when it was broken off so many seconds after the page began."""
        left = self._began + latest - self._clock()
        with suppress(StatementTimeout):
            return execute_within(*_without_helpers(statement), left) if left > 0 else None
        return None


def run_serial(statement: Statement) -> list[Any]:
    """What a statement answers that is left to one process, however long it takes."""
    return run(*_without_helpers(statement))


def _without_helpers(statement: Statement) -> Statement:
    """To start them takes longer than most pages do, and others have pages to turn, too."""
    sql, values = statement
    return f"SET LOCAL max_parallel_workers_per_gather = 0; {sql}", values


def run(sql: str, values: Sequence[Any]) -> list[Any]:
    """What a statement answers."""
    return list(db.execute_sql(sql, values).fetchall())
