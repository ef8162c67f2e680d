"""The records that files keep: configuration as code (specification 24)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.models.workspaces.tables import Workspace


class KeptRecord(Table):
    """A record that a file keeps under a key. `applied` is its document after the last application, without secrets."""

    workspace = peewee.ForeignKeyField(Workspace, on_delete="CASCADE")
    workspace_id: UUID
    record_type = peewee.TextField()
    key = peewee.TextField()
    record_id = peewee.UUIDField()
    file = peewee.TextField()
    applied = BinaryJSONField(index=False)
    applied_at = TimestampField()

    class Meta:
        table_name = "kept_records"
        primary_key = peewee.CompositeKey("workspace", "record_type", "key")


def of_workspace(workspace_id: UUID) -> list[KeptRecord]:
    """Returns the records of a workspace that files keep, also those that were deleted by hand since."""
    return list(KeptRecord.select().where(KeptRecord.workspace == workspace_id))


def store(workspace_id: UUID, record_type: str, key: str, values: dict[str, Any]) -> None:
    """Stores that a file keeps a record, in the place of the former record of the key."""
    KeptRecord.insert(workspace=workspace_id, record_type=record_type, key=key, **values).on_conflict(
        conflict_target=[KeptRecord.workspace, KeptRecord.record_type, KeptRecord.key], update=values
    ).execute()


def remove(workspace_id: UUID, record_type: str, key: str) -> None:
    """Removes the entry of a record that no file keeps. The record stays."""
    KeptRecord.delete().where(
        KeptRecord.workspace == workspace_id, KeptRecord.record_type == record_type, KeptRecord.key == key
    ).execute()


def of_record(record_id: UUID) -> KeptRecord | None:
    """Returns the entry of a record; None when no file keeps it."""
    found: KeptRecord | None = KeptRecord.get_or_none(KeptRecord.record_id == record_id)
    return found
