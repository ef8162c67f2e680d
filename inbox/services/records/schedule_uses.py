"""Schedules and routes that name a person who is removed or disabled: their turns and pages reach nobody (specification 23.8)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.explaining.formatting import series
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.oncall.schedules import OnCallSchedule, naming
from inbox.models.routing import references
from inbox.models.routing.references import LIMIT
from inbox.services.records import paging_uses

_STILL_NAMED = "{} is named by {}. Name somebody else there first, or choose to leave gaps (`leaveGaps`)."


def check_member(
    workspace_id: UUID, user_id: UUID, name: str, *, leave_gaps: bool, now: datetime, done: AfterCommit
) -> None:
    """Raise `Conflict` with `usedBy` while schedules, steps, rules or the default route name the member.

    If gaps are wanted, they go on naming the member, who is on call and paged no more.
    """
    found, paging = list(naming(user_id, [workspace_id], now)), references.of_member(workspace_id, user_id)
    if (found or paging) and not leave_gaps:
        used_by = {
            "schedules": [{"id": ids.encode(Prefix.SCHEDULE, each.id), "name": each.name} for each in found[:LIMIT]],
            "schedulesTotal": len(found),
            **paging_uses.used_by(paging),
        }
        users = series([*([_names(found)] if found else []), *paging_uses.named(paging)])
        raise Conflict(_STILL_NAMED.format(name, users), extra={"usedBy": used_by})
    _publish(found, done)


def check_account(
    workspace_ids: Collection[UUID], user_id: UUID, name: str, *, leave_gaps: bool, now: datetime, done: AfterCommit
) -> None:
    """Raise `Conflict` while schedules, steps, rules or default routes of these workspaces name the person.

    `usedBy` has their numbers alone, because administrators of the instance do not see records of workspaces.
    """
    found = list(naming(user_id, workspace_ids, now))
    paging = [references.of_member(id, user_id) for id in sorted(workspace_ids)]
    routes = sum(each.default_route + each.rules_total + each.routing_profiles_total for each in paging)
    if (found or routes) and not leave_gaps:
        used_by: dict[str, Any] = {"schedules": [], "schedulesTotal": len(found), "routesTotal": routes}
        users = [_count(len(found), "on-call schedule")] if found else []
        users += [_count(routes, "route")] if routes else []
        raise Conflict(_STILL_NAMED.format(name, series(users)), extra={"usedBy": used_by})
    _publish(found, done)


def _names(found: list[OnCallSchedule]) -> str:
    named = ", ".join(f"“{each.name}”" for each in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"the on-call schedule{'s' if len(found) > 1 else ''} {named}{more}"


def _count(number: int, noun: str) -> str:
    return f"{'an' if noun[0] == 'o' else 'a'} {noun}" if number == 1 else f"{number} {noun}s"


def _publish(found: list[OnCallSchedule], done: AfterCommit) -> None:
    for each in found:
        done.publish_change("schedule", each.id, each.workspace_id, rev=each.rev)
