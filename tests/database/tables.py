"""The tables, views and columns of the database."""

from __future__ import annotations

from inbox.database.base import db

TABLES = """
SELECT relname FROM pg_class WHERE relkind = ANY(%s) AND NOT relispartition AND pg_table_is_visible(oid)
    AND relnamespace::regnamespace::text = ANY(current_schemas(false)) ORDER BY relname
"""
COLUMNS = """
SELECT attname, NOT attnotnull, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped
"""


def tables() -> list[str]:
    """The names of all tables, that of the applied migrations among them."""
    return [row[0] for row in db.execute_sql(TABLES, (["r", "p"],)).fetchall()]


def views() -> list[str]:
    """The names of all views."""
    return [row[0] for row in db.execute_sql(TABLES, (["v"],)).fetchall()]


def leaves(table: str) -> list[str]:
    """The table, or its partitions: what storage parameters are set on."""
    found = db.execute_sql("SELECT relid::regclass::text FROM pg_partition_tree(%s) WHERE isleaf", (table,)).fetchall()
    return [name for (name,) in found] or [table]


def columns(table: str) -> dict[str, bool]:
    """The columns of a table or view, each with whether it may be null."""
    found = db.execute_sql(COLUMNS, (table,)).fetchall()
    return {name: nullable for name, nullable, _ in found}


def columns_of_bytes() -> set[tuple[str, str]]:
    """(table, column) for each column of bytes."""
    found = ((table, row) for table in tables() for row in db.execute_sql(COLUMNS, (table,)).fetchall())
    return {(table, name) for table, (name, _, kind) in found if kind == "bytea"}
