"""Shared by sources, rules, routing profiles and silences: their rows, revisions and audit entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

import peewee

from inbox.database.base import Table
from inbox.domain.values.refusals import Conflict, NotFound, check_rev
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.unit_of_work import AfterCommit
from inbox.services.records import audit

Row = TypeVar("Row", bound=Table)


@dataclass(frozen=True, slots=True)
class Resource(Generic[Row]):
    """A table whose rows belong to a workspace, have a revision, and are marked when they are deleted.

    `type` is its name in the audit log and the change feed. `title` is the name of a row in the audit log.
    """

    table: type[Row]
    type: str
    title: Callable[[Any], str] = lambda row: str(row.name)

    def existing(self, workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
        """Select the rows of these workspaces that are not deleted."""
        table: Any = self.table
        return table.select().where(table.workspace_id.in_(list(workspace_ids)), table.deleted_at.is_null())

    def find(self, id: UUID) -> Row | None:
        """Return the row, or None when it is unknown or deleted. The endpoint checks the access."""
        table: Any = self.table
        found: Row | None = table.select().where(table.id == id, table.deleted_at.is_null()).first()
        return found

    def deleted(self, workspace_ids: Sequence[UUID]) -> peewee.ModelSelect:
        """Select the deleted rows of these workspaces that the purge has not removed."""
        table: Any = self.table
        return table.select().where(table.workspace_id.in_(list(workspace_ids)), table.deleted_at.is_null(False))

    def find_any(self, id: UUID) -> Row | None:
        """Return the row, deleted or not. The endpoint checks the access."""
        found: Row | None = self.table.get_or_none(id=id)
        return found

    def lock_deleted(self, known: Row) -> Row:
        """Lock a deleted row. Raises `Conflict` when it is not deleted, and `NotFound` when it was purged meanwhile."""
        locked: Any = self._same(known).for_update("FOR NO KEY UPDATE").first()
        if locked is None:
            raise NotFound
        if locked.deleted_at is None:
            raise Conflict("It is not deleted.")
        found: Row = locked
        return found

    def lock(self, known: Row, expected_rev: int | None) -> Row:
        """Lock the row. Raises `NotFound` when it was deleted meanwhile, and `RevMismatch`."""
        locked: Any = self._same(known).for_update("FOR NO KEY UPDATE").first()
        if locked is None or locked.deleted_at is not None:
            raise NotFound
        check_rev(locked.rev, expected_rev)
        found: Row = locked
        return found

    def save(self, row: Any, **changes: Any) -> None:
        """Save a locked row with these changes as its next revision."""
        for name, value in changes.items():
            setattr(row, name, value)
        row.rev += 1
        row.save()

    def note(self, action: AuditAction, row: Any, now: datetime, details: Mapping[str, Any] | None = None) -> None:
        """Write an entry of the audit log."""
        about = audit.target(self.type, row.id, self.title(row))
        audit.record(action, target=about, now=now, workspace_id=row.workspace_id, details=details)

    def publish(self, done: AfterCommit, row: Any, op: str = "changed") -> None:
        """Publish the change of a saved row."""
        done.publish_change(self.type, row.id, row.workspace_id, op=op, rev=row.rev)

    def _same(self, known: Any) -> Any:
        table: Any = self.table
        return table.select().where(table.workspace_id == known.workspace_id, table.id == known.id)
