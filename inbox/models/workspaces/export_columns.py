"""The columns of an export, with the SQL that reads each and its conversion."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import orjson
from orjson import Fragment

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix

_CAMEL = re.compile(r"_([a-z0-9])")


@dataclass(frozen=True, slots=True)
class Column:
    """One member of an item: its SQL, and a function that converts the value for JSON, where needed.

    An import stores the member in the column `stored` by its `kind`, as in `columns`. Without `stored` it does not.
    """

    name: str
    sql: str
    converter: Callable[[Any], Any] | None = None
    stored: str = ""
    kind: str = ""


def moment(sql: str) -> str:
    """Returns the SQL of a time as the API writes it."""
    return f"""to_char({sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""


def columns(text: str) -> tuple[Column, ...]:
    """Returns columns from a text: `title`, `id:inc` for ids, `at:time`, `config:json`; all of `t`.

    `order=position` names a member that differs from its column. `details:details` leaves out hints of keys.
    """
    return tuple(_column(*word.partition(":")[::2]) for word in text.split())


def _column(column: str, kind: str) -> Column:
    member, _, sql = column.rpartition("=")
    name = _CAMEL.sub(lambda match: match.group(1).upper(), member or sql)
    return Column(name, *_reading(f"t.{sql}", kind), stored=sql, kind=kind)


def _reading(sql: str, kind: str) -> tuple[str, Callable[[Any], Any] | None]:
    """Returns the SQL that reads a column of this kind, and the conversion of its value."""
    match kind:
        case "time":
            return moment(sql), None
        case "json":
            return f"{sql}::text", Fragment
        case "details":
            return f"{sql}::text", _without_hints
        case "text":
            return f"{sql}::text", None
        case "":
            return sql, None
        case _:
            return sql, partial(_ids, Prefix(kind))


def _ids(prefix: str, value: UUID | list[UUID]) -> str | list[str]:
    return [ids.encode(prefix, each) for each in value] if isinstance(value, list) else ids.encode(prefix, value)


def _without_hints(text: str) -> Any:
    """Returns the details of an audit entry without the last characters of keys and secrets."""
    return _stripped(orjson.loads(text))


def _stripped(value: Any) -> Any:
    match value:
        case dict():
            return {name: _stripped(each) for name, each in value.items() if not name.lower().endswith("hint")}
        case list():
            return [_stripped(each) for each in value]
        case _:
            return value
