"""Fixtures that run the agent as a host does: one file, in a separate process and environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agent import bundle
from agent.client import Client
from agent.spool import Spool
from inbox.config.settings import Settings
from tests.live.web import Web
from tests.runner.ports import free_port

SECONDS = 90


def oldest_python() -> str:
    """Python 3.8 where the machine has it, else the one of the tests."""
    found = shutil.which("python3.8")
    works = found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0
    return found if found and works else sys.executable


@dataclass
class Host:
    """A machine with the file `inbox.py` and its own home."""

    home: Path
    file: Path
    address: str = ""
    credential: str = ""

    def run(self, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the agent to its end."""
        return subprocess.run(
            self.command(*words),
            env=self.environment(**more),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def start(self, *words: str, **more: str) -> subprocess.Popen[str]:
        """Start the agent."""
        return subprocess.Popen(self.command(*words), env=self.environment(**more), stderr=subprocess.PIPE, text=True)

    def command(self, *words: str) -> list[str]:
        return [oldest_python(), str(self.file), *words]

    def environment(self, **more: str) -> dict[str, str]:
        own = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "INBOX_ADDRESS": self.address,
            "INBOX_RETRY_SECONDS": "0",
        }
        return {**own, "INBOX_SOURCE_KEY": self.credential, "INBOX_HEARTBEAT_TOKEN": self.credential, **more}

    def waiting(self) -> list[Path]:
        """The requests that wait on the disk."""
        return sorted((self.home / ".local/state/inbox-spool").glob("*/*.json"))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    """A host whose instance is unreachable: nobody listens at its address."""
    file, home = tmp_path / "inbox.py", tmp_path / "home"
    file.write_text(bundle.source(), encoding="utf-8")
    home.mkdir()
    return Host(home, file, f"http://127.0.0.1:{free_port()}")


@pytest.fixture
def web(host: Host, web_of_file: Web) -> Web:
    """The instance, whose address the host knows."""
    host.address = f"http://127.0.0.1:{web_of_file.port}"
    return web_of_file


@pytest.fixture
def late_web(host: Host, settings: Settings, tmp_path: Path) -> Iterator[Web]:
    """An instance that starts at the address that the host knows."""
    with Web.start(settings, tmp_path, workers=1, port=int(host.address.rpartition(":")[2])) as started:
        yield started


@pytest.fixture
def spool(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Spool:
    """The spool of the client that the test file defines."""
    monkeypatch.setenv("INBOX_SPOOL", str(tmp_path / "spool"))
    return Spool(client.address, client.credential)
