"""The removal of an import that was begun: no process completes it meanwhile (specification 12.12)."""

from __future__ import annotations

from pathlib import Path

import pytest

from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces.imports import discarding, run
from inbox.services.workspaces.imports.export_file import ExportFile, ImportRefused
from tests.cast import Cast, present
from tests.services.workspaces.imports.lived_in import live_in
from tests.services.workspaces.imports.moved import begun, exported, imported, on_another_instance


@pytest.mark.parametrize("has_history", [True, False])
def test_an_importing_process_neither_stores_a_batch_nor_opens_a_discarded_workspace(
    cast: Cast, tmp_path: Path, has_history: bool
) -> None:
    if has_history:
        live_in(cast)
    file = exported(cast.workspace, tmp_path / "acme.json")
    on_another_instance("olga@example.org")
    importing = begun(file)
    WorkspaceImport.get().discard()

    with pytest.raises(ImportRefused):
        run.proceed(importing, file)

    assert Workspace.get().deleted_at is not None
    assert WorkspaceImport.get().is_discarded
    assert discarding.discard(WorkspaceImport.get())["workspaces"] == 1
    assert (Workspace.select().count(), WorkspaceImport.select().count()) == (0, 0)


def test_a_completed_import_is_not_discarded(cast: Cast, tmp_path: Path) -> None:
    live_in(cast)
    file = exported(cast.workspace, tmp_path / "acme.json")
    on_another_instance("olga@example.org")
    workspace = imported(ExportFile(file.path))

    with pytest.raises(ImportRefused, match="Delete the workspace in its settings"):
        discarding.discard(WorkspaceImport.get())

    assert Workspace.get(Workspace.id == workspace.id).deleted_at is None
    assert not WorkspaceImport.get().finish(present())
