"""Stored events for previews: read in the order of their ids, page by page, with only the needed columns."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from psycopg2.extensions import STRINGARRAY

from inbox.database.base import db
from inbox.database.bulk_sql import UuidCache, array_literal
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from inbox.models.events.queue import OPTIONAL, READ, SENT_AT

PAGE = 1_000
FIRST_PAGE, SMALLEST_PAGE = 200, 50
PAGE_LENGTH = 2_000_000
"""The number of characters of bodies and metadata to fit in a page. Parsed metadata takes up to twenty times the memory."""

CACHED_DOCUMENTS = 10_000
CACHED_LENGTH = 2_048
"""Longer metadata are not cached."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class StoredEvent(NamedTuple):
    """A stored event (`evaluate.Event`). Optional columns that were not requested are None."""

    id: UUID
    workspace_id: UUID
    source_id: UUID
    received_at: datetime
    severity: Severity
    action: str
    title: str
    type: str | None
    resource: str | None
    dedup_key: str | None
    tags: list[str]
    fingerprint: str
    body: str | None
    url: str | None
    external_id: str | None
    metadata: dict[str, Any] | None
    sent_at: datetime | None = None
    is_repeat: bool = False
    group_fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Period:
    """The events of a workspace received from `since` to before `until`, of these sources or, if empty, of all."""

    workspace_id: UUID
    since: datetime
    until: datetime
    source_ids: tuple[UUID, ...] = ()


def pages(period: Period, columns: Container[str]) -> Iterator[list[StoredEvent]]:
    """Yields all events of the period, in pages of at most a thousand. Each page is a separate statement and holds no lock.

    After long texts the next page has fewer events. The caller may empty a page after use.
    """
    chosen = "".join(f", {READ[name]}" if name in columns else ", NULL" for name in OPTIONAL)
    where, values = _where(period)
    sources, documents, is_full = UuidCache(), JsonCache(), True
    limit = FIRST_PAGE if "body" in columns or "metadata" in columns else PAGE
    while is_full:
        rows = _rows(chosen, where, [*values, limit])
        is_full = len(rows) == limit
        length = sum(len(text) for row in rows for text in (row[11], row[14]) if text is not None)
        limit = max(SMALLEST_PAGE, min(PAGE, limit * PAGE_LENGTH // max(1, length)))
        page = [_stored_event(period.workspace_id, sources, documents, row) for row in rows]
        if page:
            values = [period.workspace_id, UUID(int=page[-1].id.int + 1), *values[2:]]
            yield page


def _rows(chosen: str, where: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    found = db.execute_sql(
        "SELECT e.id::text, e.source_id::text, e.received_at, e.severity, e.action, e.title, e.type, e.resource,"
        f" e.dedup_key, e.tags::text, e.fingerprint{chosen}, {SENT_AT}, e.group_fingerprint FROM received_events e"
        f" WHERE {where} ORDER BY e.id LIMIT %s",
        values,
    )
    rows: list[tuple[Any, ...]] = found.fetchall()
    return rows


def count(period: Period, limit: int) -> int:
    """Returns the number of events in the period; at most `limit + 1`."""
    where, values = _where(period)
    found = db.execute_sql(
        f"SELECT count(*) FROM (SELECT FROM received_events e WHERE {where} LIMIT %s) t", [*values, limit + 1]
    )
    return int(found.fetchone()[0])


def find(workspace_id: UUID, event_id: UUID) -> StoredEvent | None:
    """Returns an event of the workspace with all its columns, or None."""
    found = db.execute_sql(
        "SELECT e.id::text, e.source_id::text, e.received_at, e.severity, e.action, e.title, e.type, e.resource,"
        f" e.dedup_key, e.tags::text, e.fingerprint, {', '.join(READ.values())}, {SENT_AT}, e.group_fingerprint"
        " FROM received_events e WHERE e.workspace_id = %s AND e.id = %s",
        (workspace_id, event_id),
    ).fetchone()
    return None if found is None else _stored_event(workspace_id, UuidCache(), JsonCache(), found)


class JsonCache:
    """Caches of parsed tags and metadata: many events have the same texts."""

    def __init__(self) -> None:
        cursor = db.cursor()  # psycopg2 reads the encoding from it, and crashes without one
        self.tags = lru_cache(CACHED_DOCUMENTS)(lambda text: STRINGARRAY(text, cursor))
        self._parse = lru_cache(CACHED_DOCUMENTS)(json.loads)

    def parse(self, text: str) -> Any:
        """Returns the metadata of this text."""
        return self._parse(text) if len(text) <= CACHED_LENGTH else json.loads(text)


def _stored_event(workspace_id: UUID, sources: UuidCache, documents: JsonCache, row: tuple[Any, ...]) -> StoredEvent:
    id, source, received_at, severity, *_, metadata, sent_at, group = row
    head = (UUID(id), workspace_id, sources[source], received_at, _SEVERITY[severity])
    parsed = None if metadata is None else documents.parse(metadata)
    return StoredEvent._make((*head, *row[4:9], documents.tags(row[9]), *row[10:14], parsed, sent_at, False, group))


_SEVERITY = {str(severity): severity for severity in Severity}


def _where(period: Period) -> tuple[str, list[Any]]:
    where = "e.workspace_id = %s AND e.id >= %s AND e.id < %s"
    values: list[Any] = [period.workspace_id, _first(period.since), _first(period.until)]
    if period.source_ids:
        where += " AND e.source_id = ANY(%s::uuid[])"
        values.append(array_literal(period.source_ids, unquoted=True))
    return where, values


def _first(moment: datetime) -> UUID:
    """Returns the lowest id of an event that is received from this millisecond on."""
    return ids.uuid7(max(0, -(-(moment - _EPOCH) // timedelta(milliseconds=1))), bytes(10))
