"""Stored events as a preview reads them: in the order of their ids, page by page, with no more than it asks for."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from inbox.domain import ids
from inbox.domain.answers import Answers
from inbox.domain.severity import Severity
from inbox.models.base import db
from inbox.models.columns import LateUuid, Uuids, array
from inbox.models.routing import Details

PAGE = 1_000
DOCUMENTS_KEPT = 10_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Past(NamedTuple):
    """A stored event (`hearing.Event`); `details` are there as far as they were asked for."""

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
    details: Sequence[Any]


@dataclass(frozen=True, slots=True)
class Period:
    """The events of a workspace from `since` up to but without `until`, by when they were received; of these sources, or
    of all where none is named."""

    workspace_id: UUID
    since: datetime
    until: datetime
    source_ids: tuple[UUID, ...] = ()


def pages(period: Period, columns: Container[str]) -> Iterator[list[Past]]:
    """All of them, a thousand at a time; each page is a statement of its own, for which nothing is held."""
    chosen = "".join(f", {_READ[name]}" if name in columns else ", NULL" for name in Details._fields)
    where, values = _where(period)
    sources, documents = Uuids(), _documents()
    while True:
        found = db.execute_sql(
            "SELECT e.id::text, e.source_id::text, e.received_at, e.severity, e.action, e.title, e.type, e.resource,"
            f" e.dedup_key, e.tags, e.fingerprint{chosen} FROM received_events e WHERE {where} ORDER BY e.id LIMIT {PAGE}",
            values,
        ).fetchall()
        if found:
            yield [_past(period.workspace_id, sources, documents, row) for row in found]
        if len(found) < PAGE:
            return
        values = [period.workspace_id, UUID(int=UUID(found[-1][0]).int + 1), *values[2:]]


def count(period: Period, most: int) -> int:
    """How many there are; more than `most` are not counted."""
    where, values = _where(period)
    found = db.execute_sql(
        f"SELECT count(*) FROM (SELECT FROM received_events e WHERE {where} LIMIT %s) t", [*values, most + 1]
    )
    return int(found.fetchone()[0])


def one(workspace_id: UUID, event_id: UUID) -> Past | None:
    """An event of the workspace with all its details; None when there is none."""
    found = db.execute_sql(
        "SELECT e.id::text, e.source_id::text, e.received_at, e.severity, e.action, e.title, e.type, e.resource,"
        f" e.dedup_key, e.tags, e.fingerprint, {', '.join(_READ.values())}"
        " FROM received_events e WHERE e.workspace_id = %s AND e.id = %s",
        (workspace_id, event_id),
    ).fetchone()
    return None if found is None else _past(workspace_id, Uuids(), _documents(), found)


def _documents() -> Answers[str, Any]:
    """JSON documents by their text, each read once: those of many events are the same."""
    return Answers(json.loads, DOCUMENTS_KEPT)


def _past(workspace_id: UUID, sources: Uuids, documents: Mapping[str, Any], row: Sequence[Any]) -> Past:
    id, source, received_at, severity, *head, body, url, external_id, metadata = row
    details = (body, url, external_id, None if metadata is None else documents[metadata])
    known = (LateUuid(id), workspace_id, sources[source], received_at, _SEVERITY[severity], *head, details)
    return tuple.__new__(Past, known)


_READ = {name: f"e.{name}" for name in Details._fields} | {"metadata": "e.metadata::text"}
_SEVERITY = {str(severity): severity for severity in Severity}


def _where(period: Period) -> tuple[str, list[Any]]:
    where = "e.workspace_id = %s AND e.id >= %s AND e.id < %s"
    values: list[Any] = [period.workspace_id, _first(period.since), _first(period.until)]
    if period.source_ids:
        where += " AND e.source_id = ANY(%s::uuid[])"
        values.append(array(period.source_ids, bare=True))
    return where, values


def _first(moment: datetime) -> UUID:
    """The lowest id of an event that is received from this millisecond on."""
    return ids.uuid7(max(0, -(-(moment - _EPOCH) // timedelta(milliseconds=1))), bytes(10))
