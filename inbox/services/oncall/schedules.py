"""Use cases of on-call schedules: create, edit, delete, restore, revert (specification 23.1, 23.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from inbox.database.base import new_id
from inbox.destinations import KINDS
from inbox.domain.explaining.formatting import series
from inbox.domain.oncall import stored
from inbox.domain.oncall.edits import keep_present
from inbox.domain.oncall.schedule import Counting, Layer, Unit
from inbox.domain.values.refusals import Conflict, Fault, ValidationFailed
from inbox.flow.oncall import computed, record
from inbox.flow.unit_of_work import AfterCommit, work
from inbox.models.deliveries.destinations import Destination
from inbox.models.oncall.schedules import OnCallSchedule, is_named
from inbox.models.routing import references
from inbox.services.oncall import calendars, slack
from inbox.services.records import audit, paging_uses, versions
from inbox.services.records.record_limits import check_room, lock_workspace
from inbox.services.records.reference_checks import members as member_faults
from inbox.services.records.resources import Resource

MAX_SCHEDULES = 200
"""The maximum number of on-call schedules of a workspace."""

TOO_MANY = "A workspace has at most {} on-call schedules."

CHANNEL = "/noticeDestinationId"

CALENDAR, SLACK = "calendar_url", "slack"
OUTSIDE = frozenset({CALENDAR, SLACK})
"""The fields of a request that are stored beside the schedule."""

NO_LAYERS = "Must have at least one layer, unless the schedule follows a calendar."

NAME_TAKEN = "Another schedule of the workspace has this name."

RECORDED = ("name", "description", "timezone", "layers", "notice_destination_id", "follows_calendar", "created_at")
"""The columns of a deleted schedule that the audit log keeps."""

SCHEDULES = Resource(OnCallSchedule, "schedule")
existing, find = SCHEDULES.existing, SCHEDULES.find
deleted, find_any = SCHEDULES.deleted, SCHEDULES.find_any


def create(workspace_id: UUID, fields: Mapping[str, Any], *, now: datetime) -> OnCallSchedule:
    """Create a schedule. Raises `ValidationFailed`, and `Conflict` at the maximum or for a name that is taken."""
    with work() as done:
        lock_workspace(workspace_id)
        check_room(existing([workspace_id]), MAX_SCHEDULES, TOO_MANY)
        _check_name(workspace_id, fields["name"])
        check(workspace_id, fields)
        values = _columns(fields)
        values["layers"] = edited_layers(None, fields, now)
        made = OnCallSchedule(id=new_id(now), workspace_id=workspace_id, created_at=now, **values)
        made.save(force_insert=True)
        versions.record(made, versions.SCHEDULE_RECORDED, now)
        SCHEDULES.note("schedule.created", made, now)
        SCHEDULES.publish(done, made, "created")
        record.set_due(workspace_id, [made.id], now, done)
        _follow(made, fields, now, done)
    return made


def edit(
    schedule: OnCallSchedule, fields: Mapping[str, Any], *, expected_rev: int | None, now: datetime
) -> OnCallSchedule:
    """Change the given fields from now on. Who is on call now stays on call (`domain.oncall.edits`).

    Raises `RevMismatch`, `NotFound`, `ValidationFailed`, and `Conflict` for a name that is taken.
    """
    with work() as done:
        schedule = _locked(schedule, expected_rev)
        check(schedule.workspace_id, fields, schedule)
        values = _columns(fields)
        if not values.keys().isdisjoint(("layers", "timezone")):
            values["layers"] = edited_layers(schedule, fields, now)
        if CALENDAR in fields and fields[CALENDAR] is None:
            calendars.unfollow(schedule, now)
            values["follows_calendar"] = False
        _follow(schedule, fields, now, done)
        _change(schedule, values, done, now)
    return schedule


def _columns(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in OUTSIDE}


def _follow(schedule: OnCallSchedule, fields: Mapping[str, Any], now: datetime, done: AfterCommit) -> None:
    """Store the calendar that the schedule follows, and what follows the schedule in Slack."""
    if fields.get(CALENDAR) is not None:
        calendars.follow(schedule, fields[CALENDAR], now, done)
    if SLACK in fields:
        slack.follow(schedule, fields[SLACK], now, done)


def revert(schedule: OnCallSchedule, rev: int, *, expected_rev: int | None, now: datetime) -> OnCallSchedule:
    """Save an earlier version as the next revision, from now on, as it was.

    Raises `NotFound` for an unknown version, `RevMismatch`, and `Conflict` for a name that is taken.
    """
    earlier = versions.find(schedule.id, rev)
    with work() as done:
        schedule = _locked(schedule, expected_rev)
        _change(schedule, {name: earlier[name] for name in versions.SCHEDULE_FIELDS}, done, now)
    return schedule


def remove(schedule: OnCallSchedule, *, expected_rev: int | None, now: datetime) -> None:
    """Delete a schedule. Raises `RevMismatch`, `NotFound`, and `Conflict` with `usedBy` while a profile names it."""
    with work() as done:
        schedule = _locked(schedule, expected_rev)
        _check_unused(schedule)
        SCHEDULES.save(schedule, deleted_at=now)
        SCHEDULES.note("schedule.deleted", schedule, now, audit.removed(audit.columns(schedule, *RECORDED)))
        SCHEDULES.publish(done, schedule, "deleted")
        record.set_due(schedule.workspace_id, [schedule.id], now, done)


def restore(schedule: OnCallSchedule, *, now: datetime) -> OnCallSchedule:
    """Restore a deleted schedule with its overrides.

    Raises `Conflict` when it is not deleted, at the maximum, or when its name is taken.
    """
    with work() as done:
        lock_workspace(schedule.workspace_id)
        schedule = SCHEDULES.lock_deleted(schedule)
        check_room(existing([schedule.workspace_id]), MAX_SCHEDULES, TOO_MANY)
        _check_name(schedule.workspace_id, schedule.name)
        SCHEDULES.save(schedule, deleted_at=None, logged_until=now)
        versions.record(schedule, versions.SCHEDULE_RECORDED, now)
        SCHEDULES.note("schedule.restored", schedule, now)
        SCHEDULES.publish(done, schedule, "created")
        record.set_due(schedule.workspace_id, [schedule.id], now, done)
    return schedule


def check(workspace_id: UUID, fields: Mapping[str, Any], schedule: OnCallSchedule | None = None) -> None:
    """Check layers beyond their shape, also the stored ones in a changed time zone. Raises `ValidationFailed`."""
    timezone = fields.get("timezone") or (schedule.timezone if schedule else None)
    faults = _channel_faults(workspace_id, fields.get("notice_destination_id"))
    faults += [*calendars.faults(fields.get(CALENDAR)), *slack.faults(workspace_id, fields.get(SLACK))]
    faults += _lacking_layers(fields, schedule)
    if timezone is None:
        _raise(faults)
        return
    if "layers" in fields:
        layers = _layers(fields["layers"], timezone, None)
        faults += stored.faults(layers)
        faults += _absent_members(workspace_id, layers)
        faults += _unknown_layers(fields["layers"], schedule)
    elif schedule is not None and timezone != schedule.timezone:
        inheriting = [each for each in computed.stored_layers({**schedule.__data__, "timezone": timezone})]
        starts = (
            detail for each in inheriting if each.inherits_zone for detail in stored.start_faults(each.start, each.zone)
        )
        faults += [Fault("/timezone", detail) for detail in starts]
    _raise(faults)


def _lacking_layers(fields: Mapping[str, Any], schedule: OnCallSchedule | None) -> list[Fault]:
    given = fields[CALENDAR] if CALENDAR in fields else schedule and calendars.of_schedule(schedule.id)
    layers = fields.get("layers", schedule.layers if schedule else ())
    return [] if layers or given else [Fault("/layers", NO_LAYERS)]


def _raise(faults: Sequence[Fault]) -> None:
    if faults:
        raise ValidationFailed(errors=faults)


def detach_destination(destination_id: UUID, workspace_id: UUID, done: AfterCommit, now: datetime) -> None:
    """Remove a deleted destination from the schedules whose handoffs it is told of, in the caller's unit of work."""
    told = existing([workspace_id]).where(OnCallSchedule.notice_destination_id == destination_id)
    for schedule in told.order_by(OnCallSchedule.id).for_update("FOR NO KEY UPDATE"):
        _change(schedule, {"notice_destination_id": None}, done, now)


def edited_layers(schedule: OnCallSchedule | None, fields: Mapping[str, Any], now: datetime) -> list[dict[str, Any]]:
    """Return the layers as they are stored after an edit, or for a new schedule. People on call now stay on call."""
    timezone = fields.get("timezone") or (schedule.timezone if schedule else "")
    given = _layers(fields["layers"], timezone, now) if "layers" in fields else None
    if schedule is not None:
        after = stored.layers_of(schedule.layers, timezone) if given is None else given
        given = keep_present(_stored_layers(schedule), after, now)
    return [stored.record(each) for each in given or ()]


def _locked(schedule: OnCallSchedule, expected_rev: int | None) -> OnCallSchedule:
    lock_workspace(schedule.workspace_id)
    return SCHEDULES.lock(schedule, expected_rev)


def _change(schedule: OnCallSchedule, values: Mapping[str, Any], done: AfterCommit, now: datetime) -> None:
    """Save these column values of a locked schedule as its next version."""
    if "name" in values:
        _check_name(schedule.workspace_id, values["name"], schedule.id)
    SCHEDULES.note("schedule.changed", schedule, now, audit.changes(schedule.__data__, values))
    SCHEDULES.save(schedule, **values)
    versions.record(schedule, versions.SCHEDULE_RECORDED, now)
    SCHEDULES.publish(done, schedule)
    record.set_due(schedule.workspace_id, [schedule.id], now, done)


def _check_unused(schedule: OnCallSchedule) -> None:
    users = references.of_schedule(schedule.id)
    if users:
        text = f"Still used by {series(paging_uses.named(users))}. Name other people there first."
        raise Conflict(text, extra={"usedBy": paging_uses.used_by(users)})


def _check_name(workspace_id: UUID, name: str, own: UUID | None = None) -> None:
    if is_named(workspace_id, name, except_for=[own] if own else []):
        raise Conflict(NAME_TAKEN)


def _layers(given: Sequence[Mapping[str, Any]], timezone: str, now: datetime | None) -> tuple[Layer, ...]:
    """Return the layers of a request. A layer without an id gets one."""
    return tuple(
        Layer(
            id=each.get("id") or new_id(now),
            name=each["name"],
            level=each["level"],
            zone=ZoneInfo(each["timezone"] or timezone),
            start=each["start"],
            unit=Unit(each["unit"]),
            every=each["every"],
            members=tuple(map(tuple, each["members"])),
            windows=tuple(map(stored.window_of, each["windows"])),
            begins_at=each["from_"],
            ends_at=each["until"],
            counts=Counting(each["counts"]),
            inherits_zone=each["timezone"] is None,
        )
        for each in given
    )


def _stored_layers(schedule: OnCallSchedule) -> tuple[Layer, ...]:
    """Return the layers of a schedule, also while it follows a calendar."""
    return computed.stored_layers(schedule.__data__)


def _unknown_layers(given: Sequence[Mapping[str, Any]], schedule: OnCallSchedule | None) -> Iterator[Fault]:
    known = {layer.id for layer in _stored_layers(schedule)} if schedule else set()
    for place, layer in enumerate(given):
        if "id" in layer and layer["id"] not in known:
            yield Fault(f"/layers/{place}/id", "No such layer in this schedule. Leave it out for a new layer.")


def _channel_faults(workspace_id: UUID, destination_id: UUID | None) -> list[Fault]:
    """Return what is wrong with the destination of handoffs. One that only takes incidents cannot be told of them."""
    if destination_id is None:
        return []
    found = Destination.get_or_none(id=destination_id, workspace_id=workspace_id, deleted_at=None, device_id=None)
    if found is None:
        return [Fault(CHANNEL, "No such destination in this workspace.")]
    return (
        []
        if KINDS[found.kind].description.can.tells_people
        else [Fault(CHANNEL, "This kind of destination takes incidents only.")]
    )


def _absent_members(workspace_id: UUID, layers: Sequence[Layer]) -> Iterator[Fault]:
    for place, layer in enumerate(layers):
        for turn, people in enumerate(layer.members):
            yield from member_faults(workspace_id, people, f"/layers/{place}/members/{turn}")
