"""Exports, plans and applies files for `bin/inbox config` (specification 24)."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from cli.command import Failed
from cli.sources import workspace_named
from inbox.api.configuration import application, exports, files, yaml_documents
from inbox.api.configuration.application import Options
from inbox.api.configuration.files import FilesRefused
from inbox.api.configuration.plan import Plan
from inbox.domain.incidents.incident import Actor
from inbox.services.records import audit

HEAD = "# Configuration of the workspace {}. bin/inbox config plan shows what a change of this file changes.\n"


def export(options: argparse.Namespace) -> None:
    """Writes the configuration of a workspace to a new file, or to standard output."""
    workspace = workspace_named(options.workspace)
    text = HEAD.format(workspace.slug) + yaml_documents.write(exports.export(workspace.id))
    if options.file == "-":
        print(text, end="")
        return
    try:
        with Path(options.file).open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        raise Failed(f"{options.file} cannot be written: {fault.strerror}.") from None


def plan(options: argparse.Namespace) -> None:
    """Prints what the files would change."""
    _print(options, _changes(options, previews=True))
    if not options.json:
        print("Nothing was stored.")


def apply(options: argparse.Namespace) -> None:
    """Applies the files, and prints what changed."""
    audit.set_actor(Actor("system", "", f"bin/inbox config apply {files.name_of(Path(options.file))}"))
    _print(options, _changes(options, previews=False))


def _changes(options: argparse.Namespace, *, previews: bool) -> Plan:
    workspace, chosen = workspace_named(options.workspace), Options(options.environment, options.prune, previews)
    act = application.plan if previews else application.apply
    try:
        return act(workspace.id, files.read(Path(options.file)), chosen, datetime.now(UTC))
    except FilesRefused as refused:
        raise Failed(str(refused)) from None


def _print(options: argparse.Namespace, found: Plan) -> None:
    if options.json:
        changes = [each.record() for each in found.changes]
        document = {"changes": changes, "preview": found.preview, "summary": found.summary}
        json.dump(document, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print("\n".join(found.lines()))
