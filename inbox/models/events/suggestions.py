"""Values of recent events, for suggestions in a condition builder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from inbox.database.bulk_sql import array_literal
from inbox.models.lists import pagination

COLUMNS = frozenset({"type", "resource", "tags", "dedup_key", "external_id", "metadata"})
MAX_EVENTS = 1_000
"""The number of newest events that are read, over all workspaces."""

MAX_DOCUMENTS = 200
"""The number of newest events whose metadata are read: one may have 32 KiB."""


def recent(workspace_ids: Sequence[UUID], column: str) -> list[Any]:
    """Returns the values of a column in the newest events of these workspaces."""
    if column not in COLUMNS:
        raise ValueError(f"no suggestions of {column}")
    if not workspace_ids:
        return []
    each = max(1, (MAX_DOCUMENTS if column == "metadata" else MAX_EVENTS) // len(workspace_ids))
    sql = (
        f"SELECT e.{column} FROM unnest(%s::uuid[]) AS w (id) CROSS JOIN LATERAL ("
        f" SELECT {column} FROM received_events WHERE workspace_id = w.id ORDER BY id DESC LIMIT %s) e"
        f" WHERE e.{column} IS NOT NULL"
    )
    return [value for (value,) in pagination.run((sql, [array_literal(workspace_ids, unquoted=True), each]))]
