"""People as actors of records: who created a key, who accepted an invite."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Actor
from inbox.models.tables.accounts import User


def actors(user_ids: Collection[UUID | None]) -> dict[UUID | None, dict[str, str]]:
    """These people as actors `{type, id, name}`, by id; closed accounts are omitted."""
    wanted = [user_id for user_id in user_ids if user_id is not None]
    if not wanted:
        return {}
    there = User.select(User.id, User.name).where(User.id.in_(wanted), User.deleted_at.is_null())
    return {user.id: Actor("user", ids.encode(Prefix.USER, user.id), user.name).record() for user in there}
