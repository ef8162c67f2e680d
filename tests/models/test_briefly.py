"""Statements with a limit of their own: broken off when it is over, and nothing else ever is."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from statistics import median
from typing import Any

import peewee
import pytest

from inbox.models.sql.base import StatementTimeout, db, execute_within

ROWS = "SELECT count(*) FROM generate_series(1, %s)"
LIMIT = 0.002
AT_THE_LIMIT = 100
"""So many statements end as their limit does; after one in four of these the next one would be broken off."""


def timed(act: Callable[[], Any]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def test_what_ends_in_time_is_answered_whole(ground: Any) -> None:
    assert execute_within("SELECT %s::int + 1", [1], 30.0) == [(2,)]
    assert execute_within(ROWS, [2_000], 30.0) == [(2_000,)]


def test_what_takes_longer_is_broken_off_and_the_limit_is_gone_with_it(ground: Any) -> None:
    before = db.execute_sql("SHOW statement_timeout").fetchone()

    with pytest.raises(StatementTimeout):
        execute_within("SELECT pg_sleep(60)", [], 0.05)

    assert db.execute_sql("SHOW statement_timeout").fetchone() == before


def test_another_fault_is_that_fault(ground: Any) -> None:
    with pytest.raises(peewee.DatabaseError, match="division by zero"):
        execute_within("SELECT 1 / 0", [], 30.0)


def test_what_ends_as_its_limit_does_leaves_the_next_statement_alone(ground: Any) -> None:
    """PostgreSQL breaks off the next one at times, which nobody expects to be: it was answered as an outage."""
    rows = int(LIMIT * 10_000 / median(timed(lambda: execute_within(ROWS, [10_000], 30.0)) for _ in range(9)))
    until, late = time.monotonic() + 60, 0

    while late < AT_THE_LIMIT and time.monotonic() < until:
        in_time = timed(partial(_tried, rows)) < LIMIT
        late += not in_time
        rows += max(1, rows // 200) if in_time else -(rows // 100)
        assert db.execute_sql("SELECT 1").fetchone() == (1,)

    assert late


def _tried(rows: int) -> None:
    with suppress(StatementTimeout):
        execute_within(ROWS, [rows], LIMIT)
