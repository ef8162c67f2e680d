"""What pages the on-call schedules of a workspace (specification 23.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from inbox.database.base import db
from inbox.domain.routing.people import targets_of


class Uses(NamedTuple):
    """The schedules that rules, profiles or the default route name, and those of each step of each profile."""

    schedule_ids: frozenset[UUID]
    steps: Sequence[Sequence[frozenset[UUID]]]


def of_workspace(workspace_id: UUID) -> Uses:
    """Returns the uses of the schedules of a workspace. Disabled rules count."""
    rules = db.execute_sql(
        "SELECT actions -> 'people' FROM rules WHERE workspace_id = %s AND deleted_at IS NULL"
        " AND actions -> 'people' <> '[]' UNION ALL"
        " SELECT default_route -> 'people' FROM workspaces WHERE id = %s AND default_route -> 'people' <> '[]'",
        (workspace_id, workspace_id),
    )
    named = [_schedules(people) for (people,) in rules.fetchall()]
    profiles = db.execute_sql(
        "SELECT steps FROM routing_profiles WHERE workspace_id = %s AND deleted_at IS NULL", (workspace_id,)
    )
    steps = [[_schedules(step.get("people") or ()) for step in each] for (each,) in profiles.fetchall()]
    return Uses(frozenset().union(*named, *(one for each in steps for one in each)), steps)


def _schedules(people: Iterable[Mapping[str, str]]) -> frozenset[UUID]:
    return frozenset(each.schedule_id for each in targets_of(people) if each.schedule_id is not None)
