"""Rows that are only read: Peewee writes their statement once, and they come as plain records of its columns."""

from __future__ import annotations

from collections.abc import Callable, Collection
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import peewee

from inbox.models.base import db
from inbox.models.columns import array


class Record(SimpleNamespace):
    """A row. Whoever read it may add to it what it tells beside its columns."""


class Reading:
    """The rows that a query finds for some ids: `Reading(lambda ids: Thing.select().where(Thing.id == ids))`."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self._build = build
        self._text = ""
        self._values: list[Any] = []

    def __call__(self, *ids: Collection[UUID]) -> list[Record]:
        """For each place that `build` takes, any of these ids. The rows are in no order."""
        if not self._text:
            places = [peewee.fn.ANY(peewee.Value(_Place(place), converter=False)) for place in range(len(ids))]
            self._text, self._values = self._build(*places).sql()
        arrays = [array(each, bare=True) for each in ids]
        values = [arrays[value.place] if isinstance(value, _Place) else value for value in self._values]
        cursor = db.execute_sql(self._text, values)
        names = [column.name for column in cursor.description]
        return [Record(**dict(zip(names, row, strict=True))) for row in cursor.fetchall()]


class _Place:
    """Stands in a statement for an array that is given later."""

    def __init__(self, place: int) -> None:
        self.place = place
