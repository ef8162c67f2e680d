"""Migrations of tables that other transactions lock: the service continues, and the migration ends with a reason."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import peewee
import psycopg2
import pytest

from inbox.database import migrate

FIRST = "def up(migrator, db):\n    db.execute_sql('CREATE TABLE first (id int)')\n"
SECOND = "def up(migrator, db):\n    db.execute_sql('ALTER TABLE held ADD COLUMN more int')\n"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "0001_first.py").write_text(FIRST)
    (tmp_path / "0002_second.py").write_text(SECOND)
    return tmp_path


@pytest.fixture
def reader(empty: peewee.PostgresqlDatabase) -> Iterator[psycopg2.extensions.connection]:
    """A transaction that has read the table `held`, and may last."""
    with empty.connection_context():
        empty.execute_sql("CREATE TABLE held (id int)")
    with closing(connected(empty)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT * FROM held")
        yield connection


def connected(database: peewee.PostgresqlDatabase) -> psycopg2.extensions.connection:
    return psycopg2.connect(dbname=database.database, **database.connect_params)


def test_statements_behind_a_migration_that_waits_are_let_through(
    empty: peewee.PostgresqlDatabase, directory: Path, reader: psycopg2.extensions.connection
) -> None:
    waits: list[float] = []
    end = threading.Timer(6, reader.rollback)

    with closing(connected(empty)) as service, service.cursor() as cursor:
        service.autocommit = True

        def use() -> None:
            while end.is_alive():
                began = time.monotonic()
                with suppress(psycopg2.OperationalError):  # the time limit of a lock
                    cursor.execute("SELECT * FROM held")
                waits.append(time.monotonic() - began)
                time.sleep(0.05)

        using = threading.Thread(target=use)
        end.start()
        using.start()
        applied = migrate.migrate(empty, directory=directory)
        using.join()

    assert applied == ["0001_first", "0002_second"]
    assert len(waits) > 20 and max(waits) < 4


def test_a_migration_whose_table_stays_locked_ends_with_a_reason_and_is_repeated(
    empty: peewee.PostgresqlDatabase,
    directory: Path,
    reader: psycopg2.extensions.connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(migrate, "LOCKED_SECONDS", 1)

    with pytest.raises(migrate.MigrationLockTimeout, match="migration 0002_second waited 1 s for tables"):
        migrate.migrate(empty, directory=directory)

    reader.rollback()
    assert migrate.migrate(empty, directory=directory) == ["0002_second"]
