"""The data directory's disk fills up under load and is freed: the service recovers, and no accepted event is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests

from ops.datadir import DataDir
from tests.faults.accepted_events import check_books
from tests.faults.service_processes import EMAIL, PASSWORD, PROJECT, RunningService, Senders, until
from tests.stand_ins.receivers import SECRET, Receiver

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.xdist_group("faults")]

SIZE = 1200 * 1024 * 1024
BACK_SECONDS = 60.0


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A separate file system in memory."""
    place = Path(tempfile.mkdtemp(prefix="inbox-disk-", dir="/tmp"))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0755", "inbox", str(place)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        place.rmdir()
        pytest.skip("a file system cannot be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)
        place.rmdir()


@dataclass
class ServiceOnDisk(RunningService):
    """`log` is what `bin/up` says to its terminal, which is on another disk."""

    log: Path = field(kw_only=True)


@dataclass
class Joined:
    """The addresses of the servers that `bin/up` runs."""

    database_url: str = ""
    redis_url: str = ""


@pytest.fixture
def running_service(small_disk: Path, tmp_path: Path) -> Iterator[ServiceOnDisk]:
    """`bin/up` with its own servers, all of it on the small disk."""
    data = small_disk / "data"
    running_service = ServiceOnDisk(Joined(), data, log=tmp_path / "up.log")  # type: ignore[arg-type]
    clean = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment = {
        **clean,
        "INBOX_ADMIN_EMAIL": EMAIL,
        "INBOX_ADMIN_PASSWORD": PASSWORD,
        "INBOX_RATE_LIMITS": "off",
        "INBOX_DELIVERY_TIMEOUT_SECONDS": "2",
        "INBOX_BASE_URL": running_service.address,
    }
    command = [
        sys.executable,
        "-m",
        "ops.up",
        "--port",
        str(running_service.port),
        "--data-dir",
        str(data),
        "--no-build",
    ]
    with running_service.log.open("ab") as log:
        running_service.up = subprocess.Popen(
            [*command, "--web", "1", "--workers", "2"],
            cwd=PROJECT, env=environment, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
    try:
        until(lambda: "REDIS_URL" in DataDir(data).join({}) and answers(running_service), "the service answers", 120)
        joined = DataDir(data).join({})
        running_service.servers.database_url = joined["INBOX_MIGRATION_DATABASE_URL"]
        yield running_service
    finally:
        print(running_service.log.read_text()[-4000:])
        running_service.stop()


def answers(running_service: RunningService) -> bool:
    assert running_service.up is not None
    assert running_service.up.poll() is None, "bin/up has ended"
    try:
        return requests.get(f"{running_service.address}/readyz", timeout=2).status_code == 200
    except requests.RequestException:
        return False


def fill(disk: Path) -> Path:
    """Take all the space that is left, and once more what is released meanwhile."""
    ballast = disk / "ballast"
    with ballast.open("ab", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 65_536)
        except OSError:
            pass
    return ballast


def test_a_full_disk_ends_nothing_and_the_service_is_back_soon_after_there_is_space(
    running_service: ServiceOnDisk, small_disk: Path
) -> None:
    key = running_service.source_key(workspace := running_service.sign_in())
    with Receiver() as receiver:
        running_service.webhook(workspace, receiver.url, SECRET)
        with Senders(running_service, key) as senders:
            until(lambda: len(senders.accepted) > 100, "events are accepted before")
            until(lambda: is_stuck(senders, small_disk), "nothing is accepted on the full disk", 180)
            for word in ("jobs.worker", "postgres -D"):
                for pid in running_service.processes(word)[:1]:  # what the full disk has ended cannot be killed
                    os.kill(pid, signal.SIGKILL)
            until(
                lambda: "cannot be written: No space left on device" in running_service.log.read_text(),
                "the log is given up",
            )
            time.sleep(5)  # what stumbles over the full disk does so, some of it more than once
            assert answers(running_service) in (True, False), "bin/up goes on"

            (small_disk / "ballast").unlink()
            freed, seen = time.monotonic(), len(senders.accepted)
            until(lambda: len(senders.accepted) > seen, "an event is accepted again", BACK_SECONDS)
            print(f"back {time.monotonic() - freed:.2f} s after there was space")
            until(lambda: len(senders.accepted) > seen + 100, "events are accepted as before")

        until(running_service.settled, "everything accepted is routed and sent", 180)
        check_books(running_service, senders, receiver)
    assert running_service.log.read_text().count("cannot be written: No space left on device") == 1
    assert set(senders.statuses) <= {202, 409, 503}


def is_stuck(senders: Senders, disk: Path) -> bool:
    """Whether the disk is full and no event was accepted for two seconds."""
    fill(disk)
    seen = len(senders.accepted)
    time.sleep(2)
    return len(senders.accepted) == seen and shutil.disk_usage(disk).free < 1024 * 1024
