"""Saved views: named filters of a list, of one person or shared in a workspace (specification 7.10)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.models.people.accounts import User


class SavedView(Table):
    """A view; `filters` are the parameters of the list in the shape of the API. `user` is its creator.

    `position` orders the views of a list. At most one personal view per person, and one shared view, is the default of
    a list.

    When the creator is removed, `user` becomes null.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    user = peewee.ForeignKeyField(User, null=True, on_delete="SET NULL")
    user_id: UUID | None
    name = peewee.TextField()
    list = peewee.TextField()
    filters = BinaryJSONField(index=False)
    columns = BinaryJSONField(null=True, index=False)
    is_default = peewee.BooleanField(default=False)
    position = peewee.IntegerField(default=0)
    icon = peewee.TextField(null=True)
    shared = peewee.BooleanField(default=False)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "saved_views"


def visible(workspace_ids: Sequence[UUID], user_id: UUID | None, *, deleted: bool = False) -> Any:
    """Returns a person's personal views in these workspaces and the shared ones, either existing or deleted."""
    is_visible = (SavedView.user == user_id) | SavedView.shared
    return SavedView.select().where(
        SavedView.workspace_id.in_([*workspace_ids]), SavedView.deleted_at.is_null(not deleted), is_visible
    )


def delete_personal(user_id: UUID, workspace_id: UUID, now: datetime) -> None:
    """Deletes the personal views of a former member. The purge removes them."""
    personal = (SavedView.user == user_id) & (SavedView.workspace_id == workspace_id) & ~SavedView.shared
    SavedView.update(deleted_at=now, user=None).where(personal).execute()


def count_own(user_id: UUID, workspace_id: UUID) -> int:
    """Returns the number of views of a person in a workspace."""
    own = (SavedView.user == user_id) & (SavedView.workspace_id == workspace_id)
    return int(SavedView.select().where(own, SavedView.deleted_at.is_null()).count())


def count_unowned(workspace_id: UUID) -> int:
    """Returns the number of views of a workspace without an owner."""
    own = (SavedView.workspace_id == workspace_id) & SavedView.user.is_null() & SavedView.deleted_at.is_null()
    return int(SavedView.select().where(own).count())


def clear_default(view: SavedView) -> list[SavedView]:
    """Clears the default mark of another view for the same list and audience; returns the changed views."""
    same = (SavedView.workspace_id == view.workspace_id) & (SavedView.list == view.list)
    audience = SavedView.shared if view.shared else ~SavedView.shared & (SavedView.user == view.user_id)
    others = SavedView.select().where(same, audience, SavedView.is_default, SavedView.id != view.id)
    found = list(others.where(SavedView.deleted_at.is_null()).order_by(SavedView.id).for_update("FOR NO KEY UPDATE"))
    for other in found:
        other.is_default = False
        other.rev += 1
        other.save(only=[SavedView.is_default, SavedView.rev])
    return found
