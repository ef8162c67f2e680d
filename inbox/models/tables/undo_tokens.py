"""What can still be taken back: for each act and incident the values from before and after it, for ten seconds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.models.sql.base import Table, TimestampField


class UndoTokenRow(Table):
    """An act of a person on one incident; those of one request share the id. `changed` as in `domain.undo`.

    `used_at` is when it was taken back; None: it was not.
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
    """Keep what an act changed, in the transaction of the act."""
    UndoTokenRow.insert(
        id=undo_id, incident_id=incident_id, user_id=user_id, act=act, changed=changed, expires_at=expires_at
    ).execute()


def find(undo_id: UUID, user_id: UUID) -> list[UndoTokenRow]:
    """What one request of this person changed, in the order of the incidents' ids; nothing for anybody else."""
    return list(
        UndoTokenRow.select()
        .where(UndoTokenRow.id == undo_id, UndoTokenRow.user_id == user_id)
        .order_by(UndoTokenRow.incident_id)
    )


def mark_used(undo_id: UUID, incident_id: UUID, now: datetime) -> bool:
    """Note that it is taken back, in the transaction that does it; False when it was already."""
    own = (UndoTokenRow.id == undo_id) & (UndoTokenRow.incident_id == incident_id)
    return bool(UndoTokenRow.update(used_at=now).where(own, UndoTokenRow.used_at.is_null()).execute())
