"""One page of any list: by key (`(column, id)` compared as a row) or by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.paging import Key, Position


@dataclass(frozen=True, slots=True)
class RowPage:
    """The rows of a page, and the position of the last row when more rows follow."""

    rows: Sequence[Any]
    following: Position | None


def keyset_page(
    query: peewee.ModelSelect[Any],
    *,
    column: peewee.ColumnBase,
    id: peewee.Field,
    descending: bool,
    after: Position | None,
    limit: int,
) -> RowPage:
    """The next `limit` rows after a position; ties in `column` are broken by `id` in the same direction.

    `column` must never be null. When it is the id itself, one comparison suffices, and the primary key serves it.
    """
    if after is not None:
        query = query.where(_beyond(column, id, after, descending=descending))
    found = list(_sorted(_keyed(query, column, id), column, id, descending=descending).limit(limit + 1))
    rows = found[:limit]
    if len(found) <= limit or not rows:
        return RowPage(rows, None)
    return RowPage(rows, Position(_of(rows[-1], "page_key"), _of(rows[-1], "page_id")))


def offset_page(
    query: peewee.ModelSelect[Any],
    *,
    columns: Sequence[peewee.ColumnBase],
    id: peewee.Field,
    descending: bool,
    offset: int,
    limit: int,
) -> tuple[Sequence[Any], int]:
    """`limit` rows from `offset` on, and the exact number of all rows."""
    rows = list(_sorted(query, *columns, id, descending=descending).offset(offset).limit(limit))
    return rows, int(query.order_by().count())


def _keyed(query: peewee.ModelSelect[Any], column: peewee.ColumnBase, id: peewee.Field) -> peewee.ModelSelect[Any]:
    # Wrapped in a function, so that Peewee assigns both values to the row itself and not to a joined table's row.
    return query.select_extend(peewee.fn.COALESCE(column).alias("page_key"), peewee.fn.COALESCE(id).alias("page_id"))


def _sorted(query: peewee.ModelSelect[Any], *columns: peewee.ColumnBase, descending: bool) -> peewee.ModelSelect[Any]:
    terms = columns[:-1] if columns[-2] is columns[-1] else columns
    return query.order_by(*(term.desc() if descending else term.asc() for term in terms))


def _beyond(column: peewee.ColumnBase, id: peewee.Field, after: Position, *, descending: bool) -> peewee.Node:
    if column is id:
        return id < after.id if descending else id > after.id
    here, there = peewee.Tuple(column, id), peewee.Tuple(_value(after.value), _value(after.id))
    return here < there if descending else here > there


def _value(value: Key | UUID) -> peewee.Node:
    # In psycopg2's form: Peewee would convert a UUID to text, for which no comparison with `uuid` exists.
    return peewee.Value(value, converter=False)


def _of(row: object, name: str) -> Any:
    return row[name] if isinstance(row, dict) else getattr(row, name)
