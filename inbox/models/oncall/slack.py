"""What Slack shows of a schedule, and when it is looked at again (specification 23.23)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db


class OnCallSlack(Table):
    """The user group and the topic that follow a schedule. Without `due_at` Slack shows the present state."""

    schedule_id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    destination_id = peewee.UUIDField()
    user_group_id = peewee.TextField(null=True)
    sets_topic = peewee.BooleanField()
    failing_since = TimestampField(null=True)
    failure = peewee.TextField(null=True)
    failures = peewee.IntegerField(default=0)
    attempts = peewee.IntegerField(default=0)
    due_at = TimestampField(null=True)

    class Meta:
        table_name = "oncall_slack"


_DUE = """
SELECT k.schedule_id FROM oncall_slack k
JOIN oncall_schedules s ON s.id = k.schedule_id AND s.deleted_at IS NULL
JOIN workspaces w ON w.id = k.workspace_id AND w.deleted_at IS NULL
WHERE k.due_at <= %s"""


def any_due(now: datetime) -> bool:
    """Returns whether Slack must be looked at for a schedule."""
    return bool(db.execute_sql(f"SELECT EXISTS ({_DUE})", (now,)).fetchone()[0])


def claim(now: datetime, until: datetime) -> OnCallSlack | None:
    """Claims the schedule that waits for the longest time. The caller commits before it calls Slack."""
    found = db.execute_sql(
        f"WITH picked AS ({_DUE} ORDER BY k.due_at LIMIT 1 FOR UPDATE OF k SKIP LOCKED)"
        " UPDATE oncall_slack k SET due_at = %s, attempts = attempts + 1 FROM picked"
        " WHERE k.schedule_id = picked.schedule_id RETURNING k.schedule_id",
        (now, until),
    ).fetchone()
    return None if found is None else OnCallSlack.get_by_id(found[0])


def record(claimed: OnCallSlack, **columns: object) -> bool:
    """Stores the result of a claim, unless the people or the settings changed since then."""
    own = (OnCallSlack.schedule_id == claimed.schedule_id) & (OnCallSlack.attempts == claimed.attempts)
    return bool(OnCallSlack.update(**columns).where(own).execute())


def set_due(schedule_id: UUID, now: datetime) -> bool:
    """Lets a worker look at Slack at once. Returns whether the schedule has something there."""
    changed = OnCallSlack.update(due_at=now, attempts=OnCallSlack.attempts + 1)
    return bool(changed.where(OnCallSlack.schedule_id == schedule_id).execute())


def of_schedules(schedule_ids: Collection[UUID]) -> dict[UUID, OnCallSlack]:
    """Returns what follows these schedules in Slack, by the id of the schedule."""
    rows = OnCallSlack.select().where(OnCallSlack.schedule_id.in_([*schedule_ids])) if schedule_ids else ()
    return {row.schedule_id: row for row in rows}
