"""Migrations are applied in order, without the time limit of statements."""

from __future__ import annotations

import shutil
from pathlib import Path

import peewee
import pytest

from inbox.database.migrate import DIRECTORY, MIGRATIONS, TablesTooNew, migrate
from tests.ops import next_version


def test_a_migration_may_take_longer_than_any_statement_otherwise(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    with empty.connection_context():
        assert empty.execute_sql("SHOW statement_timeout").fetchone()[0] != "0"
    (tmp_path / "0001_slow.py").write_text(
        "def up(migrator, db):\n"
        "    db.execute_sql(\"CREATE TABLE seen AS SELECT current_setting('statement_timeout') AS timeout\")\n"
    )

    assert migrate(empty, directory=tmp_path) == ["0001_slow"]

    with empty.connection_context():
        assert empty.execute_sql("SELECT timeout FROM seen").fetchone()[0] == "0"


def test_the_next_version_applies_its_migration_alone_and_the_present_one_then_refuses_the_tables(
    empty: peewee.PostgresqlDatabase, tmp_path: Path
) -> None:
    assert migrate(empty) == sorted(MIGRATIONS)
    for path in DIRECTORY.glob("0*.py"):
        shutil.copy(path, tmp_path)
    next_version.add_migration(tmp_path)

    assert migrate(empty, directory=tmp_path) == [next_version.MIGRATION]
    assert migrate(empty, directory=tmp_path) == []

    with pytest.raises(TablesTooNew, match=next_version.MIGRATION):
        migrate(empty)
