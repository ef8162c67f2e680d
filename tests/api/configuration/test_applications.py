"""An application is bounded in time, and a file keeps its records under its name (specification 24.2)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inbox.api.configuration.files import FilesRefused
from inbox.database.base import db
from inbox.models.records.kept import KeptRecord
from inbox.models.routing.rules import Rule
from inbox.services.routing import rules
from tests.api.configuration.test_plans import (
    BEGINNING,
    RULES,
    file,  # noqa: F401
    rule,
)
from tests.api.configuration.workspaces import run
from tests.cast import Cast


def test_an_application_that_takes_too_long_stores_nothing(cast: Cast, file: Path) -> None:
    file.write_text(BEGINNING + RULES + rule("a") + rule("b"))

    with pytest.raises(FilesRefused, match="acme.yaml:7: rules.b: The application takes longer than 60 seconds"):
        run(cast.workspace, file, clock=iter([0, 60, 60.001]).__next__)
    assert Rule.select().count() == 0

    assert run(cast.workspace, file, clock=iter([0, 60, 60]).__next__).summary == "2 to create."


def test_a_link_to_a_file_keeps_records_under_its_own_name(cast: Cast, file: Path, tmp_path: Path) -> None:
    (tmp_path / "version-1.yaml").write_text(BEGINNING + RULES + rule("a"))
    file.symlink_to(tmp_path / "version-1.yaml")
    run(cast.workspace, file)
    file.unlink()
    (tmp_path / "version-2.yaml").write_text(BEGINNING + RULES + rule("b"))
    file.symlink_to(tmp_path / "version-2.yaml")

    assert run(cast.workspace, file).summary == "1 to create, 1 to delete."


def test_the_files_of_a_directory_keep_their_records_together(cast: Cast, tmp_path: Path) -> None:
    place = tmp_path / "acme"
    place.mkdir()
    (place / "a.yaml").write_text(BEGINNING + RULES + rule("a"))
    (place / "b.yaml").write_text(BEGINNING + RULES + rule("b"))
    first = run(cast.workspace, place)
    (place / "a.yaml").write_text(BEGINNING)
    (place / "b.yaml").write_text(BEGINNING + RULES + rule("a"))

    second = run(cast.workspace, place)

    assert first.summary == "2 to create."
    assert [(each.act, each.key) for each in second.changes] == [("delete", "b")]
    assert [(each.key, each.file) for each in KeptRecord.select()] == [("a", "acme/b.yaml")]


def test_a_file_changes_no_record_of_another_workspace(cast: Cast, file: Path) -> None:
    file.write_text(BEGINNING + RULES + rule("a"))
    run(cast.foreign, file)

    assert run(cast.workspace, file).summary == "1 to create."
    file.write_text(BEGINNING)
    assert run(cast.workspace, file, prune=True).summary == "1 to delete."
    assert [each.workspace_id for each in rules.existing([cast.workspace.id, cast.foreign.id])] == [cast.foreign.id]


def test_two_applications_at_the_same_time_create_nothing_twice(cast: Cast, file: Path) -> None:
    file.write_text(BEGINNING + RULES + "".join(rule(f"r{number}") for number in range(20)))

    def applied() -> str:
        with db.connection_context():
            return run(cast.workspace, file).summary

    with ThreadPoolExecutor(2) as pool:
        summaries = [each.result() for each in (pool.submit(applied), pool.submit(applied))]

    assert sorted(summaries) == ["20 to create.", "Nothing to change."]
    assert rules.existing([cast.workspace.id]).count() == 20
