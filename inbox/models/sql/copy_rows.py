"""Bulk inserts by `COPY`, the cheapest form, for processes with blocking connections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import BytesIO
from typing import Any
from uuid import UUID

from inbox.models.sql.base import db

CHUNK = 1 << 20
"""Bytes that are sent at a time."""

_ESCAPED = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def copy_rows(table: str, columns: Sequence[str], lines: Iterable[str]) -> None:
    """Insert these rows; a line consists of the `copy_value`s of its `columns`, in their order, separated by tabs.

    Runs in the transaction of this thread's connection. Not for web processes: PostgreSQL's driver refuses `COPY` on
    their cooperative connections. Raises `psycopg2.Error`.
    """
    text = "".join([f"{line}\n" for line in lines]).encode()
    db.cursor().copy_expert(f"COPY {table} ({', '.join(columns)}) FROM STDIN", BytesIO(text), CHUNK)


def copy_value(value: Any) -> str:
    """The text of a value in a line; PostgreSQL converts it to the type of the column."""
    if value is None:
        return "\\N"
    if type(value) is UUID:
        return f"{value.int:032x}"
    text = value if isinstance(value, str) else str(value)
    for special, escaped in _ESCAPED:
        if special in text:
            text = text.replace(special, escaped)
    return text
