"""What a list must show, found without an index: all rows in the order of the database, filtered in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from bench import lists
from inbox.domain import severity
from inbox.models.events import search as event_search
from inbox.models.incidents import read as incident_read
from inbox.models.incidents import search as incident_search
from inbox.models.incidents.search_text import has_trigram, number_in
from inbox.models.tables.events import Event
from inbox.models.tables.incidents import Incident

MODULES: dict[str, Any] = {"incidents": incident_search, "events": event_search}

Filter = Callable[[Any, Any], bool]

BOTH: dict[str, Filter] = {
    "severity": lambda row, asked: row.severity == asked,
    "min_severity": lambda row, asked: severity.rank(row.severity) >= severity.rank(asked),
    "source_id": lambda row, asked: row.source_id == asked,
    "incident_id": lambda row, asked: row.incident_id == asked,
    "disposition": lambda row, asked: row.disposition == asked,
    "state": lambda row, asked: row.state in asked,
    "tag": lambda row, asked: asked in row.tags,
    "flapping": lambda row, asked: row.flapping is asked,
    "resource": lambda row, asked: row.resource == asked,
    "assignee_id": lambda row, asked: row.assignee_id == asked,
}
TIMES: dict[str, dict[str, Filter]] = {
    "incidents": {
        "since": lambda row, asked: row.last_seen_at >= asked,
        "until": lambda row, asked: row.first_seen_at < asked,
        "q": lambda row, asked: row.number == number_in(asked) or (not _is_number(asked) and _has_text(row, asked)),
    },
    "events": {
        "since": lambda row, asked: row.received_at >= asked,
        "until": lambda row, asked: row.received_at < asked,
        "q": lambda row, asked: _has_text(row, asked),
    },
}


def expected(name: str, workspace_ids: Sequence[UUID], query: str) -> list[UUID]:
    """The ids of the whole list in its order."""
    args, module = lists.arguments(name, query), MODULES[name]
    table, read = (Incident, incident_read) if name == "incidents" else (Event, event_search)
    columns: Sequence[Any] = [*module.SORTS[args["sort"]], table.id]
    way = [column.desc() if args["order"] == "desc" else column.asc() for column in columns]
    rows = read.with_source(workspace_ids).order_by(*way)
    return [row.id for row in rows if _passes(name, row, args)]


def _passes(name: str, row: Any, args: Mapping[str, Any]) -> bool:
    filters = BOTH | TIMES[name]
    return all(filters[key](row, value) for key, value in args.items() if key in filters)


def _is_number(text: str) -> bool:
    return number_in(text) is not None and not has_trigram(text)


def _has_text(row: Any, text: str) -> bool:
    return any(text.lower() in (value or "").lower() for value in (row.title, row.resource, row.dedup_key))
