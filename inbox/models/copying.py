"""Many rows into a table by `COPY`, the cheapest way there is, from processes whose connections block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

from inbox.models.base import db

_ESCAPED = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def copy(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write these rows, each with the values of `columns` in that order, as text that PostgreSQL takes for their types.

    In the transaction of this thread's connection. Not for web processes: PostgreSQL's driver refuses `COPY` on their
    cooperative connections. Raises `psycopg2.Error`.
    """
    lines = ["\t".join([_field(value) for value in row]) for row in rows]
    lines.append("")
    db.cursor().copy_expert(f"COPY {table} ({', '.join(columns)}) FROM STDIN", StringIO("\n".join(lines)))


def _field(value: Any) -> str:
    if value is None:
        return "\\N"
    text = value if isinstance(value, str) else str(value)
    for special, escaped in _ESCAPED:
        if special in text:
            text = text.replace(special, escaped)
    return text
