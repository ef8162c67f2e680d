"""Walks documents by their schemas: ids become keys and keys ids, and defaults are left out or filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import Person, Schema, TypeId
from inbox.domain.values.jsonbody import escaped

Exchange = Callable[[str, str, str], str]
"""Returns the replacement of an id or key. Its arguments are the prefix of the id, the text, and its JSON pointer."""


def exchanged(schema: Schema, document: Any, exchange: Exchange, at: str = "") -> Any:
    """Returns the document with every id replaced. Parts of another shape stay, for the schema to refuse."""
    if not isinstance(document, dict):
        return document
    fields = {str(field.data_key): field for field in schema.fields.values()}
    return {
        name: _exchanged(fields[name], value, exchange, f"{at}/{escaped(name)}") if name in fields else value
        for name, value in document.items()
    }


def _exchanged(field: Any, value: Any, exchange: Exchange, at: str) -> Any:
    if isinstance(field, ma.fields.List) and isinstance(value, list):
        return [_exchanged(field.inner, each, exchange, f"{at}/{place}") for place, each in enumerate(value)]
    if isinstance(field, ma.fields.Nested):
        return exchanged(field.schema, value, exchange, at)  # type: ignore[arg-type]
    if isinstance(value, str) and isinstance(field, TypeId):
        return exchange(field.prefix, value, at)
    if isinstance(value, str) and isinstance(field, Person) and value not in field.words:
        return exchange("usr", value, at)
    return value


def filled(document: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the document with the defaults of its missing members."""
    given = {
        name: filled(value, defaults[name])
        if isinstance(value, dict) and isinstance(defaults.get(name), dict)
        else value
        for name, value in document.items()
    }
    return {**defaults, **given}


def reduced(schema: Schema, document: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the document without members that have their default values."""
    fields = {str(field.data_key): field for field in schema.fields.values()}
    left = {}
    for name, value in document.items():
        if name in defaults and value == defaults[name] and not fields[name].required:
            continue
        left[name] = _reduced(fields[name], value, defaults.get(name))
    return left


def _reduced(field: Any, value: Any, default: Any) -> Any:
    if isinstance(field, ma.fields.Nested) and isinstance(value, dict) and isinstance(default, dict):
        return reduced(field.schema, value, default)  # type: ignore[arg-type]
    if isinstance(field, ma.fields.List) and isinstance(field.inner, ma.fields.Nested):
        own = _load_defaults(field.inner.schema)
        return [reduced(field.inner.schema, each, own) for each in value or ()]  # type: ignore[arg-type]
    return value


def ordered(schema: Schema, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the document with the members of nested objects in the order of their schemas.

    The database does not keep the order of members.
    """
    fields = {str(field.data_key): field for field in schema.fields.values()}
    return {name: _ordered(fields.get(name), value) for name, value in document.items()}


def _ordered(field: Any, value: Any) -> Any:
    if isinstance(field, ma.fields.List) and isinstance(value, list):
        return [_ordered(field.inner, each) for each in value]
    if isinstance(field, ma.fields.Nested) and isinstance(value, dict):
        places = {str(each.data_key): place for place, each in enumerate(field.schema.fields.values())}
        names = sorted(value, key=lambda name: (places.get(name, len(places)), name))
        return ordered(field.schema, {name: value[name] for name in names})  # type: ignore[arg-type]
    if isinstance(value, dict):
        return {name: value[name] for name in sorted(value)}
    return value


def _load_defaults(schema: Any) -> dict[str, Any]:
    found = {}
    for field in schema.fields.values():
        if field.load_default is not ma.missing:
            value = field.load_default() if callable(field.load_default) else field.load_default
            found[str(field.data_key)] = value
    return found
