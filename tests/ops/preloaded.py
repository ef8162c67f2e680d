"""`bin/inbox` in their own processes that do not import it again: one process imports it and is forked for each command.

Importing costs about a second of a processor, and these tests run some two hundred commands. The preloaded process opens no
connection and starts no thread before it is forked. `python -m tests.ops.preloaded` is that process; standard input is its socket.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import BinaryIO

from tests.ops.processes import PROJECT

FINISHED_SECONDS = 120.0
MOST_BYTES = 1 << 20


class Preloaded:
    """The process that has imported the commands, seen from the tests."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    @classmethod
    @contextmanager
    def started(cls) -> Iterator[Preloaded]:
        """It ends with the block."""
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, its:
            process = subprocess.Popen([sys.executable, "-m", __name__], stdin=its, cwd=PROJECT, env=dict(os.environ))
            its.close()
            try:
                yield cls(ours)
            finally:
                ours.close()
                process.wait(60)

    def run(self, words: list[str], environment: Mapping[str, str], stated: str) -> subprocess.CompletedProcess[str]:
        """One command as `subprocess.run` would run it; raises `TimeoutError` when it does not end."""
        with ExitStack() as files:
            standard = [files.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            standard[0].write(stated.encode())
            standard[0].seek(0)
            request = json.dumps({"words": words, "environment": dict(environment)}).encode()
            self._connection.settimeout(FINISHED_SECONDS)
            socket.send_fds(self._connection, [request], [each.fileno() for each in standard])
            code = int(self._connection.recv(MOST_BYTES))
            return subprocess.CompletedProcess(words, code, _text(standard[1]), _text(standard[2]))


def _text(file: BinaryIO) -> str:
    file.seek(0)
    return file.read().decode()


def main() -> None:
    """Fork for each request, wait, and answer the exit code, until the other end closes."""
    from cli.__main__ import run

    gc.collect()
    gc.freeze()  # a process that ends would look through all of it for cycles, and copy the memory for that
    connection = socket.socket(fileno=os.dup(0))
    while True:
        request, descriptors, *_ = socket.recv_fds(connection, MOST_BYTES, 3)
        if not request:
            return
        child = os.fork()
        if child == 0:
            connection.close()
            for number, descriptor in enumerate(descriptors):
                os.dup2(descriptor, number)
            os.closerange(3, 64)
            command = json.loads(request)
            os.environ.clear()
            os.environ.update(command["environment"])
            sys.argv[1:] = command["words"]
            sys.exit(run())
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        connection.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    main()
