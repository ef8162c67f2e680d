"""One-time links that are sent to an address: account links and invites (specification 11.8, 12.4)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField
from psycopg2.extras import Json

from inbox.database.base import Table, TimestampField, db, new_id
from inbox.models.people.accounts import User
from inbox.models.workspaces.tables import Workspace


class Purpose(StrEnum):
    """The purpose of a link; a link serves no other purpose."""

    PASSWORD_RESET = "password_reset"
    EMAIL_CHANGE = "email_change"
    VERIFY_EMAIL = "verify_email"


class Link(Table):
    """The SHA-256 of an account link's token. `payload` holds the data of the link's action, never a secret in clear.

    The link of a sign-up has no `user` yet. When it is opened, the account is created from `email`, `emailKey`, `name`
    and `passwordHash` of its payload. The payload of a change of address holds `email`.
    """

    id = peewee.UUIDField(primary_key=True)
    purpose = peewee.TextField()
    token_hash = peewee.BlobField(unique=True)
    user = peewee.ForeignKeyField(User, backref="links", null=True, on_delete="CASCADE")
    user_id: UUID | None
    payload = BinaryJSONField(default=dict, index=False)
    created_at = TimestampField()
    expires_at = TimestampField()
    used_at = TimestampField(null=True)

    class Meta:
        table_name = "links"

    @classmethod
    def replace(
        cls,
        purpose: Purpose,
        token_hash: bytes,
        user_id: UUID,
        now: datetime,
        until: datetime,
        payload: Mapping[str, str],
    ) -> None:
        """Creates a link of this person. For an unknown or disabled person, the same statement creates no link."""
        db.execute_sql(
            "INSERT INTO links (id, purpose, token_hash, user_id, payload, created_at, expires_at)"
            " SELECT %s, %s, %s, id, %s::jsonb, %s, %s FROM users WHERE id = %s AND disabled_at IS NULL AND deleted_at IS NULL",
            (new_id(now), str(purpose), token_hash, Json(dict(payload)), now, until, user_id),
        )

    @classmethod
    def create_sign_up(
        cls, token_hash: bytes, now: datetime, until: datetime, payload: Mapping[str, str | None]
    ) -> None:
        """Creates the link of a sign-up. For an address with an account, the same statement creates no link.

        The statement also creates no link before the first account exists. The set-up link creates the first account,
        which is the administrator's.
        """
        db.execute_sql(
            "INSERT INTO links (id, purpose, token_hash, payload, created_at, expires_at)"
            " SELECT %s, %s, %s, %s::jsonb, %s, %s WHERE EXISTS (SELECT FROM users)"
            " AND NOT EXISTS (SELECT FROM users WHERE email_key = %s)",
            (new_id(now), str(Purpose.VERIFY_EMAIL), token_hash, Json(dict(payload)), now, until, payload["emailKey"]),
        )

    @classmethod
    def find_valid(
        cls, purpose: Purpose, token_hash: bytes, now: datetime
    ) -> tuple[UUID | None, dict[str, Any]] | None:
        """Returns the person and the payload of the link, without using it; None for any invalid link."""
        return _first(
            "SELECT user_id, payload FROM links WHERE token_hash = %(hash)s AND purpose = %(purpose)s"
            " AND used_at IS NULL AND expires_at > %(now)s",
            {"now": now, "hash": token_hash, "purpose": str(purpose)},
        )

    @classmethod
    def consume(cls, purpose: Purpose, token_hash: bytes, now: datetime) -> tuple[UUID | None, dict[str, Any]] | None:
        """Uses the link and returns its person and payload; None for any invalid link.

        Only one of several concurrent calls succeeds.
        """
        return _first(
            "UPDATE links SET used_at = %(now)s WHERE token_hash = %(hash)s AND purpose = %(purpose)s"
            " AND used_at IS NULL AND expires_at > %(now)s RETURNING user_id, payload",
            {"now": now, "hash": token_hash, "purpose": str(purpose)},
        )

    @classmethod
    def revoke(cls, user_id: UUID, purpose: Purpose, now: datetime) -> None:
        """Ends the person's earlier links for this purpose: a new one replaces them."""
        unused = (cls.user == user_id) & (cls.purpose == str(purpose)) & cls.used_at.is_null()
        cls.update(used_at=now).where(unused).execute()

    @classmethod
    def revoke_all(cls, user_id: UUID, now: datetime) -> None:
        """Ends all links of the person: they must not outlive a later event."""
        cls.update(used_at=now).where(cls.user == user_id, cls.used_at.is_null()).execute()

    @classmethod
    def pending_password_hash(cls, email_key: str, now: datetime) -> str | None:
        """Returns the password hash of the pending sign-up with this address; None without one."""
        found = db.execute_sql(f"SELECT payload->>'passwordHash' FROM links WHERE {PENDING_SIGN_UP}", (email_key, now))
        row = found.fetchone()
        return None if row is None else row[0]

    @classmethod
    def revoke_sign_ups(cls, email_key: str, now: datetime) -> list[str | None]:
        """Ends the pending sign-ups with this address, one caller at a time; returns the hashes of their passwords."""
        # The lock is on the address, because a first sign-up has no row to lock. Of two concurrent sign-ups, the second
        # one waits here and then revokes the link of the first.
        db.execute_sql("SELECT pg_advisory_xact_lock(hashtextextended(%s, 2))", (email_key,))
        revoked = db.execute_sql(
            f"UPDATE links SET used_at = %s WHERE {PENDING_SIGN_UP} RETURNING payload->>'passwordHash'",
            (now, email_key, now),
        )
        return [row[0] for row in revoked.fetchall()]


PENDING_SIGN_UP = "user_id IS NULL AND payload->>'emailKey' = %s AND used_at IS NULL AND expires_at > %s"


def _first(statement: str, values: dict[str, Any]) -> tuple[UUID | None, dict[str, Any]] | None:
    row = db.execute_sql(statement, values).fetchone()
    return None if row is None else (row[0], row[1])


class Invite(Table):
    """An invite to a workspace; with an `email`, only that address may accept."""

    id = peewee.UUIDField(primary_key=True)
    workspace = peewee.ForeignKeyField(Workspace, backref="invites", on_delete="CASCADE")
    workspace_id: UUID
    token_hash = peewee.BlobField(unique=True)
    email = peewee.TextField(null=True)
    role = peewee.TextField()
    created_by = peewee.ForeignKeyField(User, column_name="created_by", null=True, on_delete="SET NULL")
    created_by_id: UUID | None
    created_at = TimestampField()
    expires_at = TimestampField()
    accepted_at = TimestampField(null=True)
    accepted_by = peewee.ForeignKeyField(User, column_name="accepted_by", null=True, on_delete="SET NULL")
    accepted_by_id: UUID | None
    deleted_at = TimestampField(null=True)

    class Meta:
        table_name = "invites"
