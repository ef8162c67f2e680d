"""Migrates the database to this version's tables. Of many processes that try at once, one does it."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import structlog
from peewee import Database, InterfaceError, OperationalError
from playhouse import migrations

from inbox.runtime.distribution import ROOT, typed

log = structlog.get_logger(__name__)

LOCK = 0x1B0CA5E
DIRECTORY = ROOT / "migrations"

LOCK_TIMEOUT = "1500ms"
"""The time that a migration waits for a table in use, because all statements behind it wait, too.

It is longer than `deadlock_timeout`, after which PostgreSQL ends an autovacuum that is in the way.
"""

PAUSE_SECONDS = 1.0
LOCKED_SECONDS = 60.0
"""The time for which a migration that finds its tables locked starts over."""

LOCKED = ("55P03", "40P01")

GRANTS = """
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA {schema} TO {role};
REVOKE ALL ON schema_migration, audit_log FROM {role};
GRANT SELECT ON schema_migration TO {role};
GRANT SELECT, INSERT ON audit_log TO {role};
GRANT EXECUTE ON FUNCTION purge_audit_log, purge_ownerless_audit_log TO {role};
GRANT EXECUTE ON FUNCTION event_partitions, add_event_partitions, drop_event_partitions TO {role};
"""
"""The rights of the services. They only read and append to the audit log. The owner's functions delete its old
entries, and add and drop partitions."""


SCHEMA = """
SELECT quote_ident(n.nspname), quote_ident(%s) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass('schema_migration')
"""
"""The schema of the tables, and the name of a role."""

HISTORY_SCHEMA = """
SELECT coalesce((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = to_regclass('schema_migration')), current_schema())
"""
"""The schema of the table of applied migrations. Peewee reads that table in `public` unless a schema is named."""

SCHEMA_OUTSIDE_SEARCH_PATH = """
SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relname = 'event_queue' AND c.relkind = 'r' AND to_regclass('schema_migration') IS NULL
    AND EXISTS (SELECT FROM pg_class m WHERE m.relname = 'schema_migration' AND m.relnamespace = c.relnamespace)
"""


class MigrationLockTimeout(Exception):
    """Another process does not release the lock of migrations, or the tables that a migration changes."""


class TablesDoNotFit(Exception):
    """No migration is applied; the message gives the reason and the remedy."""


class TablesTooNew(TablesDoNotFit):
    """A newer version migrated the database, and this version does not know its tables."""


class TablesElsewhere(TablesDoNotFit):
    """The tables are in a schema outside the search path, which the address, the role or the database named before."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between the tables and this version: migrations not applied, and unknown ones applied."""

    missing: tuple[str, ...]
    unknown: tuple[str, ...]

    def __str__(self) -> str:
        """Return the reason why this version does not fit the tables, and the remedy; empty when it fits."""
        if self.unknown:
            return (
                f"The tables are those of a newer version (migration {self.unknown[-1]} is not known here)."
                " Start that version again, or restore a backup from before."
            )
        if self.missing:
            return f"The tables are those of an older version ({len(self.missing)} migrations wait). Run {typed('migrate')}."
        return ""


MIGRATIONS = frozenset(path.stem for path in DIRECTORY.glob("[0-9]*.py"))


def difference(database: Database) -> Difference:
    """Returns the missing and the unknown migrations of the tables of this connection."""
    if database.execute_sql("SELECT to_regclass('schema_migration')").fetchone()[0] is None:
        return Difference(tuple(sorted(MIGRATIONS)), ())
    applied = {str(row[0]) for row in database.execute_sql("SELECT name FROM schema_migration").fetchall()}
    return Difference(tuple(sorted(MIGRATIONS - applied)), tuple(sorted(applied - MIGRATIONS)))


def report_difference(database: Database) -> None:
    """Logs one line at the start of a process when the tables belong to another version."""
    with suppress(OperationalError, InterfaceError), database.connection_context():
        found = difference(database)
        if found.missing or found.unknown:
            log.error("the tables are those of another version", detail=str(found))


def migrate(database: Database, *, directory: Path = DIRECTORY, wait_seconds: int = 60) -> list[str]:
    """Apply pending migrations in order and return their names. Each file has its own transaction without a time limit.

    1. Refuse tables of a newer version or in another schema.
    2. Poll for the lock. A session that waits in `pg_advisory_lock` holds a snapshot, for which `CREATE INDEX
       CONCURRENTLY` would wait.
    3. Apply the migrations, then release the lock.

    Raises `MigrationLockTimeout` and `TablesDoNotFit`.
    """
    if directory == DIRECTORY:
        _refuse_newer_tables(database)
        _refuse_tables_elsewhere(database)
    with database.connection_context():
        deadline = time.monotonic() + wait_seconds
        while not database.execute_sql("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone()[0]:
            if time.monotonic() > deadline:
                raise MigrationLockTimeout(f"another process has been migrating for {wait_seconds} s")
            time.sleep(0.2)
        try:
            database.execute_sql(f"SET lock_timeout = '{LOCK_TIMEOUT}'; SET statement_timeout = 0")
            schema = database.execute_sql(HISTORY_SCHEMA).fetchone()[0]
            runner = migrations.Runner(database, str(directory), schema=schema)
            pending = [each.name for each in runner.status() if each.path is not None and not each.applied]
            return [name for each in pending for name in _apply(runner, each)]
        finally:
            database.execute_sql("RESET lock_timeout; RESET statement_timeout")
            database.execute_sql("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _apply(runner: migrations.Runner, name: str) -> list[str]:
    """Apply the next migration. It starts over while its tables are locked, so that others use them in between."""
    give_up = time.monotonic() + LOCKED_SECONDS
    while True:
        try:
            return list(runner.up(name))
        except OperationalError as fault:
            if getattr(getattr(fault, "orig", None), "pgcode", None) not in LOCKED:
                raise
            if time.monotonic() > give_up:
                raise MigrationLockTimeout(
                    f"migration {name} waited {LOCKED_SECONDS:g} s for tables that other transactions lock."
                    f" Nothing of it is applied. End those transactions, and run {typed('migrate')} again."
                ) from None
        time.sleep(PAUSE_SECONDS)


def _refuse_newer_tables(database: Database) -> None:
    with database.connection_context():
        found = difference(database)
    if found.unknown:
        raise TablesTooNew(str(found))


def _refuse_tables_elsewhere(database: Database) -> None:
    """Raise `TablesElsewhere` when the tables are outside the search path.

    Without this check a second set of tables would be created in the first schema of the search path.
    """
    with database.connection_context():
        found = database.execute_sql(SCHEMA_OUTSIDE_SEARCH_PATH).fetchone()
    if found is not None:
        raise TablesElsewhere(
            f"The tables are in the schema {found[0]}. Name it in DATABASE_URL: ?options=-csearch_path%3D{found[0]}"
        )


def grant(database: Database, role: str) -> None:
    """Grants `role`, the role of the services, the use of the tables.

    Their owner calls it, connected, after each migration.
    """
    with database.atomic():
        schema, quoted = database.execute_sql(SCHEMA, (role,)).fetchone()
        database.execute_sql(GRANTS.replace("{schema}", schema).replace("{role}", quoted))
