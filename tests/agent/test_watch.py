"""`watch` on a host: its checks at a real service, commands that hang, and an unreachable service (specification 21.2)."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from inbox.database.base import db
from inbox.models.events.tables import ReceivedEvent
from inbox.models.heartbeats.watchers import Watcher
from tests.agent.conftest import Host
from tests.cast import Cast
from tests.live.web import Web, until

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def key(host: Host, cast: Cast) -> None:
    host.credential = cast.key


def checks() -> dict[str, Any]:
    return {check["name"]: check for check in Watcher.get().checks}


@pytest.mark.usefixtures("web")
def test_a_check_in_reports_disk_memory_load_units_and_commands(host: Host) -> None:
    done = host.run(
        "watch", "--once", "--id", "web-1", "--name", "Web", "--label", "env=prod", "--unit", "no-such.service",
        "--command", "good=echo fine", "--command", "bad=echo broken; exit 3", "--plugin", "queue=echo long; exit 1",
        "--disk", "/", "--disk", "/no/such/path",
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    watcher, found = Watcher.get(), checks()
    assert (watcher.watcher_id, watcher.name, watcher.labels) == ("web-1", "Web", {"env": "prod"})
    assert {name: check["status"] for name, check in found.items() if name not in ("load", "memory", "disk /")} == {
        "disk /no/such/path": "fail", "no-such.service": "fail", "good": "ok", "bad": "fail", "queue": "warn",
    }  # fmt: skip
    assert {"load", "memory", "disk /"} <= found.keys()
    assert found["bad"]["message"] == "exit code 3\nbroken"
    assert " % used, " in found["disk /"]["message"]
    titles = {event.title for event in ReceivedEvent.select()}
    assert {"Web: bad fails", "Web: queue warns"} <= titles


@pytest.mark.usefixtures("web")
def test_a_name_and_a_label_that_are_no_utf8_are_replaced(host: Host) -> None:
    odd = os.fsdecode(b"f\xfcr")

    done = host.run("watch", "--once", "--name", odd, "--label", f"rack={odd}")

    assert done.returncode == 0, done.stderr
    assert (Watcher.get().name, Watcher.get().labels) == ("f\ufffdr", {"rack": "f\ufffdr"})


@pytest.mark.usefixtures("web")
def test_the_settings_of_a_file_and_of_options_add_up(host: Host) -> None:
    file = host.home / "watch.ini"
    file.write_text(
        "[watch]\nname = Of the file\ninterval = 300\n[labels]\nRack = 7\n[disk]\npaths = /\nwarn = 0\nfail = 101\n"
        "[command backup age]\nrun = echo 100 %; exit 2\n[plugin queue]\nrun = exit 1\n"
    )

    assert host.run("watch", "--once", "--config", str(file), "--command", "own=true").returncode == 0

    watcher, found = Watcher.get(), checks()
    assert (watcher.name, watcher.interval_seconds, watcher.labels) == ("Of the file", 300, {"Rack": "7"})
    assert [found[name]["status"] for name in ("disk /", "backup age", "queue", "own")] == [
        "warn",
        "fail",
        "warn",
        "ok",
    ]


def test_every_documented_option_of_a_file_is_known(host: Host) -> None:
    file = host.home / "watch.ini"
    file.write_text(
        "[watch]\ninterval = 60\ntimeout = 5\naddress = http://127.0.0.1:9\nkey_file = /no/such\nid = a\nname = A\n"
        "[labels]\nAny name = 1\n[disk]\npaths = /\nwarn = 1\nfail = 2\n[memory]\nwarn = 1\nfail = 2\n"
        "[load]\nwarn = 1\nfail = 2\n[units]\nnames = a.service\n[command a]\nrun = true\n[plugin b]\nrun = true\n"
    )

    done = host.run("watch", "--once", "--config", str(file))

    assert (done.returncode, "credential cannot be read" in done.stderr) == (2, True), done.stderr


def test_an_address_with_a_typing_error_is_wrong_usage(host: Host) -> None:
    for words in (("watch", "--once"), ("send", "x")):
        done = host.run(*words, "--address", "http://[inbox.example.org]:8080")
        assert (done.returncode, "cannot be read" in done.stderr, "Traceback" in done.stderr) == (2, True, False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[disks]\npaths = /\n", "unknown section"),
        ("[watch]\ninterval = soon\n", "number"),
        ("[watch]\ninterval = 5\n", "10 to 86400"),
        ("[command x]\nrun = true\n[plugin x]\nrun = true\n", "Two checks"),
        ("nothing\n", "cannot be used"),
        ("[command backup age]\ncommand = false\n", "unknown option in [command backup age]: command"),
        ("[plugin queue]\nrun =\n", "no command in [plugin queue]"),
        ("[command x]\n", "no command in [command x]"),
        ("[command]\nrun = true\n", "unknown section: [command]"),
        ("[disk x]\npaths = /\n", "unknown section: [disk x]"),
        ("[disk]\npath = /data\n", "unknown option in [disk]: path"),
        ("[watch]\nInterval = 60\n", "unknown option in [watch]: Interval"),
        ("[memory]\nfails = 90\n", "unknown option in [memory]: fails"),
        ("[load]\npaths = /\n", "unknown option in [load]: paths"),
        ("[units]\nname = cron.service\n", "unknown option in [units]: name"),
        ("[DEFAULT]\nwarn = 90\n", "unknown section: [DEFAULT]"),
    ],
)
def test_a_file_with_a_mistake_is_refused_before_anything_is_sent(host: Host, text: str, reason: str) -> None:
    file = host.home / "watch.ini"
    file.write_text(text)

    done = host.run("watch", "--once", "--config", str(file))

    assert (done.returncode, reason in done.stderr) == (2, True), done.stderr


@pytest.mark.usefixtures("web")
def test_a_command_that_hangs_or_prints_without_end_delays_no_check_in(host: Host, tmp_path: Path) -> None:
    process_id = tmp_path / "process"
    hanging = f"hanging=echo $$ > {process_id}; echo started; sleep 600"
    endless = "endless=yes"
    stubborn = "stubborn=trap '' TERM; (trap '' TERM; sleep 600) & wait"

    done = host.run(
        "watch", "--once", "--timeout", "1", "--command", hanging, "--command", endless, "--command", stubborn
    )

    assert done.returncode == 0, done.stderr
    found = checks()
    assert {found[name]["status"] for name in ("hanging", "endless", "stubborn")} == {"fail"}
    assert found["hanging"]["message"] == "did not end within 1 s\nstarted"
    assert len(found["endless"]["message"]) <= 1_000
    until(lambda: not Path(f"/proc/{process_id.read_text().strip()}").exists(), 30)


def test_once_fails_when_nobody_answers_or_the_key_is_refused(host: Host, web: Web) -> None:
    refused = host.run("watch", "--once", INBOX_SOURCE_KEY="svc_src_x")
    away = host.run("watch", "--once", "--address", "http://127.0.0.1:9")

    assert (refused.returncode, "unauthenticated" in refused.stderr) == (1, True)
    assert (away.returncode, "cannot be reached" in away.stderr) == (1, True)
    assert web.answers() and Watcher.select().count() == 0


def test_a_watcher_waits_for_a_service_that_is_away_and_stops_at_a_signal(
    host: Host, request: pytest.FixtureRequest
) -> None:
    running = host.start("watch", "--interval", "10", "--id", "web-1")
    try:
        assert running.stderr is not None
        assert "not checked in (1 times)" in running.stderr.readline()
        request.getfixturevalue("late_web")
        until(lambda: _count() == 1, 60)
        assert "checked in after" in running.stderr.readline()
        first = Watcher.get().last_check_in_at
        until(lambda: Watcher.get().last_check_in_at > first, 60)
    finally:
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 0


def _count() -> int:
    return int(db.execute_sql("SELECT count(*) FROM watchers").fetchone()[0])
