"""By what incidents are found: their words, tags and normalised titles, apart from what every event changes of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField

from inbox.domain.grouping import normalise_title
from inbox.models.sql.base import Table, db
from inbox.models.sql.bulk_sql import array_literal, unnest_rows

_TRIGRAMS = re.compile(r"[^\W_]{3}")


class Searchable(Protocol):
    """What is asked of an incident."""

    id: UUID
    workspace_id: UUID
    number: int
    title: str
    resource: str | None
    dedup_key: str | None
    tags: list[str]


class IncidentSearch(Table):
    """The title, resource and dedup key of an incident as one text, its tags, and its title normalised.

    Specification 4.6.

    An incident's own row is written anew by every event that is counted to it, with all its indexes; this one is not.
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
    """Write the words of incidents that are new or were renamed."""
    columns = {"incident_id": "uuid", "workspace_id": "uuid", "number": "bigint", "text": "text", "tags": "text",
               "title_key": "text"}  # fmt: skip
    rows, values = unnest_rows(columns, [_row(one) for one in incidents])
    db.execute_sql(
        f"INSERT INTO incident_search ({', '.join(columns)}) SELECT x.incident_id, x.workspace_id, x.number, x.text,"
        f" x.tags::text[], x.title_key FROM {rows} ON CONFLICT (incident_id) DO UPDATE SET text = excluded.text,"
        " tags = excluded.tags, title_key = excluded.title_key",
        values,
    )


def has_trigram(text: str) -> bool:
    """Whether three letters or digits stand in a row: what has fewer, no index of words can tell apart."""
    return _TRIGRAMS.search(text) is not None


def like_pattern(text: str) -> str:
    """For `ILIKE`: anything with this text in it."""
    return "%" + text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"


def number_in(text: str) -> int | None:
    """The incident's number that is asked for, as `12` or `#12`."""
    digits = text.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None


def exists_where(incident_id: Any, condition: Any) -> Any:
    """Whether the words of an incident fulfil a condition; an index finds the incidents whose words do."""
    return peewee.fn.EXISTS(_of(incident_id).where(condition))


def row_matches(incident_id: Any, condition: Any) -> Any:
    """The same, asked of one incident after the other: OFFSET 0 keeps the database from looking for all whose words do."""
    return peewee.fn.EXISTS(_of(incident_id).where(condition).offset(0))


def text_filter(text: str) -> Any:
    """On words: with this text, in any case, or with this number."""
    found, number = IncidentSearch.text ** like_pattern(text), number_in(text)
    return found if number is None else found | (IncidentSearch.number == number)


def _of(incident_id: Any) -> Any:
    return IncidentSearch.select(peewee.SQL("1")).where(IncidentSearch.incident_id == incident_id)


def _row(one: Searchable) -> tuple[Any, ...]:
    text = "\x01".join(filter(None, (one.title, one.resource, one.dedup_key)))
    return one.id, one.workspace_id, one.number, text, array_literal(one.tags), normalise_title(one.title)
