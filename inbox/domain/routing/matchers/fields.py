"""The fields of an event in clauses: their kinds, how each is read, and the allowed operators.

Specification 6.3.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any, Protocol

from inbox.domain.events import metadata
from inbox.domain.values.severity import Severity

METADATA = "metadata"
LENGTH_LIMIT = 1_024
"""The limit of characters in a field name."""


class MatchSubject(Protocol):
    """The values that a match reads of an event or of an incident."""

    @property
    def severity(self) -> Severity: ...
    @property
    def type(self) -> str | None: ...
    @property
    def resource(self) -> str | None: ...
    @property
    def title(self) -> str: ...
    @property
    def body(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def action(self) -> str: ...
    @property
    def dedup_key(self) -> str | None: ...
    @property
    def external_id(self) -> str | None: ...
    @property
    def url(self) -> str | None: ...
    @property
    def source_id(self) -> str:
        """The TypeID (`src_…`)."""

    @property
    def source_name(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any] | None: ...


Read = Callable[[MatchSubject], Any]


class Op(StrEnum):
    """The operators, with their names in the API."""

    EQ = "eq"
    NE = "ne"
    IN = "in"
    NOT_IN = "notIn"
    CONTAINS = "contains"
    STARTS_WITH = "startsWith"
    ENDS_WITH = "endsWith"
    MATCHES = "matches"
    GTE = "gte"
    LTE = "lte"
    EXISTS = "exists"


class FieldKind(StrEnum):
    """The kind of a field. It determines the validation of values and operators."""

    SEVERITY = "severity"
    ACTION = "action"
    TEXT = "text"
    """Text that is compared without regard to case."""

    EXACT = "exact"
    """Text that is compared character by character: keys of senders."""

    SOURCE = "source"
    """The source's name, or its id if the value is one."""

    TAGS = "tags"
    METADATA = "metadata"


_EQUALITY_OPS = frozenset({Op.EQ, Op.NE, Op.IN, Op.NOT_IN, Op.EXISTS})
_TEXT_OPS = _EQUALITY_OPS | {Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.MATCHES}
_ORDER_OPS = frozenset({Op.GTE, Op.LTE})

OPS: Mapping[FieldKind, frozenset[Op]] = {
    FieldKind.SEVERITY: _EQUALITY_OPS | _ORDER_OPS,
    FieldKind.ACTION: _EQUALITY_OPS,
    FieldKind.TEXT: _TEXT_OPS,
    FieldKind.EXACT: _TEXT_OPS,
    FieldKind.SOURCE: _TEXT_OPS,
    FieldKind.TAGS: _TEXT_OPS,
    FieldKind.METADATA: _TEXT_OPS | _ORDER_OPS,
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a clause.

    `read` returns its value or `None`. `column` is the column to load, unless it is always loaded.
    """

    name: str
    kind: FieldKind
    read: Read
    column: str | None = None

    @property
    def long(self) -> bool:
        """Returns whether the field's texts can have many thousands of characters."""
        return self.column in ("body", METADATA)


def _kind_of_resource(subject: MatchSubject) -> str | None:
    kind, colon, _ = (subject.resource or "").partition(":")
    return kind if colon and kind else None


def _name_of_resource(subject: MatchSubject) -> str | None:
    resource = subject.resource
    return (resource.partition(":")[2] or resource) if resource else None


FIELDS: Mapping[str, Field] = {
    field.name: field
    for field in (
        Field("severity", FieldKind.SEVERITY, attrgetter("severity")),
        Field("type", FieldKind.TEXT, attrgetter("type")),
        Field("resource", FieldKind.TEXT, attrgetter("resource")),
        Field("resource.kind", FieldKind.TEXT, _kind_of_resource),
        Field("resource.name", FieldKind.TEXT, _name_of_resource),
        Field("title", FieldKind.TEXT, attrgetter("title")),
        Field("body", FieldKind.TEXT, attrgetter("body"), "body"),
        Field("tags", FieldKind.TAGS, attrgetter("tags")),
        Field("action", FieldKind.ACTION, attrgetter("action")),
        Field("dedupKey", FieldKind.EXACT, attrgetter("dedup_key")),
        Field("externalId", FieldKind.EXACT, attrgetter("external_id"), "external_id"),
        Field("url", FieldKind.TEXT, attrgetter("url"), "url"),
        Field("source", FieldKind.SOURCE, attrgetter("source_name")),
    )
}
"""All fields except `metadata.<path>`. The kind and name of a resource are split like in `groupBy` (specification 4.6)."""

KEY = r'(?:[\w/@-]++|"(?:[^"\\]++|\\["\\])*+")'
PATH = re.compile(rf"{METADATA}(?:\.{KEY})+")
"""`metadata.team`, `metadata.labels.team`, and `metadata."a.b".c`.

A key is quoted if it has characters other than word characters, `-`, `/` and `@`.
"""

QUOTING = f'where a key with other characters than letters, digits, `_`, `-`, `/` and `@` is in double quotes (`{METADATA}."a b"`)'
FIELDS_TEXT = f"{', '.join(FIELDS)} or {METADATA}.<path>, {QUOTING}"
"""The description of the allowed fields."""

_KEYS = re.compile(rf"\.({KEY})")


@lru_cache(maxsize=1_000)
def field_of(name: str) -> Field | None:
    """Returns the field with this name; `None` if it does not exist. Cached, because each clause is read several times."""
    field = FIELDS.get(name)
    if field is not None:
        return field
    if len(name) > LENGTH_LIMIT or PATH.fullmatch(name) is None or not name.isprintable():
        return None
    return Field(name, FieldKind.METADATA, _reader(name.removeprefix(METADATA + ".")), METADATA)


def _reader(path: str) -> Read:
    """Returns a function that reads a path as `groupBy` does (`metadata.at`). A path with quotes is read key by key."""
    if '"' in path:
        keys = [_unquoted(key) for key in _KEYS.findall("." + path)]
        return lambda subject: _value_at(subject.metadata, keys)
    if "." in path:
        return lambda subject: metadata.at(subject.metadata, path)
    return lambda subject: (subject.metadata or {}).get(path)


def _unquoted(key: str) -> str:
    return str(json.loads(key)) if key.startswith('"') else key


def _value_at(found: object, keys: Sequence[str]) -> Any:
    for key in keys:
        if type(found) is dict:
            found = found.get(key)
        elif type(found) is list and key.isdecimal() and len(key) < 6:
            found = found[int(key)] if int(key) < len(found) else None
        else:
            return None
    return found
