"""Suggestions of values for the clauses of matches, from recent events (specification 6.3)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inbox.domain.events.subject import Subject
from inbox.domain.routing.matchers.fields import FIELDS, KEY, METADATA, Field, FieldKind, field_of
from inbox.domain.routing.matchers.vocabulary import VALUES
from inbox.domain.values.severity import Severity
from inbox.models.events import suggestions
from inbox.models.senders import sources

MAX_ITEMS = 20
MAX_DEPTH = 4
LONGEST = 200
"""Longer values are no suggestions."""

COLUMNS: Mapping[str, str] = {
    "type": "type",
    "resource": "resource",
    "resource.kind": "resource",
    "resource.name": "resource",
    "tags": "tags",
    "dedupKey": "dedup_key",
    "externalId": "external_id",
}
"""The column of the event of each field with suggestions. Suggestions for metadata fields come from `metadata`."""

_PLAIN_KEY = re.compile(KEY)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A value, and the number of recent events that have it; 0 for a value of a closed list."""

    value: Any
    count: int


def has_suggestions(field: str) -> bool:
    """Return whether values of this field can be suggested."""
    if field in COLUMNS or field == METADATA:
        return True
    known_field = field_of(field)
    return known_field is not None and known_field.kind in (*VALUES, FieldKind.SOURCE, FieldKind.METADATA)


def suggested(workspace_ids: Sequence[UUID], field: str, prefix: str) -> list[Suggestion]:
    """Return up to twenty values that begin with `prefix` in any case, the most frequent first.

    The field `metadata` suggests the names of fields: `metadata.<path>`.
    """
    found = Counter(each for each in _values(workspace_ids, field) if _fits(each, prefix))
    ranked = sorted(found.items(), key=lambda each: (-each[1], str(each[0])))
    return [Suggestion(value, count) for value, count in ranked[:MAX_ITEMS]] or _of_closed_list(field, prefix)


def _of_closed_list(field: str, prefix: str) -> list[Suggestion]:
    known_field = FIELDS.get(field)
    names = VALUES.get(known_field.kind, ()) if known_field is not None else ()
    return [Suggestion(name, 0) for name in names if _fits(name, prefix)]


def _values(workspace_ids: Sequence[UUID], field: str) -> Iterator[Any]:
    if field == METADATA:
        for document in suggestions.recent(workspace_ids, METADATA):
            yield from set(_paths(document, METADATA, 1))
    elif field == "source":
        yield from (name for _, _, name in sources.names(workspace_ids))
    elif field in COLUMNS:
        yield from _of_column(workspace_ids, FIELDS[field], COLUMNS[field])
    elif (known_field := field_of(field)) is not None and known_field.kind is FieldKind.METADATA:
        for document in suggestions.recent(workspace_ids, METADATA):
            yield from _entries(known_field.read(_subject("metadata", document)))


def _of_column(workspace_ids: Sequence[UUID], field: Field, column: str) -> Iterator[Any]:
    for value in suggestions.recent(workspace_ids, column):
        yield from _entries(field.read(_subject(column, value)))


def _subject(column: str, value: Any) -> Subject:
    empty = Subject(Severity.INFO, "", "", None, None, None, (), "", "")
    return empty._replace(**{column: value})


def _entries(value: Any) -> Iterator[Any]:
    entries = value if isinstance(value, list | tuple) else [value]
    yield from {each for each in entries if isinstance(each, str | int | float)}


def _paths(document: Any, at: str, depth: int) -> Iterator[str]:
    for key, value in document.items() if isinstance(document, dict) else ():
        path = f"{at}.{key if _PLAIN_KEY.fullmatch(key) and not key.startswith(chr(34)) else json.dumps(key)}"
        if isinstance(value, dict) and depth < MAX_DEPTH:
            yield from _paths(value, path, depth + 1)
        elif field_of(path) is not None:
            yield path


def _fits(value: Any, prefix: str) -> bool:
    text = str(value)
    return len(text) <= LONGEST and text.casefold().startswith(prefix.casefold())
