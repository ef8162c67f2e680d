"""Contact methods and notification rules of people (specification 23.11)."""

from __future__ import annotations

from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.models.people.accounts import User


class ContactMethod(Table):
    """A further address by which a person is paged. It is used once its owner has confirmed it by a code.

    `provider_id` is the destination that reaches it; a mail needs none. `disabled_at`: the address refused messages.
    """

    id = peewee.UUIDField(primary_key=True)
    user = peewee.ForeignKeyField(User, on_delete="CASCADE")
    user_id: UUID
    kind = peewee.TextField()
    address = peewee.TextField()
    provider_id = peewee.UUIDField(null=True)
    code_hash = peewee.BlobField(null=True)
    code_expires_at = TimestampField(null=True)
    wrong_tries = peewee.SmallIntegerField(default=0)
    confirmed_at = TimestampField(null=True)
    disabled_at = TimestampField(null=True)
    created_at = TimestampField()

    class Meta:
        table_name = "contact_methods"


class StoredNotificationRules(Table):
    """The notification rules that a person saved, in the shape of the API. A person without a row has none.

    `offered` are rules of another tool that an import offers. No page uses them.
    """

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    user_id: UUID
    rules = BinaryJSONField(index=False)
    rev = peewee.IntegerField(default=1)
    offered = BinaryJSONField(index=False, null=True)

    class Meta:
        table_name = "notification_rules"


def stored_rules(user_id: UUID) -> StoredNotificationRules | None:
    """Returns the row of a person, or None."""
    found: StoredNotificationRules | None = StoredNotificationRules.get_or_none(StoredNotificationRules.user == user_id)
    return found
