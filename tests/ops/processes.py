"""Reads the output of real processes, and checks whether they run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parent.parent.parent


def until(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """Poll until the condition holds, and answer it."""
    end = time.monotonic() + seconds
    while not (answer := condition()):
        assert time.monotonic() < end, f"not within {seconds:g} s: {what}"
        time.sleep(0.03)
    return answer


def lives(pid: int) -> bool:
    """Whether the process runs; one that has ended and was not waited for does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc").is_dir()


class Reported:
    """A process of ours whose words go to a file."""

    def __init__(self, arguments: Sequence[str | Path], output: Path, env: Mapping[str, str] | None = None) -> None:
        self.output = output
        with output.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *map(str, arguments)],
                cwd=PROJECT,
                env=None if env is None else dict(env),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def stated(self) -> str:
        return self.output.read_text()

    def pid_of(self, name: str, *, after: int = 0) -> int:
        """The pid that it reported last for `name`, another one than `after`."""

        def found() -> int:
            pids = re.findall(rf"{name} runs(?: again)?, pid (\d+)", self.stated)
            return int(pids[-1]) if pids and int(pids[-1]) != after else 0

        return int(until(found, f"{name} runs (again): {self.stated[-2000:]}"))

    def waits_for(self, words: str) -> None:
        until(lambda: words in self.stated, f"says {words!r}: {self.stated[-2000:]}", 180)

    def kill(self) -> None:
        """Whatever is left of it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
