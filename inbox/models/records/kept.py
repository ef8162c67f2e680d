"""The records that files keep: configuration as code (specification 24)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField
from inbox.models.workspaces.tables import Workspace

AT_ONCE = 500
"""The maximum number of rows of one statement."""


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
    typeid: str

    class Meta:
        table_name = "kept_records"
        primary_key = peewee.CompositeKey("workspace", "record_type", "key")


def of_workspace(workspace_id: UUID) -> list[KeptRecord]:
    """Returns the records of a workspace that files keep, also those that were deleted by hand since."""
    return list(KeptRecord.select().where(KeptRecord.workspace == workspace_id))


def store(rows: Sequence[Mapping[str, Any]]) -> None:
    """Stores that files keep these records, each in the place of the former record of its key."""
    for first in range(0, len(rows), AT_ONCE):
        KeptRecord.insert_many(rows[first : first + AT_ONCE]).on_conflict(
            conflict_target=[KeptRecord.workspace, KeptRecord.record_type, KeptRecord.key],
            preserve=[KeptRecord.record_id, KeptRecord.file, KeptRecord.applied, KeptRecord.applied_at],
        ).execute()


def remove(workspace_id: UUID, record_type: str, key: str) -> None:
    """Removes the entry of a record that no file keeps. The record stays."""
    KeptRecord.delete().where(
        KeptRecord.workspace == workspace_id, KeptRecord.record_type == record_type, KeptRecord.key == key
    ).execute()


def selected(workspace_id: UUID, record_id: UUID | None = None, record_type: str | None = None) -> peewee.ModelSelect:
    """Selects the entries of a workspace: all of them, the one of a record, or the ones of a type of record."""
    found = KeptRecord.select().where(KeptRecord.workspace == workspace_id)
    if record_id is not None:
        found = found.where(KeptRecord.record_id == record_id)
    return found if record_type is None else found.where(KeptRecord.record_type == record_type)
