"""Read-only queries: Peewee builds the statement once, and rows are plain objects with its columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import peewee

from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import array_literal


class Row(SimpleNamespace):
    """A row. The reader may add attributes to it."""


class ReadQuery:
    """A query of rows by ids: `ReadQuery(lambda ids: Thing.select().where(Thing.id == ids))`."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self._build = build
        self._text = ""
        self._values: list[Any] = []

    def __call__(self, *ids: Collection[UUID]) -> list[Row]:
        """The rows with any of these ids, for each parameter of `build`, in no order."""
        if not self._text:
            parameters = [peewee.fn.ANY(peewee.Value(_Parameter(place), converter=False)) for place in range(len(ids))]
            self._text, self._values = self._build(*parameters).sql()
        arrays = [array_literal(each, unquoted=True) for each in ids]
        values = [arrays[value.index] if isinstance(value, _Parameter) else value for value in self._values]
        cursor = db.execute_sql(self._text, values)
        names = [column.name for column in cursor.description]
        return [Row(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


class _Parameter:
    """The placeholder in a statement for an array that each call supplies."""

    def __init__(self, index: int) -> None:
        self.index = index
