"""Browsers in which a sign-in skips the second factor (specification 11.11)."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField
from inbox.models.people.accounts import User


class TrustedBrowser(Table):
    """A browser that an account trusts until `expires_at`; only the SHA-256 of its cookie is stored."""

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="CASCADE")
    user_id: UUID
    token_hash = peewee.BlobField(unique=True)
    user_agent = peewee.TextField()
    created_at = TimestampField()
    expires_at = TimestampField()
    last_used_at = TimestampField(null=True)

    class Meta:
        table_name = "trusted_browsers"
