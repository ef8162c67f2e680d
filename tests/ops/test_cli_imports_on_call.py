"""`bin/inbox import` of a whole on-call set-up: the answers of its API as a file, and the plan with shifts."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.records.audit import AuditEntry
from tests.api.imports import setups
from tests.api.imports.test_imports_on_call import served
from tests.cast import Cast
from tests.destinations.receivers import Receiver
from tests.ops.conftest import Run

pytestmark = pytest.mark.slow

TOKEN = {"INBOX_IMPORT_TOKEN": "s3cret"}


@pytest.fixture
def saved(inbox: Run, cast: Cast, tmp_path: Path) -> str:
    """The file of the answers of a server that is gone."""
    file = tmp_path / "opsgenie.json.gz"
    with Receiver(served(setups.opsgenie())) as server:
        done = inbox("import", "opsgenie", f"http://127.0.0.1:{server.port}", "--save", str(file), more=TOKEN)
    assert done.returncode == 0, done.stderr
    return str(file)


def test_saved_answers_are_readable_for_their_owner_alone_and_are_not_overwritten(inbox: Run, saved: str) -> None:
    before = Path(saved).read_bytes()

    again = inbox("import", "opsgenie", "http://127.0.0.1:9", "--save", saved, more=TOKEN)

    assert stat.S_IMODE(Path(saved).stat().st_mode) == 0o600
    assert again.returncode != 0 and Path(saved).read_bytes() == before
    assert b"s3cret" not in before


def test_the_plan_of_saved_answers_compares_shifts_and_apply_creates_them_once(
    inbox: Run, cast: Cast, saved: str
) -> None:
    shown = inbox("import", "opsgenie", saved, "--workspace", "acme")
    first = inbox("import", "opsgenie", saved, "--workspace", "acme", "--apply", "--json")
    second = json.loads(inbox("import", "opsgenie", saved, "--workspace", "acme", "--apply", "--json").stdout)

    assert "are those of the other tool" in shown.stdout and "unmatched person   Zoe" in shown.stdout
    assert first.returncode == 0, first.stderr
    assert {each["created"] for each in second} == {False}
    assert OnCallSchedule.select().count() == 1
    assert AuditEntry.get(AuditEntry.action == "schedule.override_created").actor["name"] == "bin/inbox"
