"""External calendars that schedules follow: when they are read, and what the last reading found (specification 23.20)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField, db, new_id
from inbox.domain.oncall.followed import CalendarShift, Changes, Reachable
from inbox.models.oncall.schedules import OnCallCalendarShift


class OnCallCalendar(Table):
    """The calendar of a schedule. `read_at` is the time of the last good copy, `whole_at` of the last whole file."""

    schedule_id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    sealed = peewee.BlobField()
    hint = peewee.TextField()
    etag = peewee.TextField(default="")
    members_digest = peewee.BlobField(default=b"")
    whole_at = TimestampField(null=True)
    read_at = TimestampField(null=True)
    failing_since = TimestampField(null=True)
    failure = peewee.TextField(null=True)
    failures = peewee.IntegerField(default=0)
    unmatched = BinaryJSONField(index=False, default=list)
    attempts = peewee.IntegerField(default=0)
    due_at = TimestampField()

    class Meta:
        table_name = "oncall_calendars"


class ClaimedCalendar(NamedTuple):
    """A calendar that the caller reads until its lease ends; `attempts` distinguishes it from earlier claims."""

    schedule_id: UUID
    workspace_id: UUID
    sealed: bytes
    etag: str
    members_digest: bytes
    whole_at: datetime | None
    attempts: int
    timezone: str


_DUE = """
SELECT c.schedule_id FROM oncall_calendars c
JOIN oncall_schedules s ON s.id = c.schedule_id AND s.deleted_at IS NULL
JOIN workspaces w ON w.id = c.workspace_id AND w.deleted_at IS NULL
WHERE c.due_at <= %s"""


def any_due(now: datetime) -> bool:
    """Returns whether a calendar of a schedule that is not deleted is due."""
    return bool(db.execute_sql(f"SELECT EXISTS ({_DUE})", (now,)).fetchone()[0])


def claim(now: datetime, until: datetime) -> ClaimedCalendar | None:
    """Claims the calendar that is due for the longest time. The caller commits before it reads the calendar."""
    found = db.execute_sql(
        f"WITH picked AS ({_DUE} ORDER BY c.due_at LIMIT 1 FOR UPDATE OF c SKIP LOCKED)"
        " UPDATE oncall_calendars c SET due_at = %s, attempts = attempts + 1 FROM picked, oncall_schedules s"
        " WHERE c.schedule_id = picked.schedule_id AND s.id = c.schedule_id"
        " RETURNING c.schedule_id, c.workspace_id, c.sealed, c.etag, c.members_digest, c.whole_at, c.attempts, s.timezone",
        (now, until),
    ).fetchone()
    if found is None:
        return None
    claimed = ClaimedCalendar(*found)
    return claimed._replace(sealed=bytes(claimed.sealed), members_digest=bytes(claimed.members_digest))


def locked(claimed: ClaimedCalendar) -> OnCallCalendar | None:
    """Returns the locked row of a claim; None when it was changed or claimed again, or is gone."""
    own = OnCallCalendar.select().where(
        OnCallCalendar.schedule_id == claimed.schedule_id, OnCallCalendar.attempts == claimed.attempts
    )
    found: OnCallCalendar | None = own.for_update().first()
    return found


def of_schedules(schedule_ids: Collection[UUID]) -> dict[UUID, OnCallCalendar]:
    """Returns the calendars of these schedules, by the id of the schedule."""
    rows = OnCallCalendar.select().where(OnCallCalendar.schedule_id.in_([*schedule_ids])) if schedule_ids else ()
    return {row.schedule_id: row for row in rows}


def reachable(workspace_id: UUID) -> list[Reachable]:
    """Returns the active members of a workspace, whom events can name."""
    found = db.execute_sql(
        "SELECT u.id, u.name, u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = %s"
        " AND u.disabled_at IS NULL AND u.deleted_at IS NULL ORDER BY u.id",
        (workspace_id,),
    )
    return [Reachable(*row) for row in found.fetchall()]


def not_ended(schedule_id: UUID, now: datetime) -> list[CalendarShift]:
    """Returns the stored shifts of a calendar that have not ended."""
    own = OnCallCalendarShift.select().where(
        OnCallCalendarShift.schedule_id == schedule_id, OnCallCalendarShift.ends_at > now
    )
    return [CalendarShift(each.starts_at, each.ends_at, tuple(each.user_ids)) for each in own]


def apply(schedule_id: UUID, workspace_id: UUID, changes: Changes, now: datetime) -> None:
    """Stores the changes of a reading. The caller has locked the schedule."""
    shift = OnCallCalendarShift
    own = shift.schedule_id == schedule_id
    shift.delete().where(own, shift.starts_at.in_(_starts(changes.removed))).execute()
    shift.update(ends_at=now).where(own, shift.starts_at.in_(_starts(changes.ended))).execute()
    rows = [
        {
            "id": new_id(now), "workspace_id": workspace_id, "schedule_id": schedule_id, "starts_at": each.starts_at,
            "ends_at": each.ends_at, "user_ids": list(each.user_ids),
        }
        for each in changes.added
    ]  # fmt: skip
    for begin in range(0, len(rows), 500):
        shift.insert_many(rows[begin : begin + 500]).execute()


def _starts(shifts: Collection[CalendarShift]) -> list[datetime]:
    return [each.starts_at for each in shifts]
