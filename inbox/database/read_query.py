"""Rows of a list by their ids. Peewee writes the columns once, and rows are plain objects with these columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal


class Row(SimpleNamespace):
    """A row. The reader may add attributes to it."""


class ReadQuery:
    """The rows of a query by ids: `ReadQuery(Thing.select)(id=ids)`. `select` is called once."""

    def __init__(self, select: Callable[[], Any]) -> None:
        self._select = select
        self._query: tuple[str, list[Any]] | None = None

    def __call__(self, **ids: Collection[UUID]) -> list[Row]:
        """Returns the rows with any of these ids in each of these columns, in no order."""
        if self._query is None:
            self._query = self._select().sql()
        sql, values = self._query
        conditions = " AND ".join(f"r.{column} = ANY(%s::uuid[])" for column in ids)
        arrays = [array_literal(each, unquoted=True) for each in ids.values()]
        cursor = db.execute_sql(f"SELECT * FROM ({sql}) r WHERE {conditions}", [*values, *arrays])
        names = [column.name for column in cursor.description]
        return [Row(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]
