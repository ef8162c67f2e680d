"""Settings of a session that the database keeps with the role of the service, for a pooler of transactions.

A pooler hands each transaction to another connection of the server and drops the options of its clients. So
`bin/migrate` keeps the settings with the role, and every process says at its start which ones its sessions lack.
"""

from __future__ import annotations

from contextlib import suppress

import structlog
from peewee import Database, InterfaceError, OperationalError

from inbox.database.base import SESSION

log = structlog.get_logger("inbox.database")


def keep(database: Database) -> None:
    """Keeps the settings with the role of this connection, for sessions that begin later, and sets them in this one."""
    with database.connection_context():
        [name] = database.execute_sql("SELECT quote_ident(current_database())").fetchone()
        with database.atomic():
            for setting, value in SESSION.items():
                database.execute_sql(f"ALTER ROLE CURRENT_USER IN DATABASE {name} SET {setting} = '{value}'")
                # The pooler keeps this connection for others, and it began before the role had the setting.
                database.execute_sql(f"SET {setting} = '{value}'")


def lacking(database: Database) -> list[str]:
    """Returns the settings that differ in this session: `timezone is Europe/Berlin and must be UTC`."""
    rows = database.execute_sql(
        "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", (list(SESSION),)
    ).fetchall()
    return [f"{name} is {found} and must be {SESSION[name]}" for name, found in sorted(rows) if found != SESSION[name]]


def report_lacking(database: Database) -> None:
    """Logs one line at the start of a process whose sessions lack settings."""
    with suppress(OperationalError, InterfaceError), database.connection_context():
        found = lacking(database)
        if found:
            log.error(
                "sessions lack settings: run bin/migrate, then RECONNECT in the console of the pooler",
                detail="; ".join(found),
            )
