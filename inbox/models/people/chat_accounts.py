"""Accounts of people at chat services (specification 9.18)."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace


class ChatAccount(Table):
    """A person's account at a chat service. Its button presses count as acts of this person, in one workspace.

    `account_id` is the service's id, `name` is only for display. `verifier` is a digest of the key that signs the
    requests of the service. It is empty where the account id names the server.
    """

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, backref="chat_accounts", on_delete="CASCADE")
    user_id: UUID
    workspace = peewee.ForeignKeyField(Workspace, on_delete="CASCADE", index=False)
    workspace_id: UUID
    service = peewee.TextField()
    account_id = peewee.TextField()
    name = peewee.TextField()
    verifier = peewee.TextField(default="")
    created_at = TimestampField()
    last_used_at = TimestampField(null=True)

    class Meta:
        table_name = "chat_accounts"
        indexes = ((("workspace", "service", "account_id", "verifier"), True),)
