"""A copy whose connection is cut is logged in lines of JSON that show no row."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import peewee
import psycopg2
import pytest
import structlog

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.database.bulk_sql import copy_rows, copy_value
from inbox.runtime import logs

Lines = Callable[[], list[dict[str, Any]]]

CUT = "IF NEW.n = 3000 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NEW;"
"""Some way into the copy; of a longer one the rest is still being sent."""


@pytest.fixture
def cut(ground: peewee.Database) -> Iterator[str]:
    db.execute_sql("CREATE TABLE cut_off (n int, secret text)")
    db.execute_sql(f"CREATE FUNCTION cut_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {CUT} END $$")
    db.execute_sql("CREATE TRIGGER cut BEFORE INSERT ON cut_off FOR EACH ROW EXECUTE FUNCTION cut_off()")
    yield "cut_off"
    db.execute_sql("DROP TABLE cut_off; DROP FUNCTION cut_off")


@pytest.fixture
def lines(ground: peewee.Database, settings: Settings) -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """`lines()` are the log lines of this test so far."""
    written = io.StringIO()
    logs.start("INFO", application="test")
    structlog.configure(**structlog.get_config() | {"logger_factory": structlog.WriteLoggerFactory(file=written)})
    yield lambda: [json.loads(line) for line in written.getvalue().splitlines()]
    logs.start(settings.log_level, application="test")


def copied(table: str, rows: int) -> None:
    with db.connection_context():
        copy_rows(table, ("n", "secret"), (f"{n}\t{copy_value('hush' * 500)}" for n in range(rows)))


@pytest.mark.parametrize("rows", [3_001, 20_000])
def test_a_copy_that_is_cut_off_is_one_line_and_a_fault(
    rows: int, cut: str, lines: Lines, capfd: pytest.CaptureFixture[str]
) -> None:
    with ThreadPoolExecutor(1) as other, pytest.raises(psycopg2.OperationalError):
        other.submit(copied, cut, rows).result()

    [line] = lines()
    assert (line["event"], line["fault"]) == ("a library failed at a fault", "AdminShutdown")
    assert capfd.readouterr().err == ""


def test_a_logged_copy_fault_shows_no_row(cut: str, lines: Lines) -> None:
    rows = ["hush\t1", "hush"]
    with db.atomic() as transaction:
        try:
            copy_rows(cut, ("secret", "n"), rows)
        except psycopg2.Error:
            structlog.get_logger().exception("not copied")
        transaction.rollback()

    [line] = lines()
    assert "COPY cut_off, line 2" in line["exception"]
    assert "hush" not in line["exception"]


def test_an_uncaught_exception_is_logged_as_a_json_line() -> None:
    crash = (
        "from inbox.runtime import logs; logs.start('INFO', application='test'); raise ValueError('svc_src_0123456789')"
    )

    ended = subprocess.run([sys.executable, "-c", crash], capture_output=True, text=True, check=False)

    line = json.loads(ended.stderr)
    assert ended.returncode == 1 and (line["event"], line["level"]) == ("uncaught", "critical")
    assert "ValueError: [REDACTED]" in line["exception"]
