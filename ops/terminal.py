"""What `bin/up` says: to the terminal and to `logs/up.log`, whether or not they can be written."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path


class Terminal:
    """Writes lines and never raises: a terminal that has gone away or a full disk is no reason to stop."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._failing_since = ""

    def say(self, text: str) -> None:
        """One line, with the time. When the log cannot be written this is said once, and again when it can."""
        day, clock = time.strftime("%Y-%m-%d"), time.strftime("%H:%M:%S")
        _print(f"{clock} {text}\n")
        try:
            self._append(f"{day} {clock} {text}\n", day, clock)
        except OSError as fault:
            if not self._failing_since:
                self._failing_since = f"{day} {clock}"
                _print(f"{clock} {self._log} cannot be written: {fault.strerror}; the service continues\n")

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


def _print(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        _write(sys.stdout.fileno(), text)
