"""Saved views: named filters of a list, of one person or shared in a workspace (specification 7.10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.models.sql.base import Table, TimestampField
from inbox.models.tables.accounts import User


class SavedView(Table):
    """A view; `filters` are the parameters of the list in the shape of the API. `user` is its creator.

    When the creator is removed, `user` becomes null.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    user = peewee.ForeignKeyField(User, null=True, on_delete="SET NULL")
    user_id: UUID | None
    name = peewee.TextField()
    list = peewee.TextField()
    filters = BinaryJSONField(index=False)
    shared = peewee.BooleanField(default=False)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "saved_views"


def visible(workspace_ids: Sequence[UUID], user_id: UUID) -> Any:
    """A person's own views in these workspaces, and the shared ones."""
    mine = (SavedView.user == user_id) | SavedView.shared
    return SavedView.select().where(SavedView.workspace_id.in_([*workspace_ids]), SavedView.deleted_at.is_null(), mine)


def made_by(user_id: UUID, workspace_id: UUID) -> int:
    """The number of views of a person in a workspace."""
    own = (SavedView.user == user_id) & (SavedView.workspace_id == workspace_id)
    return int(SavedView.select().where(own, SavedView.deleted_at.is_null()).count())
