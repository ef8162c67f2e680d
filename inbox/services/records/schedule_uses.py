"""On-call schedules that name a person who is removed or disabled: their turns would have nobody (specification 23.8)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.oncall.schedules import OnCallSchedule, naming
from inbox.models.routing.references import LIMIT

_STILL_NAMED = "{} is named by {}. Name somebody else there first, or choose to leave gaps (`leaveGaps`)."


def check_member(
    workspace_id: UUID, user_id: UUID, name: str, *, leave_gaps: bool, now: datetime, done: AfterCommit
) -> None:
    """Raise `Conflict` with `usedBy` while schedules of the workspace name the member, unless gaps are wanted."""
    found = list(naming(user_id, [workspace_id], now))
    if found and not leave_gaps:
        shown = found[:LIMIT]
        used_by = {
            "schedules": [{"id": ids.encode(Prefix.SCHEDULE, each.id), "name": each.name} for each in shown],
            "schedulesTotal": len(found),
        }
        raise Conflict(_STILL_NAMED.format(name, _names(found)), extra={"usedBy": used_by})
    _publish(found, done)


def check_account(
    workspace_ids: Collection[UUID], user_id: UUID, name: str, *, leave_gaps: bool, now: datetime, done: AfterCommit
) -> None:
    """Raise `Conflict` while schedules of these workspaces name the person, unless gaps are wanted.

    `usedBy` has their number alone, because administrators of the instance do not see records of workspaces.
    """
    found = list(naming(user_id, workspace_ids, now))
    if found and not leave_gaps:
        used_by: dict[str, Any] = {"schedules": [], "schedulesTotal": len(found)}
        raise Conflict(_STILL_NAMED.format(name, _count(len(found))), extra={"usedBy": used_by})
    _publish(found, done)


def _names(found: list[OnCallSchedule]) -> str:
    named = ", ".join(f"“{each.name}”" for each in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return f"the on-call schedule{'s' if len(found) > 1 else ''} {named}{more}"


def _count(number: int) -> str:
    return "an on-call schedule" if number == 1 else f"{number} on-call schedules"


def _publish(found: list[OnCallSchedule], done: AfterCommit) -> None:
    for each in found:
        done.publish_change("schedule", each.id, each.workspace_id, rev=each.rev)
