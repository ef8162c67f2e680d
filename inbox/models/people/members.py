"""People as members of one workspace."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import array_literal
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace


class Member(Table):
    """A person's membership in a workspace (specification 12.2)."""

    id = peewee.UUIDField(primary_key=True)
    workspace = peewee.ForeignKeyField(Workspace, backref="members", on_delete="CASCADE")
    workspace_id: UUID
    user = peewee.ForeignKeyField(User, backref="memberships", on_delete="CASCADE")
    user_id: UUID
    role = peewee.TextField()
    joined_at = TimestampField()
    last_seen_at = TimestampField(null=True)

    class Meta:
        table_name = "members"
        indexes = ((("workspace", "user"), True),)


class Person(NamedTuple):
    """An account, and whether it is a member of the requested workspace."""

    id: UUID
    name: str
    is_member: bool
    is_disabled: bool
    is_closed: bool


def people(workspace_id: UUID, user_ids: Collection[UUID]) -> list[Person]:
    """Returns these accounts, including closed ones that are not yet removed."""
    found = db.execute_sql(
        "SELECT u.id, u.name, m.id IS NOT NULL, u.disabled_at IS NOT NULL, u.deleted_at IS NOT NULL FROM users u"
        " LEFT JOIN members m ON m.user_id = u.id AND m.workspace_id = %s WHERE u.id = ANY(%s::uuid[])",
        (workspace_id, array_literal(user_ids, unquoted=True)),
    )
    return [Person(*row) for row in found.fetchall()]


def active_by_email(workspace_id: UUID, keys: Collection[str]) -> dict[str, UUID]:
    """Returns the ids of the active members with these mail addresses, in the form in which they are unique."""
    chosen = (User.email_key.in_([*keys])) & User.disabled_at.is_null() & User.deleted_at.is_null()
    rows = User.select(User.email_key, User.id).join(Member).where(Member.workspace == workspace_id, chosen)
    return {key: id for key, id in rows.tuples()}


def administrators(workspace_id: UUID) -> list[tuple[str, str]]:
    """Returns the name and address of each owner and administrator of a workspace whose account is active."""
    found = db.execute_sql(
        "SELECT u.name, u.email FROM members m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = %s"
        " AND m.role IN ('owner', 'admin') AND u.disabled_at IS NULL AND u.deleted_at IS NULL ORDER BY u.id",
        (workspace_id,),
    )
    return list(found.fetchall())


def workspaces_of(user_id: UUID) -> list[UUID]:
    """Returns the workspaces of which a person is a member, including deleted ones."""
    found = db.execute_sql("SELECT workspace_id FROM members WHERE user_id = %s ORDER BY workspace_id", (user_id,))
    return [id for (id,) in found.fetchall()]
