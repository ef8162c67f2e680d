"""Unresolved incidents in batches by id, for jobs over all incidents of a workspace or source.

The incidents are collected before they are sorted. An order by id alone would scan the incidents of all workspaces.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal

_FIRST = UUID(int=0)
_NOTIFYING = "state IN ('open', 'acknowledged', 'snoozed')"


def in_workspace(workspace_id: UUID, after: UUID | None, limit: int) -> list[UUID]:
    """Returns the next batch of a workspace."""
    select = f"SELECT id FROM incidents WHERE workspace_id = %s AND ({_NOTIFYING} OR state = 'silenced')"
    return [id for (id,) in _next(select, [workspace_id], after, limit)]


def in_source(source_id: UUID, after: UUID | None, limit: int) -> list[UUID]:
    """Returns the next batch of a source."""
    select = "SELECT id FROM incidents WHERE source_id = %s AND state <> 'resolved'"
    return [id for (id,) in _next(select, [source_id], after, limit)]


def of_former_member(workspace_id: UUID, after: UUID | None, limit: int) -> list[UUID]:
    """Returns the next batch of incidents assigned to, or acknowledged by, a person who is no active member."""
    active_members = (
        "(SELECT m.user_id FROM members m JOIN users u ON u.id = m.user_id"
        " WHERE m.workspace_id = %s AND u.disabled_at IS NULL AND u.deleted_at IS NULL)"
    )
    select = (
        f"SELECT id FROM incidents WHERE workspace_id = %s AND ({_NOTIFYING} OR state = 'silenced')"
        f" AND (assignee_id NOT IN {active_members} OR acknowledged_by NOT IN {active_members})"
    )
    return [id for (id,) in _next(select, [workspace_id] * 3, after, limit)]


def silenced_by(silence_id: UUID, after: UUID | None, limit: int) -> dict[UUID, bool]:
    """Returns the next batch that this silence covers; each value is True."""
    return dict(_next(_COVERED, [silence_id], after, limit))


def unsilenced(workspace_id: UUID, source_ids: Collection[UUID], after: UUID | None, limit: int) -> dict[UUID, bool]:
    """Returns the next batch that no silence covers, of these sources (all if empty); each value is False."""
    return dict(_next(*_unsilenced(workspace_id, source_ids), after, limit))


def affected_by(
    silence_id: UUID, workspace_id: UUID, source_ids: Collection[UUID], after: UUID | None, limit: int
) -> dict[UUID, bool]:
    """Returns the next batch of both `silenced_by` and `unsilenced`."""
    select, values = _unsilenced(workspace_id, source_ids)
    return dict(_next(f"{_COVERED} UNION ALL {select}", [silence_id, *values], after, limit))


_COVERED = "SELECT id, true AS covered FROM incidents WHERE silenced_by = %s AND state = 'silenced'"


def _unsilenced(workspace_id: UUID, source_ids: Collection[UUID]) -> tuple[str, list[Any]]:
    select = f"SELECT id, false AS covered FROM incidents WHERE workspace_id = %s AND {_NOTIFYING}"
    if not source_ids:
        return select, [workspace_id]
    return f"{select} AND source_id = ANY(%s::uuid[])", [workspace_id, array_literal(source_ids, unquoted=True)]


def _next(select: str, values: Sequence[Any], after: UUID | None, limit: int) -> list[Any]:
    found = db.execute_sql(
        f"WITH wanted AS MATERIALIZED ({select}) SELECT * FROM wanted WHERE id > %s ORDER BY id LIMIT %s",
        (*values, after or _FIRST, limit),
    )
    return list(found.fetchall())
