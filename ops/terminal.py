"""The output of `bin/up`, to the terminal and to `logs/up.log`, whether or not they can be written."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
from pathlib import Path

PORTION = 128
"""The bytes of one write to the terminal. A terminal or a pipe that accepts any accepts this many without waiting."""


class Terminal:
    """Writes lines, and never raises or waits.

    A terminal that is gone or stopped by Ctrl-S must not stop the service, and neither must a full disk.
    """

    def __init__(self, log: Path) -> None:
        self._log = log
        self._failing_since = ""

    def say(self, text: str) -> None:
        """Writes one line, with the time. An unwritable log is reported once, and again after it was writable."""
        day, clock = time.strftime("%Y-%m-%d"), time.strftime("%H:%M:%S")
        lines = [f"{clock} {text}\n"]
        try:
            self._append(f"{day} {clock} {text}\n", day, clock)
        except OSError as fault:
            if not self._failing_since:
                self._failing_since = f"{day} {clock}"
                lines.append(f"{clock} {self._log} cannot be written: {fault.strerror}; the service continues\n")
        for line in lines:
            show(line)

    def _append(self, line: str, day: str, clock: str) -> None:
        with self._log.open("ab", buffering=0) as log:
            if self._failing_since:
                _write(log.fileno(), f"{day} {clock} nothing could be written here since {self._failing_since}\n")
                self._failing_since = ""
            _write(log.fileno(), line)


def _write(file: int, text: str) -> None:
    left = text.encode(errors="replace")
    while left:
        left = left[os.write(file, left) :]


def show(text: str) -> None:
    """Writes to the terminal alone, and only what it accepts at once. Never raises or waits."""
    left = text.encode(errors="replace")
    with contextlib.suppress(OSError, ValueError):
        terminal = sys.stdout.fileno()
        while left and select.select([], [terminal], [], 0)[1]:
            left = left[os.write(terminal, left[:PORTION]) :]
