"""The records that imports created (specification 22.3)."""

from __future__ import annotations

from uuid import UUID

import peewee

from inbox.database.base import Table
from inbox.models.workspaces.tables import Workspace


class ImportedRecord(Table):
    """The record that an import created from an entry of another tool. `reference` names the entry."""

    workspace = peewee.ForeignKeyField(Workspace, on_delete="CASCADE")
    workspace_id: UUID
    reference = peewee.TextField()
    record_type = peewee.TextField()
    record_id = peewee.UUIDField()

    class Meta:
        table_name = "imported_records"
        primary_key = peewee.CompositeKey("workspace", "reference")
