"""Removes an import that was begun and shall not be completed (specification 12.12)."""

from __future__ import annotations

import time
from collections import Counter

from inbox.flow.upkeep import purge
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces.imports.export_file import ImportRefused

TRIES, PAUSE_SECONDS = 100, 0.1

ENDED = "This file was imported completely. Delete the workspace in its settings."
LOCKED = "Other transactions lock rows of the workspace. Try again."


def discard(run: WorkspaceImport) -> dict[str, int]:
    """Removes all rows of an import; returns their number by table. A later call goes on where one was stopped.

    1. The import is marked, so that no process continues it. This is committed first.
    2. Its workspace, which was closed all the time, is removed like a deleted one. The mark is removed with it.

    Raises `ImportRefused` for an import that has ended, and when rows stay locked by others.
    """
    if not run.discard():
        raise ImportRefused(ENDED)
    removed: Counter[str] = Counter()
    for _ in range(TRIES):
        removed.update(purge.remove_workspace(run.workspace_id))
        if not Workspace.select().where(Workspace.id == run.workspace_id).exists():
            return dict(removed)
        time.sleep(PAUSE_SECONDS)
    raise ImportRefused(LOCKED)
