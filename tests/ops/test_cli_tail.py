"""`bin/inbox tail` follows the stream of a real server, and reconnects after an outage."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inbox.config.settings import Settings
from tests.cast import Cast
from tests.live.web import Web
from tests.ops.conftest import Run
from tests.ops.processes import Reported, until
from tests.runner.ports import free_port
from tests.stand_ins.phone import pair

pytestmark = pytest.mark.slow
Tail = Callable[..., Reported]


@pytest.fixture
def tail(beside: dict[str, str], tmp_path: Path) -> Iterator[Tail]:
    """`tail(web.port, token)` follows."""
    running: list[Reported] = []

    def start(port: int, token: str) -> Reported:
        words = ["-m", "cli", "tail", "--address", f"http://127.0.0.1:{port}"]
        running.append(Reported(words, tmp_path / f"tail-{len(running)}", {**beside, "INBOX_TOKEN": token}))
        return running[-1]

    yield start
    for reported in running:
        reported.kill()


def lines(reported: Reported) -> list[dict[str, Any]]:
    return [json.loads(line) for line in reported.stated.splitlines() if line.startswith("{")]


def arrived(reported: Reported, change_type: str, times: int = 1) -> None:
    until(
        lambda: [each["type"] for each in lines(reported)].count(change_type) >= times,
        f"{change_type} in {reported.stated}",
    )


def test_a_session_follows_and_comes_back_after_the_server_was_away(
    tail: Tail, inbox: Run, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    port = free_port()
    with Web.start(settings, tmp_path, workers=1, port=port):
        reported = tail(port, cast.cookie("olga"))
        arrived(reported, "resync")
        assert inbox("source", "create", "Backups", "--workspace", "acme").returncode == 0
        arrived(reported, "source")
    until(lambda: "retrying in" in reported.stated, "it says that it was interrupted")
    with Web.start(settings, tmp_path, workers=1, port=port):
        arrived(reported, "resync", times=2)
        assert inbox("source", "create", "Billing", "--workspace", "acme").returncode == 0
        arrived(reported, "source", times=2)
    source = next(each for each in lines(reported) if each["type"] == "source")
    assert set(source) == {"type", "id", "workspaceId", "op", "rev"} and source["op"] == "created"


def test_a_paired_device_follows_too_until_it_is_signed_out(
    tail: Tail, inbox: Run, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    token, cookie = pair(cast.users["olga"]).access_token, cast.cookie("mia")
    with Web.start(settings, tmp_path, workers=1) as web:
        device, session, stranger = (tail(web.port, each) for each in (token, cookie, "nobody"))
        arrived(device, "resync")
        arrived(session, "resync")

        assert inbox("user", "reset-password", "mia@example.org", "--generate").returncode == 0

        assert (session.process.wait(60), stranger.process.wait(60)) == (1, 1)
        assert device.process.poll() is None
    assert "rejected the token" in stranger.stated and lines(stranger) == []
    assert "rejected the token" in session.stated and cookie not in session.stated
    assert token not in device.stated and "nobody" not in stranger.stated


def test_the_tail_command_reports_a_missing_token_or_server(inbox: Run) -> None:
    tokenless = inbox("tail")
    nobody = inbox("tail", "--address", "http://127.0.0.1:1", "--token", "svc_x")

    assert (tokenless.returncode, "INBOX_TOKEN" in tokenless.stderr) == (1, True)
    assert (nobody.returncode, "svc_x" in nobody.stderr) == (1, False)
