"""Authentication factors besides the password: authenticator apps, recovery codes, passkeys, identities of providers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField

from inbox.database.base import Table, TimestampField, db
from inbox.models.people.accounts import User


class TotpFactor(Table):
    """The secret of a person's authenticator app, sealed for (`totp_factors`, user, user, `sealed`).

    The factor is active from `confirmed_at` on. `last_step` is the step of the newest accepted code: older codes are
    refused.
    """

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    user_id: UUID
    sealed = peewee.BlobField()
    last_step = peewee.BigIntegerField(default=0)
    created_at = TimestampField()
    confirmed_at = TimestampField(null=True)

    class Meta:
        table_name = "totp_factors"

    @classmethod
    def consume_code(cls, user_id: UUID, step: int) -> bool:
        """Accepts the code of this step; only one of several concurrent calls succeeds.

        Returns False if it, or a later code, was already used.
        """
        updated = cls.update(last_step=step).where(cls.user == user_id, cls.last_step < step).execute()
        return bool(updated)


class RecoveryCode(Table):
    """The hash of a code that replaces the app once (`identity.recovery`)."""

    user = peewee.ForeignKeyField(User, backref="recovery_codes", on_delete="CASCADE")
    user_id: UUID
    hash = peewee.BlobField()
    used_at = TimestampField(null=True)

    class Meta:
        table_name = "recovery_codes"
        primary_key = peewee.CompositeKey("user", "hash")

    @classmethod
    def consume(cls, user_id: UUID, code_hash: bytes, now: datetime) -> bool:
        """Uses the code. Returns False if it does not exist or was already used."""
        unused = (cls.user == user_id) & (cls.hash == code_hash) & cls.used_at.is_null()
        return bool(cls.update(used_at=now).where(unused).execute())

    @classmethod
    def replace_all(cls, user_id: UUID, hashes: Sequence[bytes]) -> None:
        """Replaces the person's codes by these."""
        cls.delete().where(cls.user == user_id).execute()
        cls.insert_many([{"user": user_id, "hash": each} for each in hashes]).execute()


class Passkey(Table):
    """A public key whose private key is in an authenticator; `sign_count` is the highest count that it reported."""

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, backref="passkeys", on_delete="CASCADE")
    user_id: UUID
    credential_id = peewee.BlobField(unique=True)
    public_key = peewee.BlobField()
    sign_count = peewee.BigIntegerField()
    transports = ArrayField(peewee.TextField, default=list, index=False)
    name = peewee.TextField()
    created_at = TimestampField()
    last_used_at = TimestampField(null=True)

    class Meta:
        table_name = "passkeys"

    @classmethod
    def record_use(cls, passkey_id: UUID, sign_count: int, now: datetime) -> bool:
        """Records a use. Returns False if this count or a higher one was already recorded, which indicates a copied key."""
        is_new = cls.sign_count < sign_count if sign_count else cls.sign_count == 0
        used = cls.update(sign_count=sign_count, last_used_at=now).where(cls.id == passkey_id, is_new).execute()
        return bool(used)


class Identity(Table):
    """A person's account at an identity provider. `subject` is the provider's id of the person, `email` is only for
    display."""

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, backref="identities", on_delete="CASCADE")
    user_id: UUID
    provider = peewee.TextField()
    subject = peewee.TextField()
    email = peewee.TextField(null=True)
    created_at = TimestampField()
    last_used_at = TimestampField(null=True)

    class Meta:
        table_name = "identities"
        indexes = ((("provider", "subject"), True),)


class UsedTicket(Table):
    """The digest of a used signed ticket, stored until the ticket expires (`identity.tickets`)."""

    digest = peewee.BlobField(primary_key=True)
    expires_at = TimestampField()

    class Meta:
        table_name = "consumed_tokens"

    @classmethod
    def consume(cls, digest: bytes, expires_at: datetime) -> bool:
        """Uses the ticket in the caller's transaction; returns False if it was already used."""
        statement = "INSERT INTO consumed_tokens (digest, expires_at) VALUES (%s, %s) ON CONFLICT DO NOTHING"
        return bool(db.execute_sql(statement, (digest, expires_at)).rowcount)


HAS_REQUIRED_FACTOR = """(NOT w.settings @> '{"requireMfa": true}'
       OR EXISTS (SELECT FROM totp_factors f WHERE f.user_id = m.user_id AND f.confirmed_at IS NOT NULL)
       OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = m.user_id))"""
"""A condition of SQL: the member `m` has the second factor that the workspace `w` may require."""


def requiring_mfa(user_id: UUID, workspace_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Returns the workspaces that require a second factor of their members, if this person has none.

    Specification 12.3.
    """
    found = db.execute_sql(
        "SELECT id FROM workspaces WHERE id = ANY(%(ids)s::uuid[]) AND settings @> '{\"requireMfa\": true}'"
        " AND NOT EXISTS (SELECT FROM totp_factors WHERE user_id = %(user)s AND confirmed_at IS NOT NULL)"
        " AND NOT EXISTS (SELECT FROM passkeys WHERE user_id = %(user)s)",
        {"ids": list(workspace_ids), "user": user_id},
    ).fetchall()
    return frozenset(row[0] for row in found)
