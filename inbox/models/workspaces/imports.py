"""Imports of exported workspaces: their progress, and the rows that they insert (specification 12.12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

import peewee
from playhouse.postgres_ext import BinaryJSONField

from inbox.database.base import Table, TimestampField, db
from inbox.database.bulk_sql import array_literal
from inbox.models.workspaces.tables import Workspace

DISCARDED = -1
"""The position of an import that is being removed."""


class WorkspaceImport(Table):
    """The import of one file: `digest` is its SHA-256, and `origin_id` the workspace that it was exported from.

    `position` is the offset of the next record in the file, which belongs to `section` with the number `record`. A batch
    is stored in one transaction with its position. A negative position says that the import is being discarded. `new_ids`
    are the ids that other records had, 16 bytes each. `counts` has the numbers of records by section.
    """

    workspace = peewee.ForeignKeyField(Workspace, primary_key=True, on_delete="CASCADE")
    workspace_id: UUID
    digest = peewee.BlobField(unique=True)
    origin_id = peewee.UUIDField()
    position = peewee.BigIntegerField()
    section = peewee.TextField()
    record = peewee.BigIntegerField(default=0)
    new_ids = peewee.BlobField()
    copies_events = peewee.BooleanField()
    counts = BinaryJSONField(default=dict, index=False)
    started_at = TimestampField()
    finished_at = TimestampField(null=True)

    class Meta:
        table_name = "workspace_imports"

    @property
    def is_discarded(self) -> bool:
        """Whether the import is being removed, so that it cannot go on."""
        return self.position == DISCARDED

    def discard(self) -> bool:
        """Stops the import for ever. Returns False when it has ended. A process that imports fails at its next batch."""
        unfinished = (WorkspaceImport.workspace == self.workspace_id) & WorkspaceImport.finished_at.is_null()
        changed = WorkspaceImport.update(position=DISCARDED).where(unfinished).execute()
        return bool(changed)

    def finish(self, now: datetime) -> bool:
        """Stores the end of the import. Returns False when it has ended before, or is discarded."""
        going_on = WorkspaceImport.finished_at.is_null() & (WorkspaceImport.position != DISCARDED)
        ended = WorkspaceImport.update(finished_at=now).where(WorkspaceImport.workspace == self.workspace_id, going_on)
        return bool(ended.execute())

    def advance(self, position: int, section: str, record: int) -> bool:
        """Stores the next position. Returns False when another process has advanced the import."""
        at_old = (WorkspaceImport.workspace == self.workspace_id) & (WorkspaceImport.position == self.position)
        changes = {"position": position, "section": section, "record": record, "counts": self.counts}
        changed = WorkspaceImport.update(changes).where(at_old, WorkspaceImport.finished_at.is_null()).execute()
        self.position, self.section, self.record = position, section, record
        return bool(changed)


def taken(table: str, ids: Sequence[UUID]) -> set[UUID]:
    """Returns the ids among these that rows of any workspace have."""
    found = db.execute_sql(f"SELECT id FROM {table} WHERE id = ANY(%s::uuid[])", (array_literal(ids, unquoted=True),))
    return {row[0] for row in found.fetchall()}


def existing(table: str, workspace_id: UUID, ids: Iterable[UUID]) -> set[UUID]:
    """Returns the ids among these that rows of the workspace have."""
    sql = f"SELECT id FROM {table} WHERE workspace_id = %s AND id = ANY(%s::uuid[])"
    found = db.execute_sql(sql, (workspace_id, array_literal(list(ids), unquoted=True)))
    return {row[0] for row in found.fetchall()}


def set_last_entries(rows: Sequence[tuple[UUID, str]]) -> None:
    """Raises the time of the last timeline entry of incidents. A row has an incident and a time."""
    _raise("last_entry_at", "timestamptz", rows)


def set_notice_counts(rows: Sequence[tuple[UUID, int]]) -> None:
    """Raises the number of notices of incidents. A row has an incident and the number of one of its notices."""
    _raise("notice_count", "integer", rows)


def _raise(column: str, sql_type: str, rows: Sequence[tuple[UUID, object]]) -> None:
    ids, values = (array_literal(each, unquoted=True) for each in zip(*rows, strict=True)) if rows else ("{}", "{}")
    db.execute_sql(
        f"UPDATE incidents i SET {column} = greatest(i.{column}, x.value) FROM (SELECT id, max(value) AS value"
        f" FROM unnest(%s::uuid[], %s::{sql_type}[]) AS r (id, value) GROUP BY id) x WHERE i.id = x.id",
        (ids, values),
    )
