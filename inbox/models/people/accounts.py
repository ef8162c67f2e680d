"""People: accounts, their sessions, and the one-time set-up link of an instance without people."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField


class User(Table):
    """A person. `email_key` is the case-folded address, which is unique.

    `email_verified_at` is the time when a link sent to the address was opened, or when an operator made the account.
    `deleted_at` is the time when the account was closed.
    """

    id = peewee.UUIDField(primary_key=True)
    email = peewee.TextField()
    email_key = peewee.TextField(unique=True)
    email_verified_at = TimestampField(null=True)
    name = peewee.TextField()
    password_hash = peewee.TextField(null=True)
    is_instance_admin = peewee.BooleanField(default=False)
    disabled_at = TimestampField(null=True)
    timezone = peewee.TextField(default="UTC")
    locale = peewee.TextField(default="en")
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "users"


class SetupLink(Table):
    """The SHA-256 of a one-time set-up token; rows exist only until the first account exists (specification 13.1)."""

    token_hash = peewee.BlobField(primary_key=True)
    created_at = TimestampField()

    class Meta:
        table_name = "setup_links"


class Session(Table):
    """The session of a browser; only the SHA-256 of its cookie is stored. `proved_at` is the last authentication."""

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, backref="sessions", on_delete="CASCADE")
    user_id: UUID
    token_hash = peewee.BlobField(unique=True)
    created_at = TimestampField()
    last_seen_at = TimestampField()
    proved_at = TimestampField()
    address = peewee.TextField(default="")
    user_agent = peewee.TextField(default="")
    revoked_at = TimestampField(null=True)

    class Meta:
        table_name = "sessions"
