"""Which people were told of which coming shifts (specification 23.16)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import array_literal
from inbox.domain.oncall import lead_times
from inbox.domain.oncall.person_periods import PersonPeriod
from inbox.models.oncall.schedules import OnCallSchedule


class ShiftNotice(Table):
    """A person was told this long before the start of a shift. Rows of shifts that have begun are removed."""

    workspace_id = peewee.UUIDField()
    schedule_id = peewee.UUIDField()
    user_id = peewee.UUIDField()
    starts_at = TimestampField()
    lead_minutes = peewee.IntegerField()

    class Meta:
        table_name = "oncall_shift_notices"
        primary_key = peewee.CompositeKey("schedule_id", "user_id", "starts_at", "lead_minutes")


class Addressee(NamedTuple):
    """A person, and the lead times in minutes at which they want to be told."""

    name: str
    email: str
    timezone: str
    leads: tuple[int, ...]


def addressees(user_ids: Collection[UUID]) -> dict[UUID, Addressee]:
    """Returns these people by id."""
    found = db.execute_sql(
        "SELECT u.id, u.name, u.email, u.timezone, p.preferences -> 'shiftNoticeMinutes' FROM users u"
        " LEFT JOIN user_preferences p ON p.user_id = u.id WHERE u.id = ANY(%s::uuid[])",
        (array_literal(user_ids, unquoted=True),),
    )
    return {
        id: Addressee(name, email, timezone, lead_times.DEFAULT if leads is None else tuple(leads))
        for id, name, email, timezone, leads in found.fetchall()
    }


def told(schedule_id: UUID) -> set[tuple[UUID, datetime, int]]:
    """Returns person, start and lead time of the notices of coming shifts."""
    rows = ShiftNotice.select(ShiftNotice.user_id, ShiftNotice.starts_at, ShiftNotice.lead_minutes)
    return set(rows.where(ShiftNotice.schedule_id == schedule_id).tuples())


def remember(schedule: OnCallSchedule, due: Iterable[tuple[PersonPeriod, Sequence[int]]], now: datetime) -> None:
    """Stores these notices. Deletes the notices of shifts that have begun, because they come too late."""
    ShiftNotice.delete().where(ShiftNotice.schedule_id == schedule.id, ShiftNotice.starts_at <= now).execute()
    rows = [
        {
            "workspace_id": schedule.workspace_id, "schedule_id": schedule.id, "user_id": period.user_id,
            "starts_at": period.starts_at, "lead_minutes": lead,
        }
        for period, leads in due
        for lead in leads
    ]  # fmt: skip
    if rows:
        ShiftNotice.insert_many(rows).on_conflict_ignore().execute()
