"""Triggers in PostgreSQL that fail or wait when a row is written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inbox.database.base import db


@contextmanager
def row_trigger(act: str, *, table: str = "routed_events", on: str = "INSERT") -> Iterator[None]:
    """PostgreSQL does `act` (PL/pgSQL) before each such row is written. `nextval('trigger_rows')` counts the rows."""
    row = "OLD" if on == "DELETE" else "NEW"
    db.execute_sql(
        f"CREATE SEQUENCE trigger_rows; CREATE FUNCTION row_trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {act}; RETURN {row}; END $$;"
        f"CREATE TRIGGER row_trigger BEFORE {on} ON {table} FOR EACH ROW EXECUTE FUNCTION row_trigger()"
    )
    try:
        yield
    finally:
        db.execute_sql(f"DROP TRIGGER row_trigger ON {table}; DROP FUNCTION row_trigger(); DROP SEQUENCE trigger_rows")
