"""Runs the command of a check: with a time limit, bounded output, and without leftover processes where possible."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from typing import IO, NamedTuple

KEPT_OUTPUT = 4000
PIECE = 65536
KILL_SECONDS = 2.0


class Finished(NamedTuple):
    """The end of a command. `code` is None when it did not end in time; a signal is 128 and its number."""

    code: int | None
    output: str


class Tail:
    """The last bytes of an output. Any number of threads may add to it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._stored = b""
        self._lock = threading.Lock()

    def add(self, piece: bytes) -> None:
        """Adds a piece of output, and drops the oldest one beyond the size."""
        with self._lock:
            self._stored = (self._stored + piece)[-self._size :]

    def text(self) -> str:
        """Returns the last bytes as text."""
        with self._lock:
            return self._stored.decode("utf-8", "replace").replace("\0", "\ufffd")


def run_command(command: str | list[str], seconds: float) -> Finished:
    """Runs a command, a text through the shell, and waits for at most `seconds`. Raises `OSError` when it cannot start.

    The command and its children are killed at the limit. One that cannot be killed is left alone.
    """
    until = time.monotonic() + seconds
    process = subprocess.Popen(
        command,
        shell=isinstance(command, str),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    tail = Tail(KEPT_OUTPUT)
    reader = threading.Thread(target=_read_all, args=(process.stdout, tail), daemon=True)
    reader.start()
    try:
        code: int | None = process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired:
        code = None
        _kill(process)
    # A child in the background may keep the output open after the command has ended.
    reader.join(0.5)
    return Finished(exit_code(code), tail.text())


def exit_code(code: int | None) -> int | None:
    """Returns the exit code in the form of a shell: a signal is 128 and its number."""
    return 128 - code if code is not None and code < 0 else code


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    try:
        process.wait(KILL_SECONDS)
    except subprocess.TimeoutExpired:
        pass


def _read_all(stream: IO[bytes] | None, tail: Tail) -> None:
    while stream is not None:
        try:
            piece = os.read(stream.fileno(), PIECE)
        except (OSError, ValueError):
            return
        if not piece:
            return
        tail.add(piece)
