"""Exports a workspace to a file, and imports it into an instance that has only accounts."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson

from inbox.api.configuration.import_checks import check
from inbox.database.base import db
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.records.audit import ExportRun
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces import export
from inbox.services.workspaces.imports import run, survey
from inbox.services.workspaces.imports.export_file import ExportFile
from tests.cast import make_user, present
from tests.database.database_reset import empty_tables

Document = dict[str, Any]


def exported(workspace: Workspace, path: Path) -> ExportFile:
    """The export of the workspace as a file."""
    ExportRun.update(started_at=present() - timedelta(hours=1)).execute()
    owner = Member.get(Member.workspace == workspace)
    body = export.begin(workspace.id, owner.user_id, now=present())
    with path.open("wb") as file:
        file.writelines(body)
    return ExportFile(path)


def document_of(file: ExportFile) -> Document:
    """The whole document of a file."""
    found: Document = orjson.loads(file.path.read_bytes())
    return found


def on_another_instance(*addresses: str) -> None:
    """Empties the instance, as if it were another one, where people with these addresses have accounts."""
    db.connection().rollback()
    empty_tables()
    for address in addresses:
        make_user(address.partition("@")[0])
        User.update(email=address, email_key=address).where(User.name == address.partition("@")[0].title()).execute()


def begun(file: ExportFile, owner: User | None = None) -> WorkspaceImport:
    """The begun import of a file, without its history."""
    return run.start(survey.of_file(file), owner, check, present())


def imported(file: ExportFile, owner: User | None = None) -> Workspace:
    """The workspace that the import of a file makes."""
    found = run.proceed(begun(file, owner), file)
    workspace: Workspace = Workspace.get_by_id(found.workspace_id)
    return workspace
