"""Child processes for work that may need too much time or memory. Each has a deadline and limits."""

from __future__ import annotations

import resource
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import IO

ENVIRONMENT = {"HOME": "/nonexistent", "PATH": "", "LANG": "C.UTF-8"}
"""The whole environment of a child, so that it has no variable with a secret."""


@dataclass(slots=True)
class Child:
    """A running child with its standard input and output, in bytes."""

    process: subprocess.Popen[bytes]
    _late: threading.Event = field(default_factory=threading.Event)

    @property
    def input(self) -> IO[bytes]:
        """The standard input of the child."""
        assert self.process.stdin is not None
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        """The standard output of the child."""
        assert self.process.stdout is not None
        return self.process.stdout

    @property
    def is_late(self) -> bool:
        """Whether the child was ended at its deadline."""
        return self._late.is_set()

    @property
    def ended_by(self) -> int | None:
        """The signal that ended the child, if it was one; known after `started`."""
        code = self.process.returncode
        return -code if code is not None and code < 0 else None

    def end_late(self) -> None:
        """End the child because its time is over."""
        self._late.set()
        self.process.kill()


@contextmanager
def started(command: Sequence[str], seconds: float) -> Iterator[Child]:
    """Start a child. It is ended after `seconds`, and with the block at the latest, unless it has ended by itself.

    A block that has read the whole output waits for the end of the child in `Child.process`.
    """
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT, cwd="/"
    )
    child = Child(process)
    timer = threading.Timer(max(0.0, seconds), child.end_late)
    timer.start()
    try:
        yield child
    finally:
        timer.cancel()
        process.kill()
        for pipe in (child.input, child.output):
            with suppress(OSError):  # of output that was never read
                pipe.close()
        process.wait()


def limit(*, memory_bytes: int, cpu_seconds: int | None = None) -> None:
    """Limit this process, which is a child: the kernel refuses more memory, and ends it with SIGXCPU after the time."""
    limits = [(resource.RLIMIT_AS, memory_bytes, memory_bytes)]
    if cpu_seconds is not None:
        limits.append((resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 1))
    for name, soft, hard in limits:
        with suppress(ValueError, OSError):  # a lower limit of the service stays
            resource.setrlimit(name, (soft, hard))
