"""Preferences of a person for the dashboard (specification 11.9)."""

from __future__ import annotations

from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table
from inbox.models.people.accounts import User


class UserPreferences(Table):
    """The preferences that a person changed, in the shape of the API. A person without a row has the defaults."""

    user = peewee.ForeignKeyField(User, primary_key=True, on_delete="CASCADE")
    user_id: UUID
    preferences = BinaryJSONField(index=False)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "user_preferences"


def stored(user_id: UUID) -> UserPreferences | None:
    """Returns the row of a person, or None."""
    found: UserPreferences | None = UserPreferences.get_or_none(UserPreferences.user == user_id)
    return found
