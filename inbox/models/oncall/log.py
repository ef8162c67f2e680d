"""The log of who was on call (specification 23.10)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, new_id
from inbox.models.oncall.schedules import OnCallSchedule


class OnCallLog(Table):
    """A time in which a person was on call by a schedule. Without `ends_at` it lasts."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    schedule_id = peewee.UUIDField()
    user_id = peewee.UUIDField()
    starts_at = TimestampField()
    ends_at = TimestampField(null=True)

    class Meta:
        table_name = "oncall_log"


def present(schedule_id: UUID) -> set[UUID]:
    """Returns the people who are on call by the log."""
    rows = OnCallLog.select(OnCallLog.user_id).where(_open(schedule_id)).tuples()
    return {user_id for (user_id,) in rows}


def end(schedule_id: UUID, user_ids: Collection[UUID], at: datetime) -> None:
    """Ends the time of these people."""
    if user_ids:
        OnCallLog.update(ends_at=at).where(_open(schedule_id), OnCallLog.user_id.in_([*user_ids])).execute()


def begin(workspace_id: UUID, schedule_id: UUID, user_ids: Collection[UUID], at: datetime) -> None:
    """Begins the time of these people."""
    rows = [
        {"id": new_id(at), "workspace_id": workspace_id, "schedule_id": schedule_id, "user_id": each, "starts_at": at}
        for each in sorted(user_ids)
    ]
    if rows:
        OnCallLog.insert_many(rows).execute()


def within(schedule_id: UUID, start: datetime, end: datetime, limit: int) -> list[OnCallLog]:
    """Returns the times of this period in order, at most `limit`."""
    lasts = OnCallLog.ends_at.is_null() | (OnCallLog.ends_at > start)
    own = OnCallLog.select().where(OnCallLog.schedule_id == schedule_id, OnCallLog.starts_at < end, lasts)
    return list(own.order_by(OnCallLog.starts_at, OnCallLog.id).limit(limit))


def of_schedules(schedule_ids: Collection[UUID], user_id: UUID | None, since: datetime, limit: int) -> list[OnCallLog]:
    """Returns the times of these schedules that have not ended before `since`, of everybody or of one person."""
    lasts = OnCallLog.ends_at.is_null() | (OnCallLog.ends_at > since)
    own = OnCallLog.select().where(OnCallLog.schedule_id.in_([*schedule_ids]), lasts)
    if user_id is not None:
        own = own.where(OnCallLog.user_id == user_id)
    return list(own.order_by(OnCallLog.starts_at, OnCallLog.id).limit(limit))


def of_workspace(
    workspace_id: UUID, schedule_id: UUID | None, start: datetime, end: datetime, limit: int
) -> list[tuple[UUID, str, datetime, datetime | None]]:
    """Returns person, time zone of the schedule, start and end of the times of this period, at most `limit`.

    Without `schedule_id` they are those of all schedules of the workspace.
    """
    lasts = OnCallLog.ends_at.is_null() | (OnCallLog.ends_at > start)
    own = OnCallLog.select(OnCallLog.user_id, OnCallSchedule.timezone, OnCallLog.starts_at, OnCallLog.ends_at)
    own = own.join(OnCallSchedule, on=(OnCallSchedule.id == OnCallLog.schedule_id))
    own = own.where(OnCallLog.workspace_id == workspace_id, OnCallLog.starts_at < end, lasts)
    if schedule_id is not None:
        own = own.where(OnCallLog.schedule_id == schedule_id)
    return list(own.order_by(OnCallLog.starts_at, OnCallLog.id).limit(limit).tuples())


def _open(schedule_id: UUID) -> peewee.Expression:
    return (OnCallLog.schedule_id == schedule_id) & OnCallLog.ends_at.is_null()
