"""Calendar feeds of shifts (specification 23.14)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace


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
    """Returns the feed of a token. A disabled or closed account has none, nor has a closed workspace."""
    found: OnCallFeed | None = (
        OnCallFeed.select()
        .join(User, on=(User.id == OnCallFeed.user_id))
        .switch(OnCallFeed)
        .join(Workspace, on=(Workspace.id == OnCallFeed.workspace_id))
        .where(
            OnCallFeed.token_hash == digest,
            User.disabled_at.is_null(),
            User.deleted_at.is_null(),
            Workspace.deleted_at.is_null(),
        )
        .first()
    )
    return found


def locked(feed_id: UUID) -> OnCallFeed | None:
    """Returns a locked feed."""
    found: OnCallFeed | None = OnCallFeed.select().where(OnCallFeed.id == feed_id).for_update().first()
    return found


def remember(feed_id: UUID, events: dict[str, Any], now: datetime) -> None:
    """Stores what a feed served, and that it was used."""
    OnCallFeed.update(events=events, last_used_at=now).where(OnCallFeed.id == feed_id).execute()
