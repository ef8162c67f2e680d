"""`wrap`: reports a job to a real service, and never makes it fail or hang (specification 21.4)."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent import wrap
from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from tests.agent.conftest import Host
from tests.cast import Cast
from tests.heartbeats import make_monitor, reread
from tests.live.web import Web, until

pytestmark = pytest.mark.slow

NOISY = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"


@pytest.fixture(autouse=True)
def monitor(host: Host, cast: Cast) -> HeartbeatMonitor:
    made, host.credential = make_monitor(cast.source)
    return made


def pings() -> list[tuple[str, int | None]]:
    return [(ping.kind, ping.exit_code) for ping in HeartbeatPing.select().order_by(HeartbeatPing.id)]


@pytest.mark.usefixtures("web")
def test_start_exit_code_and_output_are_reported_and_passed_on(host: Host, monitor: HeartbeatMonitor) -> None:
    failed = host.run("wrap", "--", sys.executable, "-c", NOISY)
    assert (failed.returncode, failed.stdout, failed.stderr) == (3, "out\n", "err\n")
    assert (pings(), reread(monitor).status) == ([("start", None), ("fail", 3)], "down")
    last = HeartbeatPing.get(HeartbeatPing.exit_code == 3)
    assert sorted(last.body.split()) == ["err", "out"]
    assert last.run_id is not None and last.duration_ms is not None

    assert host.run("wrap", "--", "true").returncode == 0
    assert (pings()[2:], reread(monitor).status) == ([("start", None), ("success", 0)], "up")


@pytest.mark.usefixtures("web")
def test_a_job_that_does_not_exist_or_ends_by_a_signal_ends_as_in_a_shell(host: Host) -> None:
    missing = host.run("wrap", "--", "/no/such/job")
    killed = host.run("wrap", "--", "sh", "-c", "kill -9 $$")
    nothing = host.run("wrap", "--")

    assert (missing.returncode, killed.returncode, nothing.returncode) == (127, 137, 2)
    assert [code for kind, code in pings() if kind == "fail"] == [127, 137]


@pytest.mark.usefixtures("web")
def test_the_end_of_a_job_whose_name_is_no_utf8_is_reported(host: Host) -> None:
    assert host.run("wrap", "--", os.fsdecode(b"/no/f\xfcr")).returncode == 127

    assert pings() == [("start", None), ("fail", 127)]
    assert "/no/f\ufffdr" in HeartbeatPing.get(HeartbeatPing.kind == "fail").body


def test_a_job_runs_while_the_service_is_down_and_is_reported_later(
    host: Host, monitor: HeartbeatMonitor, request: pytest.FixtureRequest
) -> None:
    away = host.run("wrap", "--", "sh", "-c", "echo backup done; exit 4")
    assert (away.returncode, away.stdout) == (4, "backup done\n")
    assert len(host.waiting()) == 1

    request.getfixturevalue("late_web")
    assert host.run("wrap", "--", "true").returncode == 0

    assert pings() == [("fail", 4), ("start", None), ("success", 0)]
    assert (host.waiting(), reread(monitor).status) == ([], "up")
    assert "exit code 4" in HeartbeatPing.get(HeartbeatPing.exit_code == 4).body


def test_a_success_that_waited_counts_for_no_later_run(
    host: Host, monitor: HeartbeatMonitor, request: pytest.FixtureRequest
) -> None:
    assert host.run("wrap", "--", "echo", "copied").returncode == 0
    request.getfixturevalue("late_web")

    running = host.start("wrap", "--", "sleep", "60")
    until(lambda: len(pings()) == 2, 30)
    assert (pings(), reread(monitor).last_ping_at) == ([("log", None), ("start", None)], None)
    running.send_signal(signal.SIGTERM)
    running.wait(60)

    logged = HeartbeatPing.get(HeartbeatPing.kind == "log").body
    assert ("exit code 0" in logged, "copied" in logged, host.waiting()) == (True, True, [])


def test_a_service_that_accepts_and_never_answers_does_not_hold_the_job(host: Host, tmp_path: Path) -> None:
    done = tmp_path / "done"
    with socket.create_server(("127.0.0.1", int(host.address.rpartition(":")[2]))):
        running = host.start("wrap", "--", "sh", "-c", f"touch {done}; exit 5")
        until(done.exists, 30)
        assert running.wait(60) == 5
    assert len(host.waiting()) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"INBOX_HEARTBEAT_TOKEN": ""},
        {"INBOX_ADDRESS": "nowhere"},
        {"INBOX_ADDRESS": "http://[inbox.example.org]:8080"},
        {"INBOX_ADDRESS": "http://[::1:8080"},
        {"INBOX_ADDRESS": "http://127.0.0.1:80800"},
        {"INBOX_ADDRESS": os.fsdecode(b"http://127.0.0.1/\xfc")},
    ],
)
def test_a_job_runs_without_reports_when_the_agent_is_not_set_up(host: Host, change: dict[str, str]) -> None:
    done = host.run("wrap", "--", "sh", "-c", "exit 6", **change)

    assert (done.returncode, "without reporting" in done.stderr) == (6, True)
    assert "Traceback" not in done.stderr


def test_a_fault_of_the_reporter_does_not_prevent_a_job() -> None:
    assert wrap._reporter(argparse.Namespace()) is None


def test_a_wrong_token_does_not_fail_the_job(host: Host, web: Web) -> None:
    done = host.run("wrap", "--", "true", INBOX_HEARTBEAT_TOKEN="svc_hb_x")

    assert (done.returncode, "unauthenticated" in done.stderr, host.waiting()) == (0, True, [])
    assert web.answers()


@pytest.mark.usefixtures("web")
def test_a_child_in_the_background_does_not_hold_the_end(host: Host) -> None:
    done = host.run("wrap", "--", "sh", "-c", "sleep 300 & echo started")

    assert (done.returncode, done.stdout) == (0, "started\n")
    assert pings()[-1] == ("success", 0)


@pytest.mark.usefixtures("web")
def test_output_without_end_is_passed_on_and_its_end_is_kept(host: Host) -> None:
    done = host.run("wrap", "--", "sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo end")

    assert len(done.stdout) == 3_000_004
    stored = HeartbeatPing.get(HeartbeatPing.kind == "success").body
    assert stored.endswith("xend\n") and len(stored) == 9_000


NO_THREADS = 'ulimit -s 8000000 && ulimit -v 4000000 && exec "$@"'
"""Each thread would have a stack that is larger than the memory that the process may have."""


@pytest.mark.usefixtures("web")
def test_a_job_runs_and_reports_its_end_when_no_thread_can_start(host: Host) -> None:
    job = "head -c 300000 /dev/zero | tr '\\0' x; echo end; echo fault >&2; exit 3"

    done = subprocess.run(
        ["sh", "-c", NO_THREADS, "sh", *host.command("wrap", "--", "sh", "-c", job)],
        env=host.environment(), capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stdout[-5:], len(done.stdout)) == (3, "xend\n", 300_004)
    assert "fault\n" in done.stderr and "no thread can start" in done.stderr
    assert pings() == [("fail", 3)]
    assert "end\n" in HeartbeatPing.get(HeartbeatPing.kind == "fail").body


@pytest.mark.usefixtures("web")
def test_a_signal_reaches_the_job_and_its_end_is_reported(host: Host, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    running = host.start("wrap", "--", "sh", "-c", f"trap 'exit 9' TERM; touch {ready}; while :; do sleep 0.1; done")
    until(ready.exists, 30)

    running.send_signal(signal.SIGTERM)

    assert running.wait(60) == 9
    assert pings()[-1] == ("fail", 9)


def test_a_signal_that_arrives_while_the_job_starts_reaches_it(root: Path) -> None:
    script = """
import os, signal, subprocess, sys
from agent.wrap import SignalForwarder
forwarder = SignalForwarder()
os.kill(os.getpid(), signal.SIGTERM)
job = subprocess.Popen(["sleep", "60"])
forwarder.forward_to(job)
sys.exit(job.wait() != -signal.SIGTERM)
"""

    ended = subprocess.run([sys.executable, "-c", script], cwd=root, timeout=60, check=False)

    assert ended.returncode == 0


IGNORED = """
import os, signal, sys
for number in (signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""A start with `nohup` in the background of a script."""


def test_a_signal_that_the_caller_ignores_ends_no_job(host: Host, tmp_path: Path) -> None:
    ready, ends = tmp_path / "ready", tmp_path / "ends"
    job = "import pathlib, sys, time\npathlib.Path(sys.argv[1]).touch()\n"
    job += "while not pathlib.Path(sys.argv[2]).exists(): time.sleep(0.05)\n"
    words = host.command("wrap", "--", sys.executable, "-c", job, str(ready), str(ends))
    running = subprocess.Popen(
        [sys.executable, "-c", IGNORED, *words],
        env=host.environment(INBOX_HEARTBEAT_TOKEN=""), stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    until(ready.exists, 30)

    os.killpg(running.pid, signal.SIGHUP)
    os.killpg(running.pid, signal.SIGINT)
    time.sleep(0.5)
    ends.touch()

    assert running.wait(60) == 0


def test_the_command_of_a_checkout_gives_a_job_the_variables_of_python_of_the_caller(host: Host, root: Path) -> None:
    job = 'echo "${PYTHONPATH-none} ${PYTHONSAFEPATH-none}"; env | grep -c CALLER_'

    def printed(**more: str) -> str:
        words = [str(root / "bin/inbox"), "wrap", "--", "sh", "-c", job]
        environment = host.environment(INBOX_HEARTBEAT_TOKEN="", **more)
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False).stdout

    assert printed(PYTHONPATH="/no/such/library") == "/no/such/library none\n0\n"
    assert printed() == "none none\n0\n"


def test_the_job_has_the_environment_and_the_input_of_the_caller(host: Host) -> None:
    left_alone = host.run("wrap", "--no-output", "--", "sh", "-c", "echo $MARK", MARK="own")

    assert left_alone.stdout == "own\n"
