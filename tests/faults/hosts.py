"""Hosts as network namespaces, with a link each to the network of the servers. Only root can make them.

Addresses are private and exist on this machine alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ops.children import Child
from tests.faults.service_processes import PROJECT

BRIDGE = "inbox-net"
SERVERS, RECEIVER = "10.77.0.1", "10.77.0.2"
"""Addresses of the servers and of the receiver of webhooks, in the namespace of the test."""


def _ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


class Host:
    """A host that runs parts of the service. Each part is started again when it ends, as systemd does it."""

    def __init__(self, number: int, name: str) -> None:
        self.name, self.address = f"inbox-{name}", f"10.77.0.{number}"
        self._link = f"inbox-link{number}"
        self._parts: list[Child] = []

    def connect(self) -> None:
        """Makes the namespace and its link."""
        inside = f"inbox-eth{self.address.rpartition('.')[2]}"
        _ip("netns", "add", self.name)
        _ip("link", "add", self._link, "type", "veth", "peer", "name", inside, "netns", self.name)
        _ip("link", "set", self._link, "master", BRIDGE, "up")
        for words in (
            ("addr", "add", f"{self.address}/24", "dev", inside),
            ("link", "set", inside, "up"),
            ("link", "set", "lo", "up"),
        ):
            _ip("-n", self.name, *words)

    def runs(self, parts: Sequence[str], environment: Mapping[str, str], folder: Path) -> None:
        """Names the parts of `ops.run` that `start` starts."""
        folder.mkdir(parents=True)
        for number, part in enumerate(parts):
            forever = f"while :; do {sys.executable} -m ops.run {part}; sleep 1; done"
            self._parts.append(
                Child(
                    name=f"{self.name}-{part}",
                    argv=["ip", "netns", "exec", self.name, "sh", "-c", forever],
                    env={**environment, "INBOX_DATA_DIR": str(folder), "INBOX_HOST": self.address},
                    cwd=PROJECT,
                    log=folder / f"part-{number}.log",
                    death_signal=signal.SIGKILL,
                )
            )

    def start(self) -> None:
        for part in self._parts:
            part.start()

    def kill(self) -> None:
        """kill -9 of everything there, as when the machine is gone."""
        while pids := self._pids():
            self._send(pids, signal.SIGKILL)
        for part in self._parts:
            part.wait(20)

    def freeze(self) -> None:
        """Everything there stops until it is thawed."""
        self._send(self._pids(), signal.SIGSTOP)

    def thaw(self) -> None:
        self._send(self._pids(), signal.SIGCONT)

    def cut(self) -> None:
        """Packets from and to the host are lost, without an error to anybody."""
        _ip("link", "set", self._link, "down")

    def mend(self) -> None:
        _ip("link", "set", self._link, "up")

    def remove(self) -> None:
        """Ends everything there and takes the namespace away."""
        with suppress(subprocess.CalledProcessError):
            self.kill()
            _ip("netns", "del", self.name)
        with suppress(subprocess.CalledProcessError):
            _ip("link", "del", self._link)  # a connection that is not closed yet keeps the namespace for a while

    def _pids(self) -> list[int]:
        return [int(pid) for pid in _ip("netns", "pids", self.name).split()]

    def _send(self, pids: Sequence[int], number: signal.Signals) -> None:
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, number)


@contextmanager
def hosts(*names: str) -> Iterator[dict[str, Host]]:
    """Connected hosts by their names, which are gone afterwards. The test is skipped where they cannot be made."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("network namespaces need root and the program ip")
    made = {name: Host(number, name) for number, name in enumerate(names, 11)}
    try:
        _ip("link", "add", BRIDGE, "type", "bridge")
        for address in (SERVERS, RECEIVER):
            _ip("addr", "add", f"{address}/24", "dev", BRIDGE)
        _ip("link", "set", BRIDGE, "up")
        for host in made.values():
            host.connect()
    except subprocess.CalledProcessError as error:
        _remove(made)
        pytest.skip(f"network namespaces cannot be made: {error.stderr}")
    try:
        yield made
    finally:
        _remove(made)


def _remove(made: Mapping[str, Host]) -> None:
    for host in made.values():
        host.remove()
    with suppress(subprocess.CalledProcessError):
        _ip("link", "del", BRIDGE)
