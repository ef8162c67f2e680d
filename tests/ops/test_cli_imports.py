"""`bin/inbox import`: shows a plan, and creates it on request (specification 22.11)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inbox.models.heartbeats.tables import HeartbeatMonitor
from inbox.models.records.audit import AuditEntry
from inbox.services.senders.import_reading import MAX_TEXT
from tests.cast import Cast
from tests.destinations.receivers import Receiver, answer
from tests.intake.importers.test_servers import check, database
from tests.ops.conftest import Run

pytestmark = pytest.mark.slow


TOKEN = {"INBOX_IMPORT_TOKEN": "s3cret"}


@pytest.fixture
def crontab(tmp_path: Path) -> str:
    file = tmp_path / "crontab"
    file.write_text("0 3 * * * backup\n@reboot start\n")
    return str(file)


def test_a_plan_is_shown_and_nothing_is_created(inbox: Run, cast: Cast, crontab: str) -> None:
    shown = inbox("import", "crontab", crontab, "--workspace", "acme", "--timezone", "Europe/Berlin")
    plan = json.loads(inbox("import", "crontab", crontab, "--workspace", "acme", "--json").stdout)

    assert shown.returncode == 0, shown.stderr
    assert "Europe/Berlin" in shown.stdout and "Nothing was created" in shown.stdout
    assert [each["name"] for each in plan["items"]] == ["Cron", "backup"]
    assert [each["name"] for each in plan["leftOut"]] == ["Line 2: start"]
    assert HeartbeatMonitor.select().count() == 0


def test_apply_creates_the_items_once(inbox: Run, cast: Cast, crontab: str) -> None:
    first = json.loads(inbox("import", "crontab", crontab, "--workspace", "acme", "--apply", "--json").stdout)
    second = inbox("import", "crontab", crontab, "--workspace", "acme", "--apply")

    assert [each["created"] for each in first] == [True, True]
    assert first[1]["pingUrl"] in first[1]["snippet"]
    assert "existing" in second.stdout and "svc_hb_" not in second.stdout
    assert HeartbeatMonitor.select().count() == 1
    assert AuditEntry.get(AuditEntry.action == "monitor.created").actor["name"] == "bin/inbox"


def test_a_database_of_uptime_kuma_is_read_where_it_is(inbox: Run, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "kuma.db"
    file.write_bytes(database())
    before = sorted(tmp_path.iterdir()), file.read_bytes()

    plan = json.loads(inbox("import", "uptime_kuma", str(file), "--workspace", "acme", "--json").stdout)

    assert [each["name"] for each in plan["items"]] == ["Uptime Kuma", "Backup", "Paused"]
    assert (sorted(tmp_path.iterdir()), file.read_bytes()) == before


def test_a_server_is_asked_with_the_token_of_the_environment(inbox: Run, cast: Cast) -> None:
    with Receiver(answer(200, json.dumps({"checks": [check()]}).encode())) as server:
        address = f"http://127.0.0.1:{server.port}"
        done = inbox("import", "healthchecks", address, "--workspace", "acme", "--json", more=TOKEN)

    assert [each["name"] for each in json.loads(done.stdout)["items"]] == ["Healthchecks", "Nightly"]
    assert server.hits[0].headers["x-api-key"] == "s3cret"
    assert "s3cret" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("crontab", "/no/such/file"), "There is no file"),
        (("opsgenie", "/etc/hostname"), "is no file of saved answers"),
        (("alertmanager", "/etc/hostname"), "no `route`"),
    ],
)
def test_a_failure_is_one_sentence(words: tuple[str, str], text: str, inbox: Run, cast: Cast) -> None:
    failed = inbox("import", *words, "--workspace", "acme")

    assert (failed.returncode, failed.stdout) == (1, "")
    assert text in failed.stderr


@pytest.mark.parametrize(("size", "code"), [(MAX_TEXT, 0), (MAX_TEXT + 1, 1)])
def test_a_text_has_at_most_a_mebibyte(size: int, code: int, inbox: Run, cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "crontab"
    file.write_text("#".ljust(size, "x"))

    assert inbox("import", "crontab", str(file), "--workspace", "acme").returncode == code
