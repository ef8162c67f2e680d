"""Jobs that report with curl, wget and borgmatic to a heartbeat monitor (specification 18.2)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from inbox.models.heartbeats.tables import HeartbeatMonitor, HeartbeatPing
from tests.cast import make_key
from tests.heartbeats import make_monitor, reread
from tests.senders.conftest import Instance
from tests.senders.programs import python_of_clients

pytestmark = pytest.mark.slow


class Job:
    """A monitor, the address of its pings, and what arrived."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.monitor, self._token = make_monitor(instance.cast.source, name="backup")

    @property
    def url(self) -> str:
        return f"{self.instance.address}/v1/heartbeats/{self._token}"

    def run(self, line: str) -> None:
        """The line of a crontab, as cron runs it."""
        clean = {"PATH": os.environ["PATH"], "URL": self.url}
        subprocess.run(["/bin/sh", "-c", line], env=clean, timeout=120, check=True)

    def pings(self) -> list[tuple[str, int | None]]:
        return [(ping.kind, ping.exit_code) for ping in HeartbeatPing.select().order_by(HeartbeatPing.id)]

    def status(self) -> str:
        monitor: HeartbeatMonitor = reread(self.monitor)
        return str(monitor.status)


@pytest.fixture
def job(instance: Instance) -> Job:
    return Job(instance)


CURL = (
    'curl -fsS -m 10 --retry 5 -o /dev/null "$URL/start"; {command}; curl -fsS -m 10 --retry 5 -o /dev/null "$URL/$?"'
)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_a_cron_line_with_curl_reports_start_exit_code_and_success(job: Job) -> None:
    job.run(CURL.format(command="true"))
    good = job.status()
    job.run(CURL.format(command="sh -c 'exit 3'"))
    failed, opened = job.status(), job.instance.incidents()
    job.run(CURL.format(command="true"))

    assert (good, failed, job.status()) == ("up", "down", "up")
    assert job.pings() == [
        ("start", None),
        ("success", 0),
        ("start", None),
        ("fail", 3),
        ("start", None),
        ("success", 0),
    ]
    assert list(opened.values()) == ["open"]
    assert list(job.instance.incidents().values()) == ["resolved"]


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_output_of_a_job_is_kept_with_its_ping(job: Job) -> None:
    job.run('(echo "12 files"; exit 2) > "${TMPDIR:-/tmp}/$$.out"; code=$?;'
            ' curl -fsS --data-binary @"${TMPDIR:-/tmp}/$$.out" -o /dev/null "$URL/$code"; rm "${TMPDIR:-/tmp}/$$.out"')  # fmt: skip

    [ping] = HeartbeatPing.select()
    assert (ping.kind, ping.exit_code, ping.body) == ("fail", 2, "12 files\n")


@pytest.mark.skipif(shutil.which("wget") is None, reason="wget is not installed")
def test_wget_reports_a_success(job: Job) -> None:
    job.run('true && wget -q -T 10 -t 5 -O /dev/null "$URL"')

    assert (job.pings(), job.status()) == ([("success", None)], "up")


def borgmatic(
    job: Job, folder: Path, *, exit_code: int, hook: Mapping[str, Any] | None = None
) -> subprocess.CompletedProcess[str]:
    """borgmatic makes a backup with a stand-in for Borg that ends with `exit_code`."""
    borg = folder / "borg"
    borg.write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo 'borg 1.4.0' && exit 0\nexit {exit_code}\n")
    borg.chmod(0o755)
    configuration = {
        "repositories": [{"path": str(folder / "repository")}],
        "source_directories": [str(folder)],
        "local_path": str(borg),
        "user_runtime_directory": str(folder),
        "user_state_directory": str(folder),
        **(hook or {"healthchecks": {"ping_url": job.url}}),
    }
    (folder / "config.yaml").write_text(yaml.safe_dump(configuration))
    program = python_of_clients().with_name("borgmatic")
    return subprocess.run(
        [program, "--config", folder / "config.yaml", "create"], env={**os.environ, "HOME": str(folder), "PYTHONPATH": ""},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_borgmatic_reports_its_start_its_failure_and_its_success(job: Job, tmp_path: Path) -> None:
    failed = borgmatic(job, tmp_path, exit_code=2)
    opened = job.instance.incidents()
    made = borgmatic(job, tmp_path, exit_code=0)

    assert (failed.returncode, made.returncode) == (1, 0), made.stdout + made.stderr
    assert [kind for kind, _ in job.pings() if kind != "log"] == ["start", "fail", "start", "success"]
    assert list(opened.values()) == ["open"]
    assert (job.status(), list(job.instance.incidents().values())) == ("up", ["resolved"])


def test_borgmatic_creates_the_monitor_of_its_slug(job: Job, tmp_path: Path) -> None:
    key = make_key(job.instance.cast.source, kind="ping_key")
    hook = yaml.safe_load(job.instance.snippet("heartbeats", "borgmatic", key))

    for exit_code in (2, 0):
        borgmatic(job, tmp_path, exit_code=exit_code, hook=hook)

    created = HeartbeatMonitor.get(HeartbeatMonitor.slug == "backup")
    assert [kind for kind, _ in job.pings() if kind != "log"] == ["start", "fail", "start", "success"]
    assert (created.name, created.status, job.status()) == ("backup", "up", "new")
