"""The search text, tags and normalised titles of incidents, in a table that events do not update."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField

from inbox.domain.grouping import normalise_title
from inbox.models.sql.base import Table
from inbox.models.sql.bulk_sql import array_literal, unnest_rows
from inbox.models.sql.bulk_sql import write as send

_TRIGRAMS = re.compile(r"[^\W_]{3}")


class Searchable(Protocol):
    """The fields of an incident that the search needs."""

    id: UUID
    workspace_id: UUID
    number: int
    title: str
    resource: str | None
    dedup_key: str | None
    tags: list[str]


class IncidentSearch(Table):
    """The title, resource and dedup key of an incident as one text, its tags, and its normalised title.

    Specification 4.6.

    Every counted event updates the incident's own row and all its indexes. This row stays unchanged.
    """

    incident_id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    number = peewee.BigIntegerField()
    text = peewee.TextField()
    tags = ArrayField(peewee.TextField, default=list, index=False)
    title_key = peewee.TextField(null=True)

    class Meta:
        table_name = "incident_search"


def write(incidents: Sequence[Searchable]) -> None:
    """Store the search text of incidents that are new or renamed."""
    columns = {"incident_id": "uuid", "workspace_id": "uuid", "number": "bigint", "text": "text", "tags": "text",
               "title_key": "text"}  # fmt: skip
    rows, values = unnest_rows(columns, [_row(one) for one in incidents])
    send(
        f"INSERT INTO incident_search ({', '.join(columns)}) SELECT x.incident_id, x.workspace_id, x.number, x.text,"
        f" x.tags::text[], x.title_key FROM {rows} ON CONFLICT (incident_id) DO UPDATE SET text = excluded.text,"
        " tags = excluded.tags, title_key = excluded.title_key",
        values,
    )


def has_trigram(text: str) -> bool:
    """Whether the text has three letters or digits in a row. The trigram index cannot find a shorter text."""
    return _TRIGRAMS.search(text) is not None


def like_pattern(text: str) -> str:
    """The pattern for `ILIKE` that matches any value with this text in it."""
    return "%" + prefix_pattern(text)


def prefix_pattern(text: str) -> str:
    """The pattern for `ILIKE` that matches any value that begins with this text."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def number_in(text: str) -> int | None:
    """The incident number in a search, as `12` or `#12`."""
    digits = text.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def row_matches(incident_id: Any, condition: Any) -> Any:
    """A condition: the search row of the incident fulfils `condition`.

    It is checked for one incident at a time. OFFSET 0 prevents a search for all matching rows.
    """
    found = IncidentSearch.select(peewee.SQL("1")).where(IncidentSearch.incident_id == incident_id, condition)
    return peewee.fn.EXISTS(found.offset(0))


def text_filter(text: str) -> Any:
    """A condition on search rows: they contain the text, in any case, or have this number."""
    found, number = IncidentSearch.text ** like_pattern(text), number_in(text)
    return found if number is None else found | (IncidentSearch.number == number)


def _row(one: Searchable) -> tuple[Any, ...]:
    text = "\x01".join(filter(None, (one.title, one.resource, one.dedup_key)))
    return one.id, one.workspace_id, one.number, text, array_literal(one.tags), normalise_title(one.title)
