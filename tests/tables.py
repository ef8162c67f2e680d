"""The tables of the database as this version sees them: by their present names, whichever schema they are in."""

from __future__ import annotations

from inbox.models.sql.base import db

FORMER = {"timers": {"old_kind"}, "routed_events": {"routing", "record_id"}}
"""Columns for processes of version 0028, which the next version drops."""

TABLES = """
SELECT relname FROM pg_class WHERE relkind = ANY(%s) AND pg_table_is_visible(oid)
    AND relnamespace::regnamespace::text = ANY(current_schemas(false)) ORDER BY relname
"""
COLUMNS = """
SELECT attname, NOT attnotnull, format_type(atttypid, NULL) FROM pg_attribute
WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped
"""
OLD_VIEWS = """
SELECT c.relname FROM pg_class c WHERE relkind = 'v' AND obj_description(c.oid) LIKE 'For processes of version 0028%%'
"""


def tables() -> list[str]:
    """The names of all tables, that of the applied migrations among them."""
    return [row[0] for row in db.execute_sql(TABLES, (["r"],)).fetchall()]


def views() -> list[str]:
    """The names of all views that this version uses."""
    old = {row[0] for row in db.execute_sql(OLD_VIEWS).fetchall()}
    return [row[0] for row in db.execute_sql(TABLES, (["v"],)).fetchall() if row[0] not in old]


def columns(table: str) -> dict[str, bool]:
    """The columns of a table or view, each with whether it may be null."""
    found = db.execute_sql(COLUMNS, (table,)).fetchall()
    return {name: nullable for name, nullable, _ in found if name not in FORMER.get(table, ())}


def columns_of_bytes() -> set[tuple[str, str]]:
    """(table, column) for each column of bytes."""
    found = ((table, row) for table in tables() for row in db.execute_sql(COLUMNS, (table,)).fetchall())
    return {(table, name) for table, (name, _, kind) in found if kind == "bytea"}
