"""Counts of incidents for tabs and badges, under the filters of the list (specification 7.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from inbox.domain.incidents.state_machine import UNRESOLVED, State
from inbox.domain.values.refusals import Unavailable
from inbox.domain.values.severity import Severity
from inbox.models.incidents import counts as incident_counts
from inbox.models.incidents.counts import IncidentGroup
from inbox.runtime import work_budget

MAX_UNRESOLVED = 100_000
MAX_RESOLVED = 10_000
"""The most rows that a count with filters examines. The answer is still useful without the number of resolved ones."""

TOO_MANY = "Too many incidents would be examined under these filters."
UNRESOLVED_STATES = [str(state) for state in State if state in UNRESOLVED]


def counts(workspace_ids: Sequence[UUID], filters: Mapping[str, Any], *, person: UUID) -> dict[str, Any]:
    """Count the incidents that pass the filters: unresolved ones by state, severity and workspace, and resolved ones.

    Raises `Unavailable` when too many rows would be examined for the unresolved ones.
    """
    groups = _unresolved(workspace_ids, filters, person)
    by_state = dict.fromkeys(UNRESOLVED_STATES, 0)
    by_workspace: dict[UUID, list[IncidentGroup]] = {id: [] for id in workspace_ids}
    for each in groups:
        by_state[each.state] += each.total
        by_workspace[each.workspace_id].append(each)
    return {
        "unresolved": sum(by_state.values()),
        "resolved": _resolved(workspace_ids, filters, person),
        "mine": sum(each.mine for each in groups),
        "unassigned": sum(each.unassigned for each in groups),
        "by_state": by_state,
        "by_severity": _by_severity(groups),
        "open_by_severity": _by_severity([each for each in groups if each.state == State.OPEN]),
        "by_workspace": [_of_workspace(id, found) for id, found in work_budget.spending(by_workspace.items())],
    }


def _unresolved(workspace_ids: Sequence[UUID], filters: Mapping[str, Any], person: UUID) -> list[IncidentGroup]:
    if not filters:
        return incident_counts.unresolved_groups(workspace_ids, person)
    states = [state for state in filters.get("state", UNRESOLVED_STATES) if state in UNRESOLVED]
    if not states or not workspace_ids:
        return []
    found = incident_counts.groups(workspace_ids, {**filters, "state": states}, person, most=MAX_UNRESOLVED)
    if found is None:
        raise Unavailable(TOO_MANY, retry_after=5)
    return found


def _resolved(workspace_ids: Sequence[UUID], filters: Mapping[str, Any], person: UUID) -> int | None:
    if not workspace_ids or State.RESOLVED not in filters.get("state", [State.RESOLVED]):
        return 0
    args = {**filters, "state": [str(State.RESOLVED)]}
    found = incident_counts.groups(workspace_ids, args, person, most=MAX_RESOLVED)
    return None if found is None else sum(each.total for each in found)


def _by_severity(groups: Sequence[IncidentGroup]) -> dict[str, int]:
    found = {str(severity): 0 for severity in reversed(Severity)}
    for each in groups:
        found[each.severity] += each.total
    return found


def _of_workspace(workspace_id: UUID, groups: Sequence[IncidentGroup]) -> dict[str, Any]:
    return {
        "workspace_id": workspace_id,
        "unresolved": sum(each.total for each in groups),
        "open": sum(each.total for each in groups if each.state == State.OPEN),
        "by_severity": _by_severity(groups),
    }
