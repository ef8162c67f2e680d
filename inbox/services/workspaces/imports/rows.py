"""Converts the records of an export to rows: the reverse of the columns of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from inbox.database.bulk_sql import array_literal, copy_value
from inbox.domain.values import ids, times
from inbox.models.workspaces.export_columns import Column
from inbox.models.workspaces.exports import Section
from inbox.services.workspaces.imports.id_map import IdMap

Row = dict[str, Any]
"""The values of a row by column. JSON is text."""

OF_SENDERS = frozenset({("events", "metadata"), ("events", "warnings")})
"""The JSON of senders, in which nothing is replaced."""

PEOPLE = frozenset({"people", "steps", "actions", "layers"})
"""The JSON columns whose lists name people."""


class BadRecord(Exception):
    """A record that no row can have; the text says why."""


class LeftOut(Exception):
    """A record that the import does not store; the text is the reason, for a count."""


def row_of(section: Section, item: Mapping[str, Any], id_map: IdMap) -> Row:
    """Returns the row of a record, without what other tables have. Raises `BadRecord`."""
    known = {column.name for column in section.columns}
    unknown = [name for name in item if name not in known]
    if unknown:
        raise BadRecord(f"The member {unknown[0][:100]} is unknown.")
    return {
        column.stored: _value(section, column, item.get(column.name), id_map)
        for column in section.columns
        if column.stored
    }


def line_of(columns: Sequence[str], row: Row) -> str:
    """Returns the row as a line for `COPY`."""
    return "\t".join([copy_value(_text(row.get(column))) for column in columns])


def _value(section: Section, column: Column, value: Any, id_map: IdMap) -> Any:
    if value is None:
        return None
    match column.kind:
        case "time":
            return _time(column.name, value)
        case "json" | "details":
            return _json(section, column, value, id_map)
        case "" | "text":
            return _plain(column.name, value)
        case prefix:
            return _ids(column.name, prefix, value, id_map)


def _time(name: str, value: Any) -> datetime:
    found = times.parse(value) if isinstance(value, str) else None
    if found is None:
        raise BadRecord(f"{name} is no time.")
    return found


def _json(section: Section, column: Column, value: Any, id_map: IdMap) -> str:
    if column.stored in PEOPLE:
        value = id_map.without_strangers(value)
    text = orjson.dumps(value).decode()
    return text if (section.name, column.stored) in OF_SENDERS else id_map.in_json(text)


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, dict | list) for each in value)):
        raise BadRecord(f"{name} is no text, number or list of these.")
    return value


def _ids(name: str, prefix: str, value: Any, id_map: IdMap) -> UUID | list[UUID] | None:
    if isinstance(value, list):
        found = (_id(name, prefix, each, id_map) for each in value)
        return [each for each in found if each is not None]
    return _id(name, prefix, value, id_map)


def _id(name: str, prefix: str, value: Any, id_map: IdMap) -> UUID | None:
    id = ids.decode(prefix, value) if isinstance(value, str) else None
    if id is None:
        raise BadRecord(f"{name} is no id that begins with {prefix}_.")
    return id_map.of(prefix, id)


def _text(value: Any) -> Any:
    return array_literal(value) if isinstance(value, list) else value
