"""Rows that are only read: Peewee writes their statement once, and they come as plain records of its columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import peewee

from inbox.models.sql.base import db
from inbox.models.sql.bulk_sql import array_literal


class Row(SimpleNamespace):
    """A row. Whoever read it may add to it what it tells beside its columns."""


class ReadQuery:
    """The rows that a query finds for some ids: `Reading(lambda ids: Thing.select().where(Thing.id == ids))`."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self._build = build
        self._text = ""
        self._values: list[Any] = []

    def __call__(self, *ids: Collection[UUID]) -> list[Row]:
        """For each place that `build` takes, any of these ids. The rows are in no order."""
        if not self._text:
            parameters = [peewee.fn.ANY(peewee.Value(_Parameter(place), converter=False)) for place in range(len(ids))]
            self._text, self._values = self._build(*parameters).sql()
        arrays = [array_literal(each, unquoted=True) for each in ids]
        values = [arrays[value.index] if isinstance(value, _Parameter) else value for value in self._values]
        cursor = db.execute_sql(self._text, values)
        names = [column.name for column in cursor.description]
        return [Row(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


class _Parameter:
    """Stands in a statement for an array that is given later."""

    def __init__(self, index: int) -> None:
        self.index = index
