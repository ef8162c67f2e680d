"""Requests that wait are sent from the background soon after the instance is back (specification 21.3, 21.4)."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import pytest

from inbox.models.events.tables import Event
from inbox.models.heartbeats.tables import HeartbeatPing
from tests.agent.conftest import Host
from tests.cast import Cast
from tests.heartbeats import make_monitor, reread
from tests.live.web import until

pytestmark = pytest.mark.slow

SECONDS = {"INBOX_RETRY_SECONDS": "80"}


@pytest.mark.parametrize(("code", "ping", "status"), [(4, ("fail", 4), "down"), (0, ("success", 0), "up")])
def test_the_end_of_a_job_is_reported_without_a_further_run(
    host: Host, cast: Cast, request: pytest.FixtureRequest, code: int, ping: tuple[str, int], status: str
) -> None:
    monitor, host.credential = make_monitor(cast.source)
    assert host.run("wrap", "--", "sh", "-c", f"echo done; exit {code}", **SECONDS).returncode == code
    assert len(host.waiting()) == 1

    request.getfixturevalue("late_web")

    until(lambda: not host.waiting())
    [sent] = HeartbeatPing.select()
    assert ((sent.kind, sent.exit_code), reread(monitor).status) == (ping, status)
    assert "done" in sent.body


def test_an_event_is_sent_without_a_further_call(host: Host, cast: Cast, request: pytest.FixtureRequest) -> None:
    host.credential = cast.key
    assert host.run("send", "Disk full", **SECONDS).returncode == 0
    assert host.run("send", "Disk fuller", **SECONDS).returncode == 0

    request.getfixturevalue("late_web")

    until(lambda: not host.waiting())
    assert sorted(event.title for event in Event.select()) == ["Disk full", "Disk fuller"]


def test_the_process_in_the_background_holds_no_lock_of_the_caller(host: Host, tmp_path: Path) -> None:
    host.credential = "svc_hb_nobody"
    lock = tmp_path / "lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        subprocess.run(
            host.command("wrap", "--", "true"), env=host.environment(INBOX_RETRY_SECONDS="5"), pass_fds=[held.fileno()],
            capture_output=True, timeout=60, check=True,
        )  # fmt: skip

    with lock.open("w") as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
