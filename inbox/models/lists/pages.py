"""One page of any list: by key (`(column, id)` compared as a row) or by number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import peewee

from inbox.domain.values.paging import Key, Position
from inbox.runtime import work_budget

PAGE_BYTES = 2 * 1024 * 1024
"""The limit of bytes of a page, for lists whose rows callers may make large."""

FEWER = "Ask for fewer items with `limit`."

Size = Callable[[Any], int]
"""The number of bytes of the part of a row that callers may make large."""


def no_size(row: object) -> int:
    """Returns the size of a row without a large part."""
    return 0


@dataclass(frozen=True, slots=True)
class PageLimit:
    """The number of rows of a page. It ends earlier when the `size` of its rows exceeds `PAGE_BYTES`."""

    rows: int
    size: Size = no_size


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
    limit: PageLimit,
) -> RowPage:
    """Returns the next rows after a position, as many as `limit` allows.

    Ties in `column` are broken by `id` in the same direction. `column` must never be null. When it is the id itself,
    one comparison suffices, and the primary key serves it.
    """
    if after is not None:
        query = query.where(_beyond(column, id, after, descending=descending))
    found = _sorted(_keyed(query, column, id), column, id, descending=descending).limit(limit.rows + 1)
    rows, has_more = _first(found, limit)
    if not has_more:
        return RowPage(rows, None)
    return RowPage(rows, Position(_of(rows[-1], "page_key"), _of(rows[-1], "page_id")))


def offset_page(
    query: peewee.ModelSelect[Any],
    *,
    columns: Sequence[peewee.ColumnBase],
    id: peewee.Field,
    descending: bool,
    offset: int,
    limit: PageLimit,
) -> tuple[Sequence[Any] | None, int]:
    """Returns the rows from `offset` on, None if they are too large, and the exact number of all rows."""
    found = _sorted(query, *columns, id, descending=descending).offset(offset).limit(limit.rows)
    rows, has_more = _first(found, limit)
    return None if has_more else rows, int(query.order_by().count())


def _first(found: Iterable[Any], limit: PageLimit) -> tuple[list[Any], bool]:
    """Returns the rows of a page, and whether others follow. Rows beyond the page are not converted."""
    rows: list[Any] = []
    total = 0
    for row in work_budget.spending(found, FEWER):
        if len(rows) == limit.rows or total > PAGE_BYTES:
            return rows, True
        rows.append(row)
        total += limit.size(row)
    return rows, False


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
