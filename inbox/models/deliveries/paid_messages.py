"""Counts of the calls and text messages to people, by workspace and day (specification 23.19)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import array_literal
from inbox.domain.deliveries.paid_messages import Channel
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace

KEPT = timedelta(days=7)
"""How long counts are kept."""


class PaidMessages(Table):
    """The messages of a channel to a person on a day. `told_at`: administrators were told that a limit is reached."""

    workspace = peewee.ForeignKeyField(Workspace, on_delete="CASCADE")
    user = peewee.ForeignKeyField(User, on_delete="CASCADE")
    channel = peewee.TextField()
    day = peewee.DateField()
    count = peewee.IntegerField(default=0)
    last_at = TimestampField(null=True)
    told_at = TimestampField(null=True)

    class Meta:
        table_name = "paid_messages"
        primary_key = peewee.CompositeKey("workspace", "user", "channel", "day")


class Spent(NamedTuple):
    """What people and workspaces have used of a day, and when each person had the last message."""

    by_person: Mapping[tuple[UUID, UUID, Channel], int]
    by_workspace: Mapping[tuple[UUID, Channel], int]
    last_at: Mapping[tuple[UUID, Channel], datetime]


def lock(scopes: Collection[UUID]) -> None:
    """Locks the counts of these people and workspaces until the transaction ends, always in one order."""
    for scope in sorted(scopes):
        db.execute_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"paid_messages|{scope}",))


def spent(workspace_ids: Collection[UUID], user_ids: Collection[UUID], now: datetime) -> Spent:
    """Returns the counts of today. Times of last messages are those of all workspaces."""
    found = db.execute_sql(
        "SELECT workspace_id, user_id, channel, count FROM paid_messages"
        " WHERE workspace_id = ANY(%s::uuid[]) AND day = %s",
        (array_literal(workspace_ids, unquoted=True), now.date()),
    ).fetchall()
    by_workspace: dict[tuple[UUID, Channel], int] = {}
    for workspace_id, _, channel, count in found:
        key = (workspace_id, Channel(channel))
        by_workspace[key] = by_workspace.get(key, 0) + count
    last = db.execute_sql(
        "SELECT user_id, channel, max(last_at) FROM paid_messages"
        " WHERE user_id = ANY(%s::uuid[]) AND last_at IS NOT NULL GROUP BY user_id, channel",
        (array_literal(user_ids, unquoted=True),),
    ).fetchall()
    return Spent(
        {(workspace, user, Channel(channel)): count for workspace, user, channel, count in found},
        by_workspace,
        {(user, Channel(channel)): at for user, channel, at in last},
    )


def count(workspace_id: UUID, user_id: UUID, channel: Channel, now: datetime, *, is_page: bool = True) -> None:
    """Counts a message, and forgets old counts of the person. A page begins a pause; a code does not.

    The transaction is on the disk when it commits. Otherwise a crash of the database could lose the count and the claim
    of a message that is on its way, and the message would be sent again at once.
    """
    db.execute_sql("SET LOCAL synchronous_commit = on")
    db.execute_sql(
        "INSERT INTO paid_messages (workspace_id, user_id, channel, day, count, last_at) VALUES (%s, %s, %s, %s, 1, %s)"
        " ON CONFLICT (workspace_id, user_id, channel, day) DO UPDATE SET count = paid_messages.count + 1,"
        " last_at = coalesce(excluded.last_at, paid_messages.last_at)",
        (workspace_id, user_id, str(channel), now.date(), now if is_page else None),
    )
    before = (now - KEPT).date()
    PaidMessages.delete().where(PaidMessages.user == user_id, PaidMessages.day < before).execute()


def tell_once(workspace_id: UUID, user_id: UUID, channel: Channel, now: datetime) -> bool:
    """Notes that administrators are told of a limit today; returns False if they were told before."""
    values = {"workspace": workspace_id, "user": user_id, "channel": str(channel), "day": now.date(), "now": now}
    found = db.execute_sql(
        "INSERT INTO paid_messages (workspace_id, user_id, channel, day, told_at)"
        " SELECT %(workspace)s, %(user)s, %(channel)s, %(day)s, %(now)s WHERE NOT EXISTS (SELECT FROM paid_messages"
        "  WHERE workspace_id = %(workspace)s AND channel = %(channel)s AND day = %(day)s AND told_at IS NOT NULL)"
        " ON CONFLICT (workspace_id, user_id, channel, day) DO UPDATE SET told_at = excluded.told_at RETURNING 1",
        values,
    )
    return found.fetchone() is not None
