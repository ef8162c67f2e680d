"""`bin/up` as a whole: refusals, restarts, and the state after a kill -9."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests

from inbox.database.migrate import MIGRATIONS
from inbox.runtime.queue import QueueName
from ops.datadir import DataDir
from ops.up import queues
from tests.ops.processes import Reported, lives, until
from tests.runner.places import roomy_place
from tests.runner.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("up")]

SERVERS = ("postgres", "redis")
SERVICES = ("scheduler", "worker-1", "web")
Start = Callable[..., Reported]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def data_dir() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="up-", dir=roomy_place()))
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@pytest.fixture
def up(tmp_path: Path, data_dir: Path, port: int) -> Iterator[Start]:
    """Starts a small `bin/up` on one data directory and port; may be called again."""
    running: list[Reported] = []

    def start(*options: str, **environment: str) -> Reported:
        clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        arguments = ["--data-dir", str(data_dir), "--port", str(port), "--workers", "1", "--web", "1", *options]
        running.append(
            Reported(["-m", "ops.up", "--no-build", *arguments], tmp_path / f"up-{len(running)}", clean | environment)
        )
        return running[-1]

    yield start
    for reported in running:
        reported.kill()


def pids(reported: Reported) -> dict[str, int]:
    reported.waits_for("Incident Inbox is at")
    return {name: reported.pid_of(name) for name in SERVERS + SERVICES}


def healthy(port: int) -> bool:
    try:
        return requests.get(f"http://127.0.0.1:{port}/readyz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def test_a_signal_stops_all_processes_and_a_second_start_continues(up: Start, port: int, data_dir: Path) -> None:
    first = up()
    before = pids(first)
    until(lambda: healthy(port), "it is ready")
    keys = (data_dir / "keys").read_text()

    first.process.terminate()
    assert first.process.wait(120) == 0
    assert not any(lives(pid) for pid in before.values())
    stopped = [line.split()[1] for line in first.stated.splitlines() if line.endswith(" stopped")]
    assert stopped.index("web") < stopped.index("worker-1") < stopped.index("postgres")

    second = up()
    pids(second)
    until(lambda: healthy(port), "it is ready again")
    assert "migration" in first.stated
    assert "migration" not in second.stated
    assert (data_dir / "keys").read_text() == keys


def test_kill_9_of_the_supervisor_leaves_nothing_that_the_next_start_cannot_take_over(up: Start, port: int) -> None:
    first = up()
    before = pids(first)

    first.kill()
    second = up()

    after = pids(second)
    until(lambda: healthy(port), "it is ready")
    assert not any(lives(pid) for pid in before.values())
    assert not set(before.values()) & set(after.values())


def test_every_killed_process_is_restarted_and_the_service_recovers(up: Start, port: int) -> None:
    reported = up()
    before = pids(reported)

    for name in (*SERVERS, *SERVICES):
        os.kill(before[name], signal.SIGKILL)

        assert lives(reported.pid_of(name, after=before[name]))
        assert f"{name} was ended by SIGKILL" in reported.stated
        until(lambda: healthy(port), f"it is ready again after {name} was killed")
    assert reported.process.poll() is None


def test_a_data_directory_in_use_is_refused(up: Start, port: int) -> None:
    first = up()
    pids(first)

    second = up("--port", "1")

    assert second.process.wait(90) == 1
    assert "bin/up runs already on" in second.stated
    assert f"process {first.process.pid}" in second.stated
    until(lambda: healthy(port), "the first one answers")


def test_a_port_in_use_is_refused_before_anything_starts(up: Start, port: int, data_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        reported = up()

        assert reported.process.wait(90) == 1
    assert f"port {port} on 127.0.0.1 is in use by another program" in reported.stated
    assert not (data_dir / "postgres").exists()


def test_settings_that_cannot_be_used_are_listed_and_nothing_stays_behind(up: Start) -> None:
    reported = up(INBOX_EDITION="borrowed", INBOX_LOG_LEVEL="LOUD")

    assert reported.process.wait(180) == 1
    assert "INBOX_EDITION must be" in reported.stated
    assert "INBOX_LOG_LEVEL must be" in reported.stated
    assert not lives(reported.pid_of("postgres"))


def test_the_set_up_link_is_new_at_each_start_and_never_in_a_log(up: Start, data_dir: Path) -> None:
    links = []
    for _ in range(2):
        reported = up()
        reported.waits_for("#token=")
        links += re.findall(r"#token=([\w-]+)\n", reported.stated)
        reported.process.terminate()
        assert reported.process.wait(120) == 0

    assert len(set(links)) == 2
    logs = "".join(log.read_text() for log in (data_dir / "logs").iterdir())
    assert not any(token in logs for token in links)


def test_the_first_administrator_can_come_from_the_environment(up: Start, port: int, data_dir: Path) -> None:
    secret = "a passphrase of the environment"
    reported = up(
        INBOX_ADMIN_EMAIL="olga@example.org", INBOX_ADMIN_PASSWORD=secret, INBOX_BASE_ULR="https://canary.example.org"
    )
    services = pids(reported)

    names = sorted(MIGRATIONS)
    assert f"{len(names)} migrations applied, {names[0]} to {names[-1]}\n" in reported.stated
    assert reported.stated.count("migrations") == 1
    assert "INBOX_BASE_ULR is no setting and is ignored" in reported.stated and "canary" not in reported.stated

    body = {"email": "olga@example.org", "password": secret}
    answer = requests.post(f"http://127.0.0.1:{port}/v1/auth/login", json=body, timeout=60)

    assert answer.status_code == 200
    assert "#token=" not in reported.stated
    for name in SERVICES:
        assert secret not in environment_of(services[name])
    assert secret not in "".join(log.read_text() for log in (data_dir / "logs").iterdir())


def test_secret_files_are_readable_by_their_owner_alone(up: Start, data_dir: Path) -> None:
    pids(up())

    for name in ("keys", "addresses", "logs", "locks", "postgres", "redis"):
        assert (data_dir / name).stat().st_mode & 0o077 == 0, name


def test_a_joined_run_knows_its_address_and_port(up: Start, port: int, data_dir: Path) -> None:
    pids(up(INBOX_BASE_URL="https://inbox.example.org"))

    joined = DataDir(data_dir).join({})

    assert joined["INBOX_BASE_URL"] == "https://inbox.example.org"
    assert (joined["INBOX_HOST"], joined["INBOX_PORT"]) == ("127.0.0.1", str(port))


def environment_of(pid: int) -> str:
    file = Path(f"/proc/{pid}/environ")
    return file.read_text(errors="replace") if file.exists() else ""


@pytest.mark.parametrize(
    ("count", "taken"),
    [
        (0, []),
        (1, [()]),
        (2, [("routing", "timers", "sweep"), ()]),
        (3, [("routing", "timers", "sweep"), ("delivery",), ()]),
        (5, [("routing", "timers", "sweep"), ("delivery",), (), (), ()]),
    ],
)
def test_one_of_several_workers_never_delivers_and_every_queue_has_a_worker(
    count: int, taken: list[tuple[str, ...]]
) -> None:
    assert [queues(number, count) for number in range(1, count + 1)] == taken
    assert set().union(*(each or set(QueueName) for each in taken)) == (set(QueueName) if count else set())
