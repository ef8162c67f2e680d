"""Computes expected lists without an index: all rows in the order of the database, filtered in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import UUID

from bench import lists
from inbox.domain.values import ids, severity
from inbox.models.events import read as event_read
from inbox.models.events import search as event_search
from inbox.models.events.tables import Event
from inbox.models.incidents import read as incident_read
from inbox.models.incidents import search as incident_search
from inbox.models.incidents.search_text import has_trigram, number_in
from inbox.models.incidents.tables import Incident

MODULES: dict[str, Any] = {"incidents": incident_search, "events": event_search}
LISTS = {"incidents": incident_search.INCIDENTS, "events": event_search.EVENTS}

Filter = Callable[[Any, Any], bool]

BOTH: dict[str, Filter] = {
    "severity": lambda row, requested: row.severity in requested,
    "min_severity": lambda row, requested: severity.rank(row.severity) >= severity.rank(requested),
    "source_id": lambda row, requested: row.source_id in requested,
    "incident_id": lambda row, requested: row.incident_id == requested,
    "disposition": lambda row, requested: row.disposition in requested,
    "state": lambda row, requested: row.state in requested,
    "tag": lambda row, requested: bool(set(requested) & set(row.tags)),
    "flapping": lambda row, requested: row.flapping is requested,
    "resource": lambda row, requested: row.resource in requested,
    "resource_kind": lambda row, requested: (row.resource or "").partition(":")[0] in requested,
    "type": lambda row, requested: row.type in requested,
    "dedup_key": lambda row, requested: row.dedup_key in requested,
    "fingerprint": lambda row, requested: row.fingerprint in requested,
    "action": lambda row, requested: row.action in requested,
    "flag": lambda row, requested: bool(set(requested) & set(row.flags)),
    "assignee_id": lambda row, requested: row.assignee_id in requested,
    "acknowledged_by": lambda row, requested: row.acknowledged_by in requested,
    "routing_profile_id": lambda row, requested: row.routing_profile_id in requested,
    "silence_id": lambda row, requested: row.silenced_by in requested,
}
TIMES: dict[str, dict[str, Filter]] = {
    "incidents": {
        "rule_id": lambda row, requested: row.rule_id in requested,
        "since": lambda row, requested: row.last_seen_at >= requested,
        "until": lambda row, requested: row.first_seen_at < requested,
        "q": lambda row, requested: (
            row.number == number_in(requested) or (not _is_number(requested) and _has_text(row, requested))
        ),
    },
    "events": {
        "rule_id": lambda row, requested: (
            (row.routing or {}).get("ruleId") in [ids.encode("rul", id) for id in requested]
        ),
        "since": lambda row, requested: row.received_at >= requested,
        "until": lambda row, requested: row.received_at < requested,
        "q": lambda row, requested: _has_text(row, requested),
    },
}


def expected(name: str, workspace_ids: Sequence[UUID], query: str) -> list[UUID]:
    """The ids of the whole list in its order."""
    return expected_of(name, in_order(name, workspace_ids, query), query)


def in_order(name: str, workspace_ids: Sequence[UUID], query: str) -> list[Any]:
    """All rows in the order that the query names."""
    args, module = lists.arguments(name, query), MODULES[name]
    table, read = (Incident, incident_read) if name == "incidents" else (Event, event_read)
    columns: Sequence[Any] = [*module.SORTS[args["sort"]], table.id]
    way = [column.desc() if args["order"] == "desc" else column.asc() for column in columns]
    return list(read.with_source(workspace_ids).order_by(*way))


def expected_of(name: str, rows: Sequence[Any], query: str) -> list[UUID]:
    """The ids of those of the rows that the query finds."""
    args = lists.arguments(name, query)
    if (name, args["sort"]) == ("incidents", "resolved"):  # the sort of the resolved ones
        rows = [row for row in rows if row.state == "resolved"]
    return [row.id for row in rows if _passes(name, row, args)]


def _passes(name: str, row: Any, args: Mapping[str, Any]) -> bool:
    filters = BOTH | TIMES[name]
    return all(filters[key](row, value) for key, value in args.items() if key in filters)


def _is_number(text: str) -> bool:
    return number_in(text) is not None and not has_trigram(text)


def _has_text(row: Any, text: str) -> bool:
    return any(text.lower() in (value or "").lower() for value in (row.title, row.resource, row.dedup_key))
