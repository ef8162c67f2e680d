"""Stores which records a file keeps, with the document of each after the application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.api.configuration.adoption import Standing
from inbox.api.configuration.files import Entry, Files
from inbox.api.configuration.plan import Act, FieldChange, Plan, differences
from inbox.api.configuration.sections import Section
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import audit, kept_records

WORKSPACE = "workspace"
"""The type and the key of the workspace itself."""


@dataclass(slots=True)
class Entries:
    """The entries that an application stores at its end."""

    standing: Standing
    now: datetime
    rows: list[dict[str, Any]] = field(default_factory=list)

    def keep(self, entry: Entry, id: UUID, document: Mapping[str, Any]) -> None:
        """Adds that the file keeps the record, unless that is stored already."""
        before, file = self.standing.entry_of(entry), entry.file.name
        if before is None or (before.record_id, before.file, before.applied) != (id, file, document):
            self._add(entry.section.record_type, entry.key, id, file, document)

    def keep_workspace(self, file: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[FieldChange]:
        """Adds that the file keeps the workspace. Returns what people changed since the last application."""
        entry = self.standing.entries.get((WORKSPACE, WORKSPACE))
        if entry is None or (entry.file, entry.applied) != (file, after):
            self._add(WORKSPACE, WORKSPACE, self.standing.workspace_id, file, after)
        return differences(entry.applied, before) if entry is not None else []

    def _add(self, record_type: str, key: str, id: UUID, file: str, document: Mapping[str, Any]) -> None:
        self.rows.append(
            {
                "workspace": self.standing.workspace_id,
                "record_type": record_type,
                "key": key,
                "record_id": id,
                "file": file,
                "applied": dict(document),
                "applied_at": self.now,
            }
        )


def release_workspace(standing: Standing, file: str) -> None:
    """Removes the entry of the workspace when its file no longer has it. Its settings stay."""
    entry = standing.entries.get((WORKSPACE, WORKSPACE))
    if entry is not None and standing.is_own(entry):
        kept_records.release(standing.workspace_id, WORKSPACE, WORKSPACE)


def release(standing: Standing, section: Section, key: str) -> None:
    """Removes the entry of a record that is deleted."""
    kept_records.release(standing.workspace_id, section.record_type, key)


def release_gone(standing: Standing, section: Section, files: Files) -> None:
    """Removes the entries of records that people deleted and that the files no longer name."""
    named = {each.key for each in files.of(section)}
    for (record_type, key), entry in standing.entries.items():
        is_gone = record_type == section.record_type and entry.record_id not in standing.rows[section.name]
        if is_gone and key not in named and standing.is_own(entry):
            kept_records.release(standing.workspace_id, section.record_type, key)


def record_application(workspace_id: UUID, file: str, plan: Plan, now: datetime) -> None:
    """Writes the application to the audit log, beside the entry of each record that it changed."""
    if plan.changes:
        about = audit.target(WORKSPACE, workspace_id, Workspace.get_by_id(workspace_id).name)
        counts = {f"{act}": plan.count(act) for act in Act if plan.count(act)}
        details = {"file": file, **counts}
        audit.record("workspace.files_applied", target=about, now=now, workspace_id=workspace_id, details=details)
