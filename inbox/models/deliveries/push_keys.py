"""The key pair that signs calls of push services."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.database.base import Table, TimestampField

PUSH_KEY_ID = UUID(int=1)


class PushKey(Table):
    """The one key pair of the instance. Browsers subscribe for the public key; only the private key is sealed."""

    id = peewee.UUIDField(primary_key=True)
    public_key = peewee.TextField()
    sealed = peewee.BlobField()
    created_at = TimestampField()

    class Meta:
        table_name = "push_keys"
