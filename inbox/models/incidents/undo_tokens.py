"""Undo tokens: for each act and incident, the values before and after it, for ten seconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField


class UndoTokenRow(Table):
    """An act of a person on one incident; the rows of one request share the id. `changed` as in `domain.incidents.undo`.

    `used_at` is the time of the undo, or None.
    """

    id = peewee.UUIDField()
    incident_id = peewee.UUIDField()
    user_id = peewee.UUIDField()
    act = peewee.TextField()
    changed = BinaryJSONField(index=False)
    expires_at = TimestampField()
    used_at = TimestampField(null=True)

    class Meta:
        table_name = "undo_tokens"
        primary_key = peewee.CompositeKey("id", "incident_id")


def save(
    undo_id: UUID, incident_id: UUID, user_id: UUID, act: str, changed: Mapping[str, Any], expires_at: datetime
) -> None:
    """Stores the changes of an act, in the transaction of the act."""
    UndoTokenRow.insert(
        id=undo_id, incident_id=incident_id, user_id=user_id, act=act, changed=changed, expires_at=expires_at
    ).execute()


def find(undo_id: UUID, user_id: UUID) -> list[UndoTokenRow]:
    """Returns the changes of this person's request, in the order of the incidents' ids; none for another person."""
    return list(
        UndoTokenRow.select()
        .where(UndoTokenRow.id == undo_id, UndoTokenRow.user_id == user_id)
        .order_by(UndoTokenRow.incident_id)
    )


def mark_used(undo_id: UUID, incident_id: UUID, now: datetime) -> bool:
    """Marks the token as used, in the transaction of the undo; returns False when it was already used."""
    own = (UndoTokenRow.id == undo_id) & (UndoTokenRow.incident_id == incident_id)
    return bool(UndoTokenRow.update(used_at=now).where(own, UndoTokenRow.used_at.is_null()).execute())
