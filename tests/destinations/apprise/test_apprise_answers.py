"""Apprise: limits on the answers that a process reads, and on its memory (specification 9.19)."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest

from inbox.config import settings as in_force
from inbox.config.settings import Settings
from inbox.destinations import apprise as module
from inbox.destinations.apprise import child as apprise_child
from tests.destinations.apprise.test_apprise import at, send
from tests.stand_ins.receivers import Answer, Receiver

BUFFERED = 30_000_000
"""More than the buffers of both ends of a connection hold."""


@pytest.fixture(autouse=True)
def _settings(settings: Settings) -> Iterator[None]:
    in_force.use(replace(settings, edition="self_hosted", delivery_timeout_seconds=60))
    yield
    in_force.use(settings)


@cache
def bomb() -> bytes:
    """A gzip stream of less than 1 MiB, which inflates to twice the memory of the process."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(2 * apprise_child.MEMORY_BYTES >> 20)]
    return b"".join(parts) + packer.flush()


@pytest.mark.parametrize("status", [200, 302, 500])
def test_a_compressed_answer_is_not_inflated(receiver: Receiver, status: int) -> None:
    receiver.answer = Answer(status, bomb(), {"Content-Encoding": "gzip"})

    receipt = send(at(receiver))

    assert (receipt.is_accepted, receipt.status_code) == (status == 200, status)
    assert [each.headers["accept-encoding"] for each in receiver.requests] == ["identity"]


@pytest.mark.parametrize("length", ["", "Content-Length: 900000000\r\n"], ids=["until closed", "with a length"])
def test_no_more_than_64_kib_of_an_answer_are_read(length: str) -> None:
    sent = 0

    def serve(listening: socket.socket) -> None:
        nonlocal sent
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(f"HTTP/1.1 200 OK\r\n{length}\r\n".encode())
            while sent < 900_000_000:
                sent += connection.send(bytes(65_536))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=serve, args=(listening,), daemon=True)
        serving.start()
        receipt = send(f"json://127.0.0.1:{listening.getsockname()[1]}/hook")
        serving.join(20)

    assert (receipt.is_accepted, receipt.status_code) == (True, 200)
    assert sent < BUFFERED


def test_the_status_counts_when_the_body_is_lost(receiver: Receiver) -> None:
    receiver.answer = Answer(200, bytes(1_000), cut=10)
    assert send(at(receiver)).is_accepted


def test_the_memory_of_the_process_is_limited() -> None:
    program = (
        "import importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('child', {str(module.PROGRAM)!r})\n"
        "child = importlib.util.module_from_spec(spec); spec.loader.exec_module(child)\n"
        "child.prepare = lambda parent: []\n"
        "child.send = lambda *_: {'length': len(bytearray(child.MEMORY_BYTES))}\n"
        "child.main()\n"
    )
    command = [sys.executable, "-I", "-c", program]
    ran = subprocess.run(command, input="{}\n", capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
