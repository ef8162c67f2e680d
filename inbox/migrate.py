"""Brings the database to this version's tables; many may try at once, one does it."""

from __future__ import annotations

import time
from pathlib import Path

from peewee import Database
from playhouse import migrations

LOCK = 0x1B0CA5E
DIRECTORY = Path(__file__).parent.parent / "migrations"


GRANTS = """
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
REVOKE ALL ON schema_migration, audit_log FROM {role};
GRANT SELECT ON schema_migration TO {role};
GRANT SELECT, INSERT ON audit_log TO {role};
GRANT EXECUTE ON FUNCTION purge_audit_log, purge_ownerless_audit_log TO {role};
"""
"""What the services need. The audit log they may only read and add to; functions of the owner remove what is old."""


class MigrationsStuck(Exception):
    """Another process holds the lock of migrations and does not come to an end."""


def migrate(database: Database, *, directory: Path = DIRECTORY, wait_seconds: int = 60) -> list[str]:
    """Apply what is pending, in order, each file in its own transaction and for as long as it takes; answers the names.

    The lock is polled: a session that waits in `pg_advisory_lock` holds a snapshot, for which
    `CREATE INDEX CONCURRENTLY` would wait in turn.
    """
    with database.connection_context():
        give_up = time.monotonic() + wait_seconds
        while not database.execute_sql("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone()[0]:
            if time.monotonic() > give_up:
                raise MigrationsStuck(f"another process has been migrating for {wait_seconds} s")
            time.sleep(0.2)
        try:
            database.execute_sql("SET lock_timeout = '10s'; SET statement_timeout = 0")
            return list(migrations.run(database, str(directory)))
        finally:
            database.execute_sql("RESET lock_timeout; RESET statement_timeout")
            database.execute_sql("SELECT pg_advisory_unlock(%s)", (LOCK,))


def grant(database: Database, role: str) -> None:
    """Let `role`, under which the services connect, use the tables; called by their owner, connected, after each migration."""
    with database.atomic():
        schema, quoted = database.execute_sql(
            "SELECT quote_ident(current_schema()), quote_ident(%s)", (role,)
        ).fetchone()
        database.execute_sql(GRANTS.replace("{schema}", schema).replace("{role}", quoted))
