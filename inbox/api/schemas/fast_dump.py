"""From records to what is answered of them: marshmallow's way, worked out once for each schema and not for each value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import marshmallow as ma

Converter = Callable[[Any], Any]

Converters = Mapping[type, Converter | None]
"""How a field writes values of exactly these types; None: as they are. All others it writes as marshmallow does."""

_MISSING = type(ma.missing)


class FastDump:
    """Answers what `ma.Schema.dump` does, for a schema without hooks.

    Fields that are not known here, records of unusual kinds, and values that are not there go marshmallow's own way.
    """

    def __init__(self, schema: ma.Schema) -> None:
        self._fields = [_field(schema, name, field) for name, field in schema.dump_fields.items()]
        self._keys = [field.key for field in self._fields]

    def one(self, record: Any) -> dict[str, Any]:
        """Of one record."""
        kind: Any = type(record)
        look, written = _reader(kind), {}
        for key, attribute, ways, otherwise, slowly in self._fields:
            value = look(record, attribute, ma.missing)
            if value is ma.missing or ways is None:
                value = slowly(record)
                if value is not ma.missing:
                    written[key] = value
            elif (write := ways.get(type(value), otherwise)) is None:
                written[key] = value
            else:
                written[key] = write(value)
        return written

    def many(self, records: Sequence[Any]) -> list[dict[str, Any]]:
        """Of many, field by field: nearly all values of a field are of one type."""
        kinds: set[Any] = set(map(type, records))
        has_names = all(_reader(kind) is getattr for kind in kinds)
        columns = [_column(field, records) for field in self._fields] if has_names else []
        if not columns or None in columns:
            return [self.one(record) for record in records]
        return [dict(zip(self._keys, row, strict=True)) for row in zip(*columns, strict=True)]


class _Field(NamedTuple):
    """`otherwise` writes a value that the ways do not name, `slowly` the field of a whole record."""

    key: str
    attribute: str
    converters: Converters | None
    otherwise: Converter
    slowly: Converter


def _field(schema: ma.Schema, name: str, field: ma.fields.Field[Any]) -> _Field:
    attribute = name if field.attribute is None else field.attribute
    return _Field(
        key=name if field.data_key is None else field.data_key,
        attribute=attribute,
        converters=None if "." in attribute else _converters(field),
        otherwise=partial(field._serialize, attr=name, obj=None),
        slowly=partial(field.serialize, name, accessor=schema.get_attribute),
    )


def _column(field: _Field, records: Sequence[Any]) -> list[Any] | None:
    """The field of all records; None where one of them has nothing to write."""
    if field.converters is None:
        written = [field.slowly(record) for record in records]
        return None if _MISSING in map(type, written) else written
    values = [getattr(record, field.attribute, ma.missing) for record in records]
    return None if _MISSING in map(type, values) else _each(field.converters, field.otherwise, values)


def _each(ways: Converters, otherwise: Converter, values: list[Any]) -> list[Any]:
    writes = {kind: ways.get(kind, otherwise) for kind in set(map(type, values))}
    if not any(writes.values()):
        return values[:]
    return [value if (write := writes[type(value)]) is None else write(value) for value in values]


def _converters(field: ma.fields.Field[Any]) -> Converters | None:
    """Those of a field that tells them itself (`converters`) or is known here; None of any other."""
    way = type(field)._serialize
    own: Converters | None = getattr(field, "converters", _BY_FIELD_TYPE.get(way))
    if way is ma.fields.List._serialize and isinstance(field, ma.fields.List):
        inner = _converters(field.inner)
        own = inner and {list: partial(_each, inner, partial(field.inner._serialize, attr=None, obj=None))}
    if way is ma.fields.Number._serialize and isinstance(field, ma.fields.Number):
        own = None if field.as_string else {field.num_type: None}
    return None if own is None else {type(None): None, **own}


_BY_FIELD_TYPE: Mapping[Any, Converters] = {
    ma.fields.String._serialize: {str: None},
    ma.fields.Boolean._serialize: {bool: None},
    ma.fields.Nested._serialize: {},
    ma.fields.Dict._serialize: {},
}


@lru_cache(maxsize=1024)
def _reader(kind: Any) -> Callable[[Any, str, Any], Any]:
    """Dictionaries are looked into by key, tuples and what has no keys by name; in anything else nothing is found here."""
    if kind is dict:
        return dict.get
    has_keys = any("__getitem__" in each.__dict__ for each in kind.__mro__)
    return getattr if issubclass(kind, tuple) or not has_keys else _nothing


def _nothing(record: Any, name: str, default: Any) -> Any:
    return default
