"""`bin/inbox import workspace`: plans, imports, and goes on after it was killed (specification 12.12)."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from inbox.database.base import db, new_id
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.models.workspaces.imports import WorkspaceImport
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces.imports.export_file import ExportFile
from tests.cast import Cast, present
from tests.ops.conftest import Run
from tests.services.workspaces.imports.lived_in import live_in
from tests.services.workspaces.imports.moved import document_of, exported, on_another_instance

pytestmark = pytest.mark.slow

PEOPLE = ("olga@example.org", "adam@example.org", "mia@example.org", "vic@example.org")
ENTRIES = 20_000
PLACES = (0.05, 0.3, 0.6, 0.9)
"""The parts of the timeline after which the import is killed."""


@pytest.fixture
def file(cast: Cast, tmp_path: Path) -> ExportFile:
    """The export of a workspace in which people have worked."""
    live_in(cast)
    return exported(cast.workspace, tmp_path / "acme.json")


def test_a_plan_is_shown_and_the_import_made_once(inbox: Run, file: ExportFile, tmp_path: Path) -> None:
    on_another_instance(*PEOPLE)
    place = str(file.path)

    planned = inbox("import", "workspace", place)
    applied = inbox("import", "workspace", place, "--apply")
    again = inbox("import", "workspace", place, "--apply", "--json")

    assert planned.returncode == 0, planned.stderr
    assert "Workspace “Acme”" in planned.stdout and "To do: Create a key for the source “Prometheus”." in planned.stdout
    assert planned.stdout.endswith("Nothing was stored. --apply imports the workspace.\n")
    assert applied.returncode == 0, applied.stderr
    assert applied.stdout.startswith("The workspace acme is imported.\n")
    assert "1 left out: older than the retention" in applied.stdout
    assert json.loads(again.stdout)["counts"]["incidents"]["stored"] == 6
    assert (Workspace.select().count(), Incident.select().count()) == (1, 6)


def test_new_ids_are_shown_and_written_to_a_file(inbox: Run, file: ExportFile, tmp_path: Path) -> None:
    table = tmp_path / "ids.csv"

    planned = inbox("import", "workspace", str(file.path), "--ids", str(table), "--json")

    rows = list(csv.DictReader(table.open()))
    assert planned.returncode == 0, planned.stderr
    assert rows == json.loads(planned.stdout)["newIds"]
    assert {each["id"] for each in document_of(file)["incidents"]} <= {each["id"] for each in rows}


def test_a_refusal_is_one_sentence(inbox: Run, file: ExportFile) -> None:
    file.path.write_bytes(file.path.read_bytes()[:-20])

    refused = inbox("import", "workspace", str(file.path), "--apply")
    missing = inbox("import", "workspace", "/nowhere.json")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "The file ends before the end of the export. Export the workspace again.\n"
    assert missing.stderr == "/nowhere.json cannot be read: No such file or directory.\n"


def test_an_import_that_was_killed_goes_on_and_makes_nothing_twice(
    inbox: Run, beside: dict[str, str], cast: Cast, tmp_path: Path
) -> None:
    incident = live_in(cast)["open"]
    _write_timeline(incident)
    file = exported(cast.workspace, tmp_path / "acme.json")
    before = document_of(file)
    on_another_instance(*PEOPLE)

    reached = [_killed_at(part, file, beside) for part in PLACES]
    stopped = inbox("import", "workspace", str(file.path))
    closed = Workspace.get().deleted_at
    completed = inbox("import", "workspace", str(file.path), "--apply")

    assert reached == sorted(set(reached)) and 0 < reached[0]
    assert stopped.returncode == 1 and "of timeline. --apply goes on, " in stopped.stderr and closed is not None
    assert completed.returncode == 0, completed.stderr
    after = document_of(exported(Workspace.get(), tmp_path / "after.json"))
    old = next(each["id"] for each in before["incidents"] if each["title"] == "Disk resolved long ago")
    kept = [each for each in before["timeline"] if each["incidentId"] != old]
    assert [each["details"] for each in after["timeline"]] == [each["details"] for each in kept]
    assert len(after["events"]) == len(before["events"])
    assert WorkspaceImport.get().counts["timeline"]["stored"] == len(kept) == ENTRIES + 6


def test_an_import_that_was_killed_is_discarded_and_its_file_imported_anew(
    inbox: Run, beside: dict[str, str], cast: Cast, tmp_path: Path
) -> None:
    _write_timeline(live_in(cast)["open"])
    file = exported(cast.workspace, tmp_path / "acme.json")
    on_another_instance(*PEOPLE)
    place = str(file.path)
    before = _rows()
    nothing = inbox("import", "workspace", place, "--discard", "--apply")
    _killed_at(0.3, file, beside)

    planned = inbox("import", "workspace", place, "--discard")
    stored = _rows()
    WorkspaceImport.get().discard()  # a discard that was killed right after its first step
    refused = inbox("import", "workspace", place, "--apply")
    discarded = inbox("import", "workspace", place, "--discard", "--apply")

    assert nothing.stderr == "This file is not imported: there is nothing to discard.\n"
    assert planned.returncode == 0, planned.stderr
    assert planned.stdout.startswith("An incomplete import is stored as acme:\n") and "timeline " in planned.stdout
    assert stored["timeline"] > 5_000
    assert (refused.returncode, "The import is being discarded." in refused.stderr) == (1, True)
    assert discarded.returncode == 0, discarded.stderr
    assert discarded.stdout.endswith(" rows. The file can be imported again.\n")
    assert _rows() == before

    assert inbox("import", "workspace", place, "--apply").returncode == 0
    ended = inbox("import", "workspace", place, "--discard", "--apply")
    assert ended.stderr == "This file was imported completely. Delete the workspace in its settings.\n"
    assert TimelineEntry.select().count() > ENTRIES


def _rows() -> dict[str, int]:
    """Returns the number of rows of each table that has some."""
    tables = "SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition"
    names = [name for (name,) in db.execute_sql(f"{tables} AND relnamespace = current_schema()::regnamespace")]
    counts = {name: db.execute_sql(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}
    return {name: count for name, count in counts.items() if count}


def _write_timeline(incident: Incident) -> None:
    """Gives an incident many notes."""
    actor = {"type": "user", "id": "", "name": "Mia"}
    shared = {"workspace_id": incident.workspace_id, "incident_id": incident.id, "kind": "note", "actor": actor}
    moment = present()
    rows = [{**shared, "id": new_id(), "at": moment, "details": {"number": each}} for each in range(ENTRIES)]
    for first in range(0, ENTRIES, 2_000):
        TimelineEntry.insert_many(rows[first : first + 2_000]).execute()


def _killed_at(part: float, file: ExportFile, environment: dict[str, str]) -> int:
    """Kills an import after a part of the timeline. Returns the record that it had reached."""
    command = [sys.executable, "-m", "cli", "import", "workspace", str(file.path), "--apply"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and _entries() < part * ENTRIES:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "the import was too quick to be killed"
    return _entries()


def _entries() -> int:
    found = db.execute_sql("SELECT record FROM workspace_imports WHERE section = 'timeline'").fetchone()
    return int(found[0]) if found else 0
