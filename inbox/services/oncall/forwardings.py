"""Use cases of forwardings: somebody is on call in place of a person in all schedules, for a time (specification 23.9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, Forbidden, NotFound, ValidationFailed
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.domain.workspaces.roles import Role
from inbox.flow.oncall import record
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.oncall.forwardings import OnCallForwarding
from inbox.models.people.accounts import User
from inbox.services.oncall.editors import Editor
from inbox.services.oncall.overrides import time_faults
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room, lock_workspace
from inbox.services.records.reference_checks import members as member_faults

MAX_FUTURE = 1_000
"""The maximum number of forwardings of a workspace that have not ended."""

TOO_MANY = "A workspace has at most {} forwardings that have not ended."

NOT_ALLOWED = "Members forward themselves. To forward another person, you need the Admin role."

OVER = "The forwarding has ended."


def of_workspaces(workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
    """Select the forwardings of these workspaces."""
    return OnCallForwarding.select().where(OnCallForwarding.workspace_id.in_([*workspace_ids]))


def find(forwarding_id: UUID) -> OnCallForwarding | None:
    """Return a forwarding, or None. The endpoint checks the access."""
    found: OnCallForwarding | None = OnCallForwarding.get_or_none(id=forwarding_id)
    return found


def create(workspace_id: UUID, fields: Mapping[str, Any], *, by: Editor, now: datetime) -> OnCallForwarding:
    """Create a forwarding. A start in the past becomes now.

    Raises `ValidationFailed`, `Forbidden` when a member forwards another person, and `Conflict` beyond `MAX_FUTURE`.
    """
    values = {**fields, "starts_at": max(fields.get("starts_at", now), now)}
    if values["user_id"] != by.user_id and not by.role.allows(Role.ADMIN):
        raise Forbidden(NOT_ALLOWED, extra={"requiredRole": str(Role.ADMIN)})
    with work() as done:
        lock_workspace(workspace_id)
        check(workspace_id, values, now)
        open_ones = of_workspaces([workspace_id]).where(OnCallForwarding.ends_at > now)
        check_room(open_ones, MAX_FUTURE, TOO_MANY)
        made: OnCallForwarding = OnCallForwarding.create(
            id=new_id(now), workspace_id=workspace_id, created_by=by.user_id, created_at=now, **values
        )
        _note("member.forwarded", made, now, {"forwarding": _audit_view(made)}, done, "created")
    return made


def remove(forwarding: OnCallForwarding, *, by: Editor, now: datetime) -> None:
    """Delete a forwarding that has not begun, or end one that has.

    Raises `NotFound`, `Conflict` for one that has ended, and `Forbidden` for one of another person.
    """
    with work() as done:
        lock_workspace(forwarding.workspace_id)
        current = find(forwarding.id)
        if current is None:
            raise NotFound
        if by.user_id not in (current.created_by, current.user_id) and not by.role.allows(Role.ADMIN):
            raise Forbidden(NOT_ALLOWED, extra={"requiredRole": str(Role.ADMIN)})
        if current.ends_at <= now:
            raise Conflict(OVER)
        own = OnCallForwarding.id == current.id
        if current.starts_at < now:
            OnCallForwarding.update(ends_at=now).where(own).execute()
        else:
            OnCallForwarding.delete().where(own).execute()
        _note("member.forwarding_ended", current, now, audit.removed(_audit_view(current)), done, "deleted")


def check(workspace_id: UUID, fields: Mapping[str, Any], now: datetime) -> None:
    """Check the valid fields beyond their shape. Raises `ValidationFailed`."""
    faults = list[Fault]()
    for name, pointer in (("user_id", "/userId"), ("to_user_id", "/to")):
        if name in fields and member_faults(workspace_id, [fields[name]], ""):
            faults.append(Fault(pointer, "No such member in this workspace."))
    if "to_user_id" in fields and fields["to_user_id"] == fields.get("user_id"):
        faults.append(Fault("/to", "Name another person."))
    if "ends_at" in fields:
        faults += time_faults(max(fields.get("starts_at", now), now), fields["ends_at"], now)
    if faults:
        raise ValidationFailed(errors=faults)


def _audit_view(forwarding: OnCallForwarding) -> dict[str, Any]:
    return {
        "id": ids.encode(Prefix.FORWARDING, forwarding.id),
        "to": ids.encode(Prefix.USER, forwarding.to_user_id),
        "startsAt": times.rfc3339(forwarding.starts_at),
        "endsAt": times.rfc3339(forwarding.ends_at),
        "reason": forwarding.reason,
    }


def _note(
    action: AuditAction,
    forwarding: OnCallForwarding,
    now: datetime,
    details: Mapping[str, Any],
    done: AfterCommit,
    op: str,
) -> None:
    person = User.get_or_none(id=forwarding.user_id)
    about = audit.target("member", forwarding.user_id, person.name if person else "")
    audit.record(action, target=about, now=now, workspace_id=forwarding.workspace_id, details=details)
    done.publish_change("forwarding", forwarding.id, forwarding.workspace_id, op=op)
    record.set_all_due(forwarding.workspace_id, now, done)
