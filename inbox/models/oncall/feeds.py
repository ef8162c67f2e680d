"""Calendar feeds of shifts (specification 23.14)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField, db
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.factors import HAS_REQUIRED_FACTOR


class OnCallFeed(Table):
    """A secret address of a member, by which calendars read shifts. Without `schedule_id` they are the member's own.

    Only the SHA-256 of the token is stored. `events` is what the feed served last (`domain.oncall.feed_memory`).
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    user_id = peewee.UUIDField()
    schedule_id = peewee.UUIDField(null=True)
    token_hash = peewee.BlobField(unique=True)
    token_hint = peewee.TextField()
    events = BinaryJSONField(index=False, default=dict)
    created_at = TimestampField()
    last_used_at = TimestampField(null=True)

    class Meta:
        table_name = "oncall_feeds"


def of_person(user_id: UUID, workspace_ids: Collection[UUID]) -> peewee.ModelSelect:
    """Selects the feeds of a person whose schedules are not deleted, with the names of their schedules."""
    on = OnCallSchedule.id == OnCallFeed.schedule_id
    name = OnCallSchedule.name.alias("schedule_name")
    named = OnCallFeed.select(OnCallFeed, name).join(OnCallSchedule, peewee.JOIN.LEFT_OUTER, on=on)
    own = (OnCallFeed.user_id == user_id) & OnCallFeed.workspace_id.in_([*workspace_ids])
    return named.where(own, OnCallSchedule.deleted_at.is_null())


def of_token(digest: bytes) -> OnCallFeed | None:
    """Returns the feed of a token, if its owner may read the workspace.

    A disabled or closed account may not, nor a member without the second factor that the workspace requires.
    """
    found = db.execute_sql(
        "SELECT f.id FROM oncall_feeds f JOIN members m ON m.workspace_id = f.workspace_id AND m.user_id = f.user_id"
        " JOIN users u ON u.id = m.user_id AND u.disabled_at IS NULL AND u.deleted_at IS NULL"
        " JOIN workspaces w ON w.id = m.workspace_id AND w.deleted_at IS NULL"
        f" WHERE f.token_hash = %s AND {HAS_REQUIRED_FACTOR}",
        (digest,),
    ).fetchone()
    return None if found is None else OnCallFeed.get_or_none(id=found[0])


def locked(feed_id: UUID) -> OnCallFeed | None:
    """Returns a locked feed."""
    found: OnCallFeed | None = OnCallFeed.select().where(OnCallFeed.id == feed_id).for_update().first()
    return found


def remember(feed_id: UUID, events: dict[str, Any], now: datetime) -> None:
    """Stores what a feed served, and that it was used."""
    OnCallFeed.update(events=events, last_used_at=now).where(OnCallFeed.id == feed_id).execute()
