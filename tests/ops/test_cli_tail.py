"""`bin/inbox tail` follows the stream of a real server, and comes back to one that was away."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inbox.settings import Settings
from tests.cast import Cast
from tests.live.web import Web
from tests.ops.conftest import Run
from tests.ops.processes import Told, until
from tests.phone import pair
from tests.ports import free_port

pytestmark = pytest.mark.slow
Tail = Callable[..., Told]


@pytest.fixture
def tail(beside: dict[str, str], tmp_path: Path) -> Iterator[Tail]:
    """`tail(web.port, token)` follows."""
    running: list[Told] = []

    def start(port: int, token: str) -> Told:
        words = ["-m", "cli", "tail", "--address", f"http://127.0.0.1:{port}"]
        running.append(Told(words, tmp_path / f"tail-{len(running)}", {**beside, "INBOX_TOKEN": token}))
        return running[-1]

    yield start
    for told in running:
        told.kill()


def lines(told: Told) -> list[dict[str, Any]]:
    return [json.loads(line) for line in told.said.splitlines() if line.startswith("{")]


def heard(told: Told, change_type: str, times: int = 1) -> None:
    until(lambda: [each["type"] for each in lines(told)].count(change_type) >= times, f"{change_type} in {told.said}")


def test_a_session_follows_and_comes_back_after_the_server_was_away(
    tail: Tail, inbox: Run, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    port = free_port()
    with Web.start(settings, tmp_path, workers=1, port=port):
        told = tail(port, cast.cookie("olga"))
        heard(told, "resync")
        assert inbox("source", "create", "Backups", "--workspace", "acme").returncode == 0
        heard(told, "source")
    until(lambda: "retrying in" in told.said, "it says that it was interrupted")
    with Web.start(settings, tmp_path, workers=1, port=port):
        heard(told, "resync", times=2)
        assert inbox("source", "create", "Billing", "--workspace", "acme").returncode == 0
        heard(told, "source", times=2)
    source = next(each for each in lines(told) if each["type"] == "source")
    assert set(source) == {"type", "id", "workspaceId", "op", "rev"} and source["op"] == "created"


def test_a_paired_device_follows_too_and_who_is_signed_out_is_told(
    tail: Tail, inbox: Run, cast: Cast, settings: Settings, tmp_path: Path
) -> None:
    token, cookie = pair(cast.users["olga"]).access_token, cast.cookie("mia")
    with Web.start(settings, tmp_path, workers=1) as web:
        device, session, stranger = (tail(web.port, each) for each in (token, cookie, "nobody"))
        heard(device, "resync")
        heard(session, "resync")

        assert inbox("user", "reset-password", "mia@example.org", "--generate").returncode == 0

        assert (session.process.wait(60), stranger.process.wait(60)) == (1, 1)
        assert device.process.poll() is None
    assert "rejected the token" in stranger.said and lines(stranger) == []
    assert "rejected the token" in session.said and cookie not in session.said
    assert token not in device.said and "nobody" not in stranger.said


def test_without_a_token_or_a_server_it_says_so(inbox: Run) -> None:
    tokenless = inbox("tail")
    nobody = inbox("tail", "--address", "http://127.0.0.1:1", "--token", "svc_x")

    assert (tokenless.returncode, "INBOX_TOKEN" in tokenless.stderr) == (1, True)
    assert (nobody.returncode, "svc_x" in nobody.stderr) == (1, False)
