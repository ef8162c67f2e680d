"""Files give a workspace the configuration of another one (specification 24.1)."""

from __future__ import annotations

from pathlib import Path

from inbox.api.configuration import application
from inbox.api.configuration.plan import Act
from inbox.models.insight.views import SavedView
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.rules import Rule
from inbox.models.workspaces.tables import Workspace
from tests.api.configuration.workspaces import SECRET, exported, furnish, run
from tests.cast import Cast, join, make_workspace


def _copy(cast: Cast) -> Workspace:
    copy = make_workspace("Copy", olga=cast.users["olga"])
    join(copy, cast.users["mia"], "member")
    return copy


def test_an_applied_export_is_exported_equal_byte_for_byte(cast: Cast, tmp_path: Path) -> None:
    furnish(cast)
    text = exported(cast.workspace)
    file = tmp_path / "acme.yaml"
    file.write_text(text)
    copy = _copy(cast)

    applied = run(copy, file)

    assert exported(copy) == text
    assert {each.act for each in applied.changes} == {"create", "change"}
    assert Rule.select().where(Rule.workspace_id == copy.id).count() == 2
    assert SavedView.get(SavedView.workspace_id == copy.id).user_id is None
    assert SECRET not in text and "0123456789abcdef" not in text


def test_a_second_application_changes_nothing(cast: Cast, tmp_path: Path) -> None:
    furnish(cast)
    file = tmp_path / "acme.yaml"
    file.write_text(exported(cast.workspace))
    copy = _copy(cast)
    run(copy, file)
    before = (AuditEntry.select().count(), Workspace.get_by_id(copy.id).rev)

    again = run(copy, file)

    assert again.changes == []
    assert (AuditEntry.select().count(), Workspace.get_by_id(copy.id).rev) == before


def test_an_export_that_is_applied_to_its_own_workspace_adopts_every_record(cast: Cast, tmp_path: Path) -> None:
    furnish(cast)
    file = tmp_path / "acme.yaml"
    file.write_text(exported(cast.workspace))

    applied = run(cast.workspace, file)

    assert {each.act for each in applied.changes} == {"adopt"}
    assert exported(cast.workspace) == file.read_text()


def test_a_plan_stores_nothing(cast: Cast, tmp_path: Path) -> None:
    furnish(cast)
    file = tmp_path / "acme.yaml"
    file.write_text(exported(cast.workspace))
    copy = _copy(cast)

    planned = run(copy, file, application.plan, previews=True)

    assert planned.count(Act.CREATE) == 9
    assert Rule.select().where(Rule.workspace_id == copy.id).count() == 0
    assert planned.preview is not None
