"""Addresses and browsers that recently signed in to an account (decision 0031)."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField, db
from inbox.models.people.accounts import User

RETENTION = timedelta(days=90)
"""The time for which a client is known after its last sign-in."""

MAX_PER_KIND = 10
"""The maximum number of clients of each kind per account. A new client replaces the one with the oldest sign-in."""


class ClientKind(StrEnum):
    """The kind of property by which a client is recognised."""

    ADDRESS = "address"
    """The network of a sign-in, for example a home network."""

    BROWSER = "browser"
    """A cookie of the browser that outlives its sessions, for example after a sign-out."""


class KnownClient(Table):
    """A client that signed in to an account; only the `digest` of its address or cookie is stored."""

    user = peewee.ForeignKeyField(User, on_delete="CASCADE")
    user_id: UUID
    kind = peewee.TextField()
    digest = peewee.BlobField()
    last_seen_at = TimestampField()

    class Meta:
        table_name = "known_clients"
        primary_key = peewee.CompositeKey("user", "kind", "digest")

    @classmethod
    def has(cls, user_id: UUID, kind: ClientKind, digest: bytes, now: datetime) -> bool:
        """Returns whether this client signed in to the account within `RETENTION`."""
        same_client = (cls.user == user_id) & (cls.kind == str(kind)) & (cls.digest == digest)
        return bool(cls.select().where(same_client, cls.last_seen_at > now - RETENTION).exists())

    @classmethod
    def record(cls, user_id: UUID, kind: ClientKind, digest: bytes, now: datetime) -> None:
        """Records a sign-in of the client, in the caller's transaction; deletes older clients beyond `MAX_PER_KIND`."""
        db.execute_sql(
            "INSERT INTO known_clients AS k (user_id, kind, digest, last_seen_at) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (user_id, kind, digest) DO UPDATE"
            " SET last_seen_at = greatest(k.last_seen_at, EXCLUDED.last_seen_at)",
            (user_id, str(kind), digest, now),
        )
        db.execute_sql(
            "DELETE FROM known_clients k USING (SELECT digest FROM known_clients WHERE user_id = %s AND kind = %s"
            " ORDER BY last_seen_at DESC, digest OFFSET %s FOR UPDATE SKIP LOCKED) old"
            " WHERE k.user_id = %s AND k.kind = %s AND k.digest = old.digest",
            (user_id, str(kind), MAX_PER_KIND, user_id, str(kind)),
        )
