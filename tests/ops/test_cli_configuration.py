"""`bin/inbox config`: export, plan and apply beside the service (specification 24)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inbox.models.records.audit import AuditEntry
from inbox.models.senders.sources import Source
from tests.cast import Cast
from tests.ops.conftest import Run

pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "acme.yaml"
    made.write_text("version: 1\nsources:\n  cron:\n    name: Cron\n")
    return made


def test_a_plan_is_shown_and_nothing_is_stored(inbox: Run, cast: Cast, file: Path) -> None:
    shown = inbox("config", "plan", str(file), "--workspace", "acme")
    as_json = json.loads(inbox("config", "plan", str(file), "--workspace", "acme", "--json").stdout)

    assert shown.returncode == 0, shown.stderr
    assert shown.stdout == "create   sources.cron “Cron”\n\n1 to create.\nNothing was stored.\n"
    assert (as_json["changes"][0]["act"], as_json["summary"]) == ("create", "1 to create.")
    assert Source.select().where(Source.name == "Cron", Source.workspace == cast.workspace).count() == 0


def test_an_application_is_made_once_by_the_file(inbox: Run, cast: Cast, file: Path) -> None:
    first = inbox("config", "apply", str(file), "--workspace", "acme")
    second = inbox("config", "apply", str(file), "--workspace", "acme")

    assert (first.stdout, second.stdout) == ("create   sources.cron “Cron”\n\n1 to create.\n", "Nothing to change.\n")
    actors = {entry.actor["name"] for entry in AuditEntry.select() if entry.action.startswith(("source", "workspace"))}
    assert actors == {"bin/inbox config apply acme.yaml"}


def test_faults_are_told_with_their_lines(inbox: Run, cast: Cast, file: Path) -> None:
    file.write_text("version: 1\nsources:\n  cron:\n    nam: Cron\n    enabled: 5\n")

    refused = inbox("config", "apply", str(file), "--workspace", "acme")

    assert refused.returncode == 1
    assert [line.split(": ")[0] for line in refused.stderr.splitlines()] == [f"acme.yaml:{line}" for line in (3, 4, 5)]


def test_an_export_is_written_to_a_new_file_or_to_standard_output(inbox: Run, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "export.yaml"
    written = inbox("config", "export", str(file), "--workspace", "acme")
    again = inbox("config", "export", str(file), "--workspace", "acme")
    printed = inbox("config", "export", "--workspace", "acme")

    assert (written.returncode, again.returncode) == (0, 1) and "File exists" in again.stderr
    assert printed.stdout == file.read_text() and "  prometheus:\n    name: Prometheus\n" in printed.stdout
