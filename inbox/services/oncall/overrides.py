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
from inbox.domain.values.refusals import Conflict, Fault, Forbidden, NotFound, ValidationFailed, check_rev
from inbox.domain.workspaces.roles import Role
from inbox.flow.oncall import computed, record
from inbox.flow.unit_of_work import work
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule, of_schedule
from inbox.services.oncall.editors import Editor
from inbox.services.oncall.schedules import SCHEDULES
from inbox.services.records import audit
from inbox.services.records.record_limits import check_room
from inbox.services.records.reference_checks import members as member_faults

MAX_FUTURE = 1_000
"""The maximum number of overrides of a schedule that have not ended."""

TOO_MANY = "A schedule has at most {} overrides that have not ended."

NOT_ALLOWED = (
    "Members put themselves on call, or somebody in their own place. For other overrides, you need the Admin role."
)

OVER = "The override has ended."

BEGUN = "The override has begun. Change its end or its reason, or end it and create another one."

FIELDS = ("kind", "starts_at", "ends_at", "user_ids", "instead_of", "layer_ids", "reason")
"""The columns that people choose."""


def find(schedule_id: UUID, override_id: UUID) -> OnCallOverride | None:
    """Return an override of the schedule, or None."""
    found: OnCallOverride | None = of_schedule(schedule_id).where(OnCallOverride.id == override_id).first()
    return found


def create(schedule: OnCallSchedule, fields: Mapping[str, Any], *, by: Editor, now: datetime) -> OnCallOverride:
    """Create an override. A start in the past becomes now, so that the past stays as it was.

    Raises `ValidationFailed`, `Forbidden` when a member changes the shifts of others, and `Conflict` beyond `MAX_FUTURE`.
    """
    values = {**fields, "starts_at": max(fields.get("starts_at", now), now)}
    _check_right(by, values)
    with work() as done:
        schedule = SCHEDULES.lock(schedule, None)
        check(schedule, values, now)
        check_room(of_schedule(schedule.id).where(OnCallOverride.ends_at > now), MAX_FUTURE, TOO_MANY)
        made: OnCallOverride = OnCallOverride.create(
            id=new_id(now),
            workspace_id=schedule.workspace_id,
            schedule_id=schedule.id,
            **{"created_by": by.user_id, "created_at": now, **values},
        )
        SCHEDULES.note("schedule.override_created", schedule, now, {"override": audit_view(made)})
        SCHEDULES.publish(done, schedule)
        record.set_due(schedule.workspace_id, [schedule.id], now, done)
    return made


def edit(
    schedule: OnCallSchedule,
    override_id: UUID,
    fields: Mapping[str, Any],
    *,
    by: Editor,
    expected_rev: int | None,
    now: datetime,
) -> OnCallOverride:
    """Change an override. The past of one that has begun stays as it was.

    Raises `ValidationFailed`, `NotFound`, `RevMismatch`, and `Forbidden` as `create` and `remove` do. Raises `Conflict`
    for one that has ended, and for one that has begun when other fields than `ends_at` and `reason` change.
    """
    with work() as done:
        schedule = SCHEDULES.lock(schedule, None)
        override = _locked(schedule, override_id, by, expected_rev, now)
        was = audit_view(override)
        values = _changed(override, fields, now)
        _check_right(by, {**{name: getattr(override, name) for name in FIELDS}, **values})
        check(schedule, values, now, override)
        for name, value in {**values, "rev": override.rev + 1}.items():
            setattr(override, name, value)
        override.save()
        SCHEDULES.note("schedule.override_changed", schedule, now, {"override": audit_view(override), "before": was})
        SCHEDULES.publish(done, schedule)
        record.set_due(schedule.workspace_id, [schedule.id], now, done)
    return override


def remove(schedule: OnCallSchedule, override_id: UUID, *, by: Editor, expected_rev: int | None, now: datetime) -> None:
    """Delete an override that has not begun, or end one that has.

    Raises `NotFound`, `RevMismatch`, `Conflict` for one that has ended, and `Forbidden` for one that another person
    created.
    """
    with work() as done:
        schedule = SCHEDULES.lock(schedule, None)
        override = _locked(schedule, override_id, by, expected_rev, now)
        own = OnCallOverride.id == override.id
        if override.starts_at < now:
            OnCallOverride.update(ends_at=now, rev=OnCallOverride.rev + 1).where(own).execute()
        else:
            OnCallOverride.delete().where(own).execute()
        SCHEDULES.note("schedule.override_removed", schedule, now, audit.removed(audit_view(override)))
        SCHEDULES.publish(done, schedule)
        record.set_due(schedule.workspace_id, [schedule.id], now, done)


def check(
    schedule: OnCallSchedule, fields: Mapping[str, Any], now: datetime, override: OnCallOverride | None = None
) -> None:
    """Check the given fields beyond their shape, beside the stored ones of `override`. Raises `ValidationFailed`."""
    stored = {name: getattr(override, name) for name in FIELDS} if override else {"starts_at": now, "instead_of": None}
    values = {**stored, **fields}
    if "starts_at" in fields:
        values["starts_at"] = max(values["starts_at"], now)
    faults = member_faults(schedule.workspace_id, fields.get("user_ids", ()), "/userIds")
    faults += time_faults(values["starts_at"], values["ends_at"], now)
    if not values["user_ids"] and values["kind"] != OverrideKind.REPLACE:
        faults.append(Fault("/userIds", "Name at least one person."))
    if fields.get("instead_of") is not None and member_faults(schedule.workspace_id, [fields["instead_of"]], ""):
        faults.append(Fault("/insteadOf", "No such member in this workspace."))
    if values["instead_of"] is not None and values["kind"] != OverrideKind.REPLACE:
        faults.append(Fault("/insteadOf", "Only an override of the kind replace names a person who is replaced."))
    known = {layer.id for layer in computed.layers_of(schedule.__data__)}
    faults += [
        Fault(f"/layerIds/{place}", "No such layer in this schedule.")
        for place, layer_id in enumerate(fields.get("layer_ids", ()))
        if layer_id not in known
    ]
    if faults:
        raise ValidationFailed(errors=faults)


def time_faults(starts_at: datetime, ends_at: datetime, now: datetime) -> list[Fault]:
    """Return what is wrong with the times of an override or a forwarding."""
    if ends_at <= max(starts_at, now):
        return [Fault("/endsAt", "Must be later than its start, and in the future.")]
    if ends_at - starts_at > MAX_OVERRIDE or ends_at > LAST:
        return [Fault("/endsAt", f"Must be at most {MAX_OVERRIDE.days} days after its start, and before {LAST.year}.")]
    return []


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


def _check_right(by: Editor, values: Mapping[str, Any]) -> None:
    if not (by.role.allows(Role.ADMIN) or _concerns(by.user_id, values)):
        raise Forbidden(NOT_ALLOWED, extra={"requiredRole": str(Role.ADMIN)})


def _concerns(person: UUID | None, fields: Mapping[str, Any]) -> bool:
    """Return whether the override puts this person on call, or somebody in the person's place."""
    users: Sequence[UUID] = fields.get("user_ids", ())
    adds_person = fields["kind"] != OverrideKind.REMOVE and list(users) == [person]
    return adds_person or (bool(users) and fields.get("instead_of") == person)


def _locked(
    schedule: OnCallSchedule, override_id: UUID, by: Editor, expected_rev: int | None, now: datetime
) -> OnCallOverride:
    """Return an override of a locked schedule that this person may change, and that has not ended."""
    override = find(schedule.id, override_id)
    if override is None:
        raise NotFound
    if override.created_by != by.user_id and not by.role.allows(Role.ADMIN):
        raise Forbidden("Another person created the override.", extra={"requiredRole": str(Role.ADMIN)})
    check_rev(override.rev, expected_rev)
    if override.ends_at <= now:
        raise Conflict(OVER)
    return override


def _changed(override: OnCallOverride, fields: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the given values that differ from the stored ones. Raises `Conflict` if the past would change."""
    values = {name: value for name, value in fields.items() if value != getattr(override, name)}
    if override.starts_at < now and not values.keys() <= {"ends_at", "reason"}:
        raise Conflict(BEGUN)
    if "starts_at" in values:
        values["starts_at"] = max(values["starts_at"], now)
    return values
