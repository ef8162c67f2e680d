"""Many rows in one statement, in one of two forms, and many statements in one message.

1. `unnest_rows` expands one array for each column into rows. It serves every statement and every process.
2. `copy_rows` inserts by `COPY`, the cheapest form, in processes with blocking connections.
3. `CollectedStatements` collects writes, and sends them before its next query. A message costs about as much as a small
   statement. PostgreSQL executes the statements in their order, each with the results of those before.

`ordered_by_index` reads rows in the order of an index, and `MonotonicIds` numbers new rows in their order.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from io import BytesIO
from types import NoneType
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.domain.values import ids

UNQUOTED = frozenset({"uuid", "bigint", "integer", "smallint", "boolean", "timestamptz", "severity"})
"""Types whose text never needs quotes inside an array."""

CHUNK = 1 << 20
"""The bytes that are sent at a time."""

_COUNTER_AT = 62
_COUNTER_MAX = (1 << 12) - 1
_RANDOM = (1 << _COUNTER_AT) - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

_ESCAPED = (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"))


def unnest_rows(columns: Mapping[str, str], rows: Sequence[Sequence[Any]], name: str = "x") -> tuple[str, list[str]]:
    """Returns `unnest(%s::uuid[], …) AS x (id, …)` with its parameters. `columns` are names and SQL types of `rows`.

    A column with an array or JSON travels as `text` and is cast where it is used (see `array_literal`).
    """
    values = zip(*rows, strict=True) if rows else [()] * len(columns)
    arrays = [
        array_literal(each, unquoted=sql_type in UNQUOTED)
        for each, sql_type in zip(values, columns.values(), strict=True)
    ]
    placeholders = ", ".join(f"%s::{sql_type}[]" for sql_type in columns.values())
    return f"unnest({placeholders}) AS {name} ({', '.join(columns)})", arrays


def array_literal(values: Iterable[Any], *, unquoted: bool = False) -> str:
    """Returns the text of an array; `unquoted` for values whose text has no comma, quote, brace or backslash."""
    if unquoted:
        return "{" + ",".join(_unquoted(list(values))) + "}"
    return "{" + ",".join(["NULL" if value is None else _quoted(str(value)) for value in values]) + "}"


def _unquoted(values: list[Any]) -> Iterable[str]:
    """Returns the texts of the values.

    A UUID is sent without hyphens, since their insertion is slow. Most columns have one type.
    """
    types = set(map(type, values))
    if types == {UUID}:
        return [f"{value.int:032x}" for value in values]
    if UUID not in types and NoneType not in types:
        return map(str, values)
    return ["NULL" if value is None else f"{value.int:032x}" if type(value) is UUID else str(value) for value in values]


def _quoted(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if '"' in text:
        text = text.replace('"', '\\"')
    return f'"{text}"'


def copy_rows(table: str, columns: Sequence[str], lines: Iterable[str]) -> None:
    """Insert these rows; a line consists of the `copy_value`s of its `columns`, in their order, separated by tabs.

    Runs in the transaction of this thread's connection. Not for web processes: PostgreSQL's driver refuses `COPY` on
    their cooperative connections. Raises `psycopg2.Error`.
    """
    text = "".join([f"{line}\n" for line in lines]).encode()
    db.cursor().copy_expert(f"COPY {table} ({', '.join(columns)}) FROM STDIN", BytesIO(text), CHUNK)


def copy_value(value: object) -> str:
    """Returns the text of a value in a line. PostgreSQL converts it to the type of the column."""
    if value is None:
        return "\\N"
    if type(value) is UUID:
        return f"{value.int:032x}"
    text = value if isinstance(value, str) else str(value)
    for special, escaped in _ESCAPED:
        if special in text:
            text = text.replace(special, escaped)
    return text


class MonotonicIds:
    """Creates UUIDv7 of `now`, each greater than the one before; beyond 4,096 they borrow from the next millisecond.

    Ids of two instances with the same millisecond have no order.
    """

    def __init__(self, now: datetime) -> None:
        self._millisecond = (now - _EPOCH) // _MILLISECOND
        self._counter = -1

    @property
    def time(self) -> datetime:
        """The time of the last created id, in whole milliseconds."""
        return _EPOCH + self._millisecond * _MILLISECOND

    def advance_past(self, moment: datetime) -> None:
        """Makes all later ids greater than any id of that moment, whatever the clock shows."""
        after = (moment - _EPOCH) // _MILLISECOND + 1
        if self._millisecond < after:
            self._millisecond, self._counter = after, -1

    def __call__(self) -> UUID:
        self._counter += 1
        if self._counter > _COUNTER_MAX:
            self._millisecond, self._counter = self._millisecond + 1, 0
        noise = (self._counter << _COUNTER_AT) | (int.from_bytes(os.urandom(8)) & _RANDOM)
        return ids.uuid7(self._millisecond, noise.to_bytes(10))


class UuidCache(dict[str, UUID]):
    """UUIDs by their text, each created once: all rows of a batch share a few sources and workspaces."""

    def __missing__(self, text: str) -> UUID:
        uuid = self[text] = UUID(text)
        return uuid


def ordered_by_index(sql: str, values: Any) -> list[tuple[Any, ...]]:
    """Returns the rows of a statement whose orders all come from indexes: no step may need a sort.

    Without statistics on the rows, all indexes look equally cheap. The planner may then choose another index and a
    sort, which reads all rows to return the first few. Sorts are disabled for this statement, in the caller's
    transaction. A plan with a sort would still have an extreme cost.
    """
    rows = list(db.execute_sql(f"SET LOCAL enable_sort = off; {sql}", values).fetchall())
    db.execute_sql("SET LOCAL enable_sort = on")
    return rows


class Statements:
    """Executes statements at once, on the connection of this thread. Callers get it from their unit of work."""

    def write(self, sql: str, values: Sequence[Any]) -> None:
        """Execute a statement without a result."""
        db.execute_sql(sql, values)

    def query(self, sql: str, values: Sequence[Any]) -> Any:
        """Execute a statement. The cursor has its rows."""
        return db.execute_sql(sql, values)

    def flush(self) -> None:
        """Sends waiting statements; here there are none."""


AT_ONCE = Statements()
"""For callers whose writes are not collected."""


class CollectedStatements(Statements):
    """Collects the writes of one transaction, and sends them with its next query or by `flush`.

    Statements that are executed otherwise do not see the collected ones. A transaction is needed, because the statements
    of one message succeed or fail together. After a failure the object is dropped with its writes.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[str, Sequence[Any]]] = []

    def write(self, sql: str, values: Sequence[Any]) -> None:
        """Add a statement without a result to the next message."""
        self._waiting.append((sql, values))

    def query(self, sql: str, values: Sequence[Any]) -> Any:
        """Execute the collected writes and this statement in one message. The cursor has the rows of this statement."""
        statements = [*self._waiting, (sql, values)]
        self._waiting.clear()
        return db.execute_sql(
            "; ".join(text for text, _ in statements), [value for _, each in statements for value in each]
        )

    def flush(self) -> None:
        """Execute the collected writes."""
        if self._waiting:
            last, last_values = self._waiting.pop()
            self.query(last, last_values)
