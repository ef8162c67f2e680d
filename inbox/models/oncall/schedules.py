"""On-call schedules and their overrides (specification 23.1)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix


class OnCallSchedule(Table):
    """A schedule; `layers` in the shape of the API."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    name = peewee.TextField()
    description = peewee.TextField(default="")
    timezone = peewee.TextField()
    layers = BinaryJSONField(index=False)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    logged_until = TimestampField(null=True)
    zone_digest = peewee.TextField(null=True)
    notice_destination_id = peewee.UUIDField(null=True)
    follows_calendar = peewee.BooleanField(default=False)
    known_problems = BinaryJSONField(index=False, default=list)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "oncall_schedules"


class OnCallOverride(Table):
    """An override of a schedule. Without `layer_ids` it changes the whole schedule."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    schedule_id = peewee.UUIDField()
    starts_at = TimestampField()
    ends_at = TimestampField()
    kind = peewee.TextField()
    user_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    instead_of = peewee.UUIDField(null=True)
    layer_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    reason = peewee.TextField(default="")
    created_by = peewee.UUIDField(null=True)
    created_at = TimestampField()
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "oncall_overrides"


class OnCallCalendarShift(Table):
    """A shift of the external calendar that a schedule follows."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    schedule_id = peewee.UUIDField()
    starts_at = TimestampField()
    ends_at = TimestampField()
    user_ids = ArrayField(peewee.UUIDField, index=False)

    class Meta:
        table_name = "oncall_calendar_shifts"


def existing_ids(workspace_id: UUID) -> list[UUID]:
    """Returns the ids of the schedules of a workspace that are not deleted."""
    own = OnCallSchedule.select(OnCallSchedule.id).where(
        OnCallSchedule.workspace_id == workspace_id, OnCallSchedule.deleted_at.is_null()
    )
    return [schedule_id for (schedule_id,) in own.tuples()]


def computed_otherwise(zone_digest: str) -> list[tuple[UUID, UUID]]:
    """Returns the ids of schedules whose handoffs were computed with other rules of time zones, with their workspaces."""
    is_other = OnCallSchedule.zone_digest.is_null() | (OnCallSchedule.zone_digest != zone_digest)
    others = OnCallSchedule.select(OnCallSchedule.id, OnCallSchedule.workspace_id)
    return list(others.where(OnCallSchedule.deleted_at.is_null(), is_other).tuples())


def overrides_within(schedule_ids: Collection[UUID], start: datetime, end: datetime) -> list[OnCallOverride]:
    """Returns the overrides of these schedules that are active between two times, in the order of creation."""
    active = (OnCallOverride.starts_at < end) & (OnCallOverride.ends_at > start)
    own = OnCallOverride.select().where(OnCallOverride.schedule_id.in_([*schedule_ids]), active)
    return list(own.order_by(OnCallOverride.created_at, OnCallOverride.id))


def calendar_shifts_within(schedule_ids: Collection[UUID], start: datetime, end: datetime) -> list[OnCallCalendarShift]:
    """Returns the shifts of the calendars of these schedules between two times, by their start."""
    active = (OnCallCalendarShift.starts_at < end) & (OnCallCalendarShift.ends_at > start)
    own = OnCallCalendarShift.select().where(OnCallCalendarShift.schedule_id.in_([*schedule_ids]), active)
    return list(own.order_by(OnCallCalendarShift.starts_at))


def of_schedule(schedule_id: UUID) -> peewee.ModelSelect:
    """Selects the overrides of a schedule."""
    return OnCallOverride.select().where(OnCallOverride.schedule_id == schedule_id)


def naming(user_id: UUID, workspace_ids: Collection[UUID], now: datetime) -> peewee.ModelSelect:
    """Selects the schedules of these workspaces that name this person.

    In turns, in overrides that have not ended, or in shifts of calendars that have not ended.
    """
    turns = OnCallSchedule.layers.contains([{"members": [[ids.encode(Prefix.USER, user_id)]]}])
    covering = OnCallOverride.select(OnCallOverride.schedule_id).where(
        OnCallOverride.workspace_id.in_([*workspace_ids]),
        OnCallOverride.ends_at > now,
        OnCallOverride.user_ids.contains(user_id),
    )
    coming = OnCallCalendarShift.select(OnCallCalendarShift.schedule_id).where(
        OnCallCalendarShift.workspace_id.in_([*workspace_ids]),
        OnCallCalendarShift.ends_at > now,
        OnCallCalendarShift.user_ids.contains(user_id),
    )
    own = OnCallSchedule.workspace_id.in_([*workspace_ids]) & OnCallSchedule.deleted_at.is_null()
    named = turns | OnCallSchedule.id.in_(covering) | OnCallSchedule.id.in_(coming)
    return OnCallSchedule.select().where(own, named).order_by(OnCallSchedule.name)


def is_named(workspace_id: UUID, name: str, *, except_for: Sequence[UUID] = ()) -> bool:
    """Returns whether another schedule of the workspace has this name."""
    own = (OnCallSchedule.workspace_id == workspace_id) & OnCallSchedule.deleted_at.is_null()
    others = OnCallSchedule.select().where(own, OnCallSchedule.name == name, OnCallSchedule.id.not_in([*except_for]))
    return bool(others.exists())
