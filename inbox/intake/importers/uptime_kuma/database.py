"""Reads rows of an untrusted database of Uptime Kuma, whose schema and content may be crafted.

A schema contains expressions: in views, in generated columns, in virtual tables. SQLite computes them while it reads,
so only ordinary columns of ordinary tables are read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from typing import Any

from inbox.intake.importers.plan import MAX_ITEMS, Unreadable

LONGEST_VALUE = 64 * 1024
"""The maximum number of bytes of a value, and of all values of a row that is sorted."""

MOST_CHARACTERS = 4 * 1024 * 1024
"""The maximum number of characters of all values that are read of a table."""

MOST_ROWS = 2 * MAX_ITEMS

_OPERATIONS = 1_000
_ORDINARY = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?"
_COLUMNS = "SELECT name, hidden FROM pragma_table_xinfo(?)"
_FAULTS = (sqlite3.Error, UnicodeDecodeError)
"""The exceptions for a damaged database. The second one is raised for column names that are no UTF-8."""


class NoTable(Exception):
    """The database has no such table that can be read."""


def prepare(connection: sqlite3.Connection, seconds: float) -> None:
    """Limits the resources of a connection's queries. Raises `NoTable`."""
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: int(time.monotonic() > until), _OPERATIONS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
    except _FAULTS:
        raise NoTable from None


def rows(connection: sqlite3.Connection, table: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the rows of a table by `id`, with those columns that exist.

    Raises `NoTable`, and `Unreadable` for too much text.
    """
    try:
        columns = _columns(connection, table, names)
        found = connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY id LIMIT ?", (MOST_ROWS,))
        return list(_bounded(dict(zip(columns, row, strict=True)) for row in found))
    except _FAULTS:
        raise NoTable from None


def _columns(connection: sqlite3.Connection, table: str, names: Sequence[str]) -> list[str]:
    """Returns the requested columns that an ordinary table has. Raises `NoTable` for any other table."""
    if connection.execute(_ORDINARY, (table,)).fetchone() is None:
        raise NoTable
    hidden: dict[str, int] = dict(connection.execute(_COLUMNS, (table,)).fetchall())
    if any(hidden.values()):
        raise NoTable
    return [name for name in names if name in hidden]


def _bounded(found: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    characters = 0
    for row in found:
        values = {name: value for name, value in row.items() if not isinstance(value, bytes)}
        characters += sum(len(each) for each in values.values() if isinstance(each, str))
        if characters > MOST_CHARACTERS:
            raise Unreadable(f"Its monitors or maintenance have more than {MOST_CHARACTERS:,} characters.")
        yield values
