"""Bulk SQL: PostgreSQL returns the values of arrays unchanged."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import peewee
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inbox.database.base import db
from inbox.database.bulk_sql import MonotonicIds, array_literal, copy_rows, copy_value, unnest_rows

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
ROWS = st.lists(
    st.tuples(
        st.uuids() | st.none(),
        TEXT
        | st.none()
        | st.sampled_from(["NULL", "null", "\\.", "a\tb", "a\r\nb", '"', "\\", "{}", "a,b", "\\N", " ", ""]),
        st.integers(-(2**63), 2**63 - 1) | st.none(),
        st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC)) | st.none(),
        st.booleans() | st.none(),
    ),
    max_size=20,
)


@pytest.mark.usefixtures("ground")
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_rows_come_back_as_they_were_sent(rows: list[tuple[object, ...]]) -> None:
    columns = {"a": "uuid", "b": "text", "c": "bigint", "d": "timestamptz", "e": "boolean"}
    source, values = unnest_rows(columns, rows)

    assert db.execute_sql(f"SELECT * FROM {source}", values).fetchall() == rows


@pytest.mark.usefixtures("ground")
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=ROWS)
def test_rows_that_are_copied_stand_in_the_table_as_they_were_sent(rows: list[tuple[object, ...]]) -> None:
    with db.atomic() as transaction:
        db.execute_sql("CREATE TABLE copied (a uuid, b text, c bigint, d timestamptz, e boolean, n serial)")
        copy_rows("copied", ("a", "b", "c", "d", "e"), ["\t".join(map(copy_value, row)) for row in rows])
        found = db.execute_sql("SELECT a, b, c, d, e FROM copied ORDER BY n").fetchall()
        transaction.rollback()

    assert found == rows


@pytest.mark.usefixtures("ground")
@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, max_size=10))
def test_an_array_within_a_row_comes_back(texts: list[str]) -> None:
    source, values = unnest_rows({"a": "text"}, [(array_literal(texts),)])

    assert db.execute_sql(f"SELECT a::text[] FROM {source}", values).fetchone() == (texts,)


def test_ids_of_one_moment_sort_as_they_were_made(ground: peewee.Database) -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    make = MonotonicIds(now)
    made = [make() for _ in range(10_000)]

    assert made == sorted(made) and len(set(made)) == 10_000
    assert {id.version for id in made} == {7}
    assert min(made) >= UUID(int=int(now.timestamp() * 1000) << 80)


def test_ids_pass_by_a_moment_that_the_clock_has_not_reached(ground: peewee.Database) -> None:
    now = datetime(2026, 11, 21, tzinfo=UTC)
    there, here = MonotonicIds(now + timedelta(seconds=1)), MonotonicIds(now)
    foreign_one = [there() for _ in range(5_000)]
    here.advance_past(there.time)

    assert here() > max(foreign_one)
    assert here.time == now + timedelta(seconds=1, milliseconds=2)
    here.advance_past(now)
    assert here.time == now + timedelta(seconds=1, milliseconds=2)


@pytest.mark.usefixtures("ground")
def test_documents_come_back_as_they_were_sent() -> None:
    sent = {"least": -(2**63), "most": 2**63 - 1, "part": 0.1, "text": "ü\u2028😀", "list": [None, True, {}], "": 1.0}

    assert db.execute_sql("SELECT %s::jsonb", (json.dumps(sent),)).fetchone() == (sent,)
