"""Writes of a block reach PostgreSQL in their order, with the next query of the module or at the end of the block."""

from __future__ import annotations

import peewee
import pytest

from inbox.database.base import db
from inbox.database.bulk_sql import AT_ONCE
from inbox.flow.unit_of_work import work

ADD = "INSERT INTO numbers (n) VALUES (%s)"
ALL = "SELECT array_agg(n ORDER BY n) FROM numbers WHERE n < %s"


@pytest.fixture(autouse=True)
def numbers(ground: peewee.Database) -> None:
    db.execute_sql("CREATE TEMPORARY TABLE IF NOT EXISTS numbers (n integer UNIQUE)")
    db.execute_sql("TRUNCATE numbers")


def stored() -> list[int] | None:
    found: list[int] | None = db.execute_sql(ALL, (1000,)).fetchone()[0]
    return found


def test_a_write_outside_of_a_block_is_executed_at_once() -> None:
    AT_ONCE.write(ADD, (1,))

    assert stored() == [1]


def test_a_query_sees_the_collected_writes_and_other_statements_do_not() -> None:
    with work(collects_writes=True) as done:
        done.statements.write(ADD, (1,))
        done.statements.write(ADD, (2,))
        before = stored()
        seen = done.statements.query(ALL, (1000,)).fetchone()[0]
        after = stored()

    assert (before, seen, after) == (None, [1, 2], [1, 2])


def test_a_query_without_collected_writes_is_a_statement_alone() -> None:
    with work(collects_writes=True) as done:
        first = done.statements.query(f"{ADD} RETURNING n", (7,)).fetchone()[0]
        second = done.statements.query(ALL, (1000,)).fetchone()[0]

    assert (first, second, AT_ONCE.query("SELECT %s", (3,)).fetchone()[0]) == (7, [7], 3)


def test_the_end_of_a_block_sends_remaining_writes() -> None:
    with work(collects_writes=True) as done:
        done.statements.write(ADD, (1,))
        done.statements.query(ALL, (1000,))
        done.statements.write(ADD, (2,))
        done.statements.write(ADD, (3,))

    assert stored() == [1, 2, 3]


def test_a_block_that_fails_drops_its_writes() -> None:
    with pytest.raises(ZeroDivisionError), work(collects_writes=True) as done:
        done.statements.write(ADD, (1,))
        _ = 1 / 0
    AT_ONCE.write(ADD, (2,))

    assert stored() == [2]


def test_a_conflict_of_one_statement_undoes_the_whole_message() -> None:
    with pytest.raises(peewee.IntegrityError), work(collects_writes=True) as done:
        done.statements.write(ADD, (1,))
        done.statements.write(ADD, (1,))
        done.statements.write(ADD, (2,))

    assert stored() is None


def test_a_percent_sign_and_quotes_in_values_are_no_part_of_the_statements() -> None:
    with work(collects_writes=True) as done:
        done.statements.write(ADD, (1,))
        text = done.statements.query("SELECT %s", ("100 %s '; DROP TABLE numbers; --",)).fetchone()[0]

    assert (text, stored()) == ("100 %s '; DROP TABLE numbers; --", [1])
