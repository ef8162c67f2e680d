"""Use cases of overrides: cover for somebody, add, replace or remove people for a time (specification 23.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.oncall.schedule import LAST, MAX_OVERRIDE, OverrideKind
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Conflict, Fault, Forbidden, NotFound, ValidationFailed
from inbox.domain.workspaces.roles import Role
from inbox.flow.unit_of_work import work
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule, of_schedule
from inbox.services.oncall import computed
from inbox.services.oncall.schedules import SCHEDULES
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room
from inbox.services.records.reference_checks import members as member_faults

MAX_FUTURE = 1_000
"""The maximum number of overrides of a schedule that have not ended."""

TOO_MANY = "A schedule has at most {} overrides that have not ended."

NOT_ALLOWED = "Members put themselves on call, or somebody in their own place. Other overrides require the role admin."

OVER = "The override has ended."


def create(
    schedule: OnCallSchedule, fields: Mapping[str, Any], *, by: UUID, role: Role, now: datetime
) -> OnCallOverride:
    """Create an override. A start in the past becomes now, so that the past stays as it was.

    Raises `ValidationFailed`, `Forbidden` when a member changes the shifts of others, and `Conflict` beyond `MAX_FUTURE`.
    """
    values = {**fields, "starts_at": max(fields.get("starts_at", now), now)}
    if not (role.allows(Role.ADMIN) or _concerns(by, values)):
        raise Forbidden(NOT_ALLOWED, extra={"requiredRole": str(Role.ADMIN)})
    with work() as done:
        schedule = SCHEDULES.lock(schedule.id, None)
        check(schedule, values, now)
        check_room(of_schedule(schedule.id).where(OnCallOverride.ends_at > now), MAX_FUTURE, TOO_MANY)
        made: OnCallOverride = OnCallOverride.create(
            id=new_id(now),
            workspace_id=schedule.workspace_id,
            schedule_id=schedule.id,
            **{"created_by": by, "created_at": now, **values},
        )
        SCHEDULES.note("schedule.override_created", schedule, now, {"override": audit_view(made)})
        SCHEDULES.publish(done, schedule)
    return made


def remove(schedule: OnCallSchedule, override_id: UUID, *, by: UUID, role: Role, now: datetime) -> None:
    """Delete an override that has not begun, or end one that has.

    Raises `NotFound`, `Conflict` for one that has ended, and `Forbidden` for one that another person created.
    """
    with work() as done:
        schedule = SCHEDULES.lock(schedule.id, None)
        override: OnCallOverride | None = of_schedule(schedule.id).where(OnCallOverride.id == override_id).first()
        if override is None:
            raise NotFound
        if override.created_by != by and not role.allows(Role.ADMIN):
            raise Forbidden("Another person created the override.", extra={"requiredRole": str(Role.ADMIN)})
        if override.ends_at <= now:
            raise Conflict(OVER)
        own = OnCallOverride.id == override.id
        if override.starts_at < now:
            OnCallOverride.update(ends_at=now).where(own).execute()
        else:
            OnCallOverride.delete().where(own).execute()
        SCHEDULES.note("schedule.override_removed", schedule, now, audit.removed(audit_view(override)))
        SCHEDULES.publish(done, schedule)


def check(schedule: OnCallSchedule, fields: Mapping[str, Any], now: datetime) -> None:
    """Check an override beyond the shape of its fields. Raises `ValidationFailed`."""
    kind, users = OverrideKind(fields["kind"]), fields.get("user_ids", ())
    faults = member_faults(schedule.workspace_id, users, "/userIds")
    faults += _time_faults(max(fields.get("starts_at", now), now), fields["ends_at"])
    if not users and kind is not OverrideKind.REPLACE:
        faults.append(Fault("/userIds", "Name at least one person."))
    replaced = fields.get("instead_of")
    if replaced is not None and member_faults(schedule.workspace_id, [replaced], ""):
        faults.append(Fault("/insteadOf", "No such member in this workspace."))
    if replaced is not None and kind is not OverrideKind.REPLACE:
        faults.append(Fault("/insteadOf", "Only an override of the kind replace names a person who is replaced."))
    known = {layer.id for layer in computed.layers_of(schedule.__data__)}
    faults += [
        Fault(f"/layerIds/{place}", "No such layer in this schedule.")
        for place, layer_id in enumerate(fields.get("layer_ids", ()))
        if layer_id not in known
    ]
    if faults:
        raise ValidationFailed(errors=faults)


def audit_view(override: OnCallOverride) -> dict[str, Any]:
    """Return the override as the audit log shows it: with the field names of the API."""
    return {
        "id": ids.encode(Prefix.OVERRIDE, override.id),
        "kind": override.kind,
        "startsAt": times.rfc3339(override.starts_at),
        "endsAt": times.rfc3339(override.ends_at),
        "userIds": [ids.encode(Prefix.USER, each) for each in override.user_ids],
        "insteadOf": override.instead_of and ids.encode(Prefix.USER, override.instead_of),
        "layerIds": [ids.encode(Prefix.LAYER, each) for each in override.layer_ids],
        "reason": override.reason,
    }


def _concerns(person: UUID, fields: Mapping[str, Any]) -> bool:
    """Return whether the override puts this person on call, or somebody in the person's place."""
    users: Sequence[UUID] = fields.get("user_ids", ())
    adds_person = fields["kind"] != OverrideKind.REMOVE and list(users) == [person]
    return adds_person or (bool(users) and fields.get("instead_of") == person)


def _time_faults(starts_at: datetime, ends_at: datetime) -> list[Fault]:
    if ends_at <= starts_at:
        return [Fault("/endsAt", "Must be later than its start, and in the future.")]
    if ends_at - starts_at > MAX_OVERRIDE or ends_at > LAST:
        return [Fault("/endsAt", f"Must be at most {MAX_OVERRIDE.days} days after its start, and before {LAST.year}.")]
    return []
