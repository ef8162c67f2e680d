"""Tests that need packages of npm are skipped where no registry answers."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.client.generated import installed
from tests.stand_ins.receivers import Answer, Receiver

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("status", [403, 503])
def test_a_registry_behind_a_closed_proxy_skips_the_test(
    status: int, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.script(*[Answer(status, b"{}")] * 400)

    _assert_skips(receiver.url, tmp_path, monkeypatch)


def test_an_unreachable_registry_skips_the_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/"

        _assert_skips(address, tmp_path, monkeypatch)


def _assert_skips(registry: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", registry)
    monkeypatch.setenv("npm_config_cache", str(folder / "cache"))
    with pytest.raises(pytest.skip.Exception, match="registry"):
        installed(folder)
