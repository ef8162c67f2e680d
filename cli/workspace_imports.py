"""`bin/inbox import workspace`: moves an exported workspace to this instance (specification 12.12)."""

from __future__ import annotations

import argparse
import csv
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cli.command import Failed
from inbox.api.configuration.import_checks import check
from inbox.domain.incidents.incident import Actor
from inbox.models.people.accounts import User
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.services.records import audit
from inbox.services.workspaces.imports import discarding, report, run, survey
from inbox.services.workspaces.imports.export_file import ExportFile, ImportRefused

DISCARD = "--discard --apply"


def import_workspace(options: argparse.Namespace) -> None:
    """Prints what the import would store, or imports the workspace. A stopped import goes on where it stopped."""
    audit.set_actor(Actor("system", "", "bin/inbox import workspace"))
    try:
        _import(options, ExportFile(Path(options.place)))
    except ImportRefused as refused:
        raise Failed(str(refused)) from None


def _import(options: argparse.Namespace, file: ExportFile) -> None:
    begun = run.earlier(file)
    if options.discard:
        _discard(options, begun)
        return
    if begun is not None:
        _proceed(options, begun, file)
        return
    owner, now = _owner(options.owner), datetime.now(UTC)
    found = survey.of_file(file)
    _write_ids(options.ids, found.new_ids)
    if not options.apply:
        planned = run.plan(found, owner, check, now)
        _print(options, report.of_plan(found, planned), report.lines_of_plan(found, planned))
        return
    started = run.start(found, owner, check, now)
    after = report.lines_of_plan(found, {}) if not options.json else []
    _proceed(options, started, file, [line for line in after if line.startswith(report.TO_DO)])


def _proceed(
    options: argparse.Namespace, begun: WorkspaceImport, file: ExportFile, to_do: list[str] | None = None
) -> None:
    slug = Workspace.get_by_id(begun.workspace_id).slug
    if begun.is_discarded:
        raise Failed(f"The import is being discarded. {DISCARD} completes that; then the file can be imported again.")
    if begun.finished_at is None and not options.apply:
        stopped = f"The import stopped before record {begun.record + 1:,} of {begun.section or 'the history'}."
        raise Failed(f"{stopped} --apply goes on, {DISCARD} removes what is stored.")
    if begun.finished_at is None:
        begun = run.proceed(begun, file)
        title = f"The workspace {slug} is imported."
    else:
        title = f"This file was imported on {begun.finished_at:%Y-%m-%d} as {slug}. Nothing was stored."
    _print(options, report.of_import(begun, slug), [title, *report.lines_of_counts(begun.counts), *(to_do or [])])


def _discard(options: argparse.Namespace, begun: WorkspaceImport | None) -> None:
    """Prints what a removal of the import would remove, or removes it."""
    if begun is None:
        raise Failed("This file is not imported: there is nothing to discard.")
    if begun.finished_at is not None:
        raise Failed(discarding.ENDED)
    slug = Workspace.get_by_id(begun.workspace_id).slug
    document = report.of_import(begun, slug)
    if not options.apply:
        title, end = f"An incomplete import is stored as {slug}:", f"Nothing was removed. {DISCARD} removes it."
        _print(options, document, [title, *report.lines_of_counts(begun.counts), end])
        return
    removed = discarding.discard(begun)
    title = f"The import as {slug} is removed: {sum(removed.values()):,} rows. The file can be imported again."
    _print(options, {**document, "removed": removed}, [title])


def _owner(email: str | None) -> User | None:
    if email is None:
        return None
    owner: User | None = User.get_or_none(User.email_key == email.casefold(), User.deleted_at.is_null())
    if owner is None:
        raise Failed(f"There is no account {email}.")
    return owner


def _write_ids(path: Path | None, rows: list[tuple[str, str]]) -> None:
    """Writes the table of new ids to a new file."""
    if path is None:
        return
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("id", "newId"))
            writer.writerows(rows)
    except OSError as fault:
        raise Failed(f"{path} cannot be written: {fault.strerror}.") from None


def _print(options: argparse.Namespace, document: dict[str, Any], lines: list[str]) -> None:
    print(json.dumps(document, indent=2, ensure_ascii=False) if options.json else "\n".join(lines))
