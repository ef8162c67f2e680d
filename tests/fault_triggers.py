"""What PostgreSQL does when a row is written, as a test wants it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from inbox.models.sql.base import db


@contextmanager
def tripwire(act: str, *, table: str = "routed_events", on: str = "INSERT") -> Iterator[None]:
    """PostgreSQL does `act` (PL/pgSQL) before each such row is written. `nextval('tripwire_rows')` counts the rows."""
    row = "OLD" if on == "DELETE" else "NEW"
    db.execute_sql(
        f"CREATE SEQUENCE tripwire_rows; CREATE FUNCTION tripwire() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {act}; RETURN {row}; END $$;"
        f"CREATE TRIGGER tripwire BEFORE {on} ON {table} FOR EACH ROW EXECUTE FUNCTION tripwire()"
    )
    try:
        yield
    finally:
        db.execute_sql(f"DROP TRIGGER tripwire ON {table}; DROP FUNCTION tripwire(); DROP SEQUENCE tripwire_rows")
