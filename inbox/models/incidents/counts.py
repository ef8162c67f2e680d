"""Counts of incidents, for tabs and badges. A count with filters examines a bounded number of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.database.bulk_sql import array_literal
from inbox.domain.incidents.state_machine import UNRESOLVED
from inbox.models.incidents import search
from inbox.models.incidents.tables import Incident
from inbox.models.lists import pagination
from inbox.models.lists.pagination import Bounds

GROUPS = (
    "SELECT workspace_id, state, severity::text, count(*), count(*) FILTER (WHERE assignee_id = %s),"
    " count(*) FILTER (WHERE assignee_id IS NULL) FROM {rows} GROUP BY workspace_id, state, severity"
)

FEW = 1_000
"""The maximum number of rows that a selective filter leaves."""


class IncidentGroup(NamedTuple):
    """The number of incidents of one workspace, state and severity, and how many of them have this assignment."""

    workspace_id: UUID
    state: str
    severity: str
    total: int
    mine: int
    unassigned: int


def unresolved_groups(workspace_ids: Sequence[UUID], person: UUID) -> list[IncidentGroup]:
    """Counts all unresolved incidents of these workspaces. `mine` counts the ones assigned to `person`."""
    states = array_literal(sorted(UNRESOLVED), unquoted=True)
    rows = "incidents WHERE workspace_id = ANY(%s::uuid[]) AND state = ANY(%s)"
    return _groups(rows, [person, array_literal(workspace_ids, unquoted=True), states])


def groups(
    workspace_ids: Sequence[UUID], args: Mapping[str, Any], person: UUID, *, most: int
) -> list[IncidentGroup] | None:
    """Counts the incidents that pass the filters. `mine` counts the ones assigned to `person`.

    1. Find a filter with an index that leaves few rows. Otherwise find one that leaves at most `most` rows, first the
       states. None if there is no such filter.
    2. Check the other filters for each of these rows.
    """
    columns = search.column_lookups(workspace_ids, args, first="state")
    few = [*columns, *search.text_lookups(workspace_ids, args)]
    lookup = pagination.first_small(few, Bounds(lookup_rows=min(FEW, most)))
    lookup = lookup or pagination.first_small(columns, Bounds(lookup_rows=most))
    if lookup is None:
        return None
    hit = search.matches(workspace_ids, args)
    keys = (Incident.workspace_id, Incident.state, Incident.severity, Incident.assignee_id, hit.alias("hit"))
    in_workspaces = Incident.workspace_id.in_(list(workspace_ids))
    inner, values = Incident.select(*keys).where(in_workspaces, *(lookup.where or ())).sql()
    # Not conditions of the inner query, so that the planner cannot choose another index for them.
    return _groups(f"({inner}) y WHERE y.hit", [person, *values])


def _groups(rows: str, values: Sequence[Any]) -> list[IncidentGroup]:
    return [IncidentGroup(*row) for row in db.execute_sql(GROUPS.format(rows=rows), values).fetchall()]
