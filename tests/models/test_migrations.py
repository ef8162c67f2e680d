"""Migrations run without the time limit of statements."""

from __future__ import annotations

from pathlib import Path

import peewee

from inbox.migrate import migrate


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
