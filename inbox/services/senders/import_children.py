"""The child processes that read set-ups of other tools: their number, and their limits (decision 0009)."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from inbox.domain.values.refusals import Unavailable
from inbox.intake.importers import plan
from inbox.intake.importers.plan import Plan, Unreadable
from inbox.runtime import child_process, work_budget
from inbox.runtime.child_process import Child

MOST_CHILDREN = 2
"""The most child processes of a web process at a time. Each has an interpreter in memory."""

WAIT_SECONDS = 10
"""The longest wait for a child process."""

_PROGRAM = "import sys; sys.path.insert(0, sys.argv[1]); from inbox.intake.importers import child; child.main()"
_ROOT = Path(__file__).parent.parent.parent.parent
_COMMAND = [sys.executable, "-I", "-c", _PROGRAM, str(_ROOT)]
_SHORTEST_RESULT = 1_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one child process."""

    seconds: float = 20.0
    """The time from its start to its end."""

    cpu_seconds: int = 10
    memory_bytes: int = 512 * 1024**2
    """Its address space. A database of 3 MiB needs about 100 MiB."""

    plan_bytes: int = 4 * 1024**2
    """A plan of 500 rules with long matches has about a megabyte."""


class ReadingFailed(Exception):
    """Raised when the reader fails because of a fault in the reader, not in the set-up."""


class Readers:
    """Starts the child processes, at most `most` at a time."""

    def __init__(self, limits: Limits, *, most: int = MOST_CHILDREN, wait_seconds: float = WAIT_SECONDS) -> None:
        self._limits = limits
        self._turns = threading.BoundedSemaphore(most)
        self._wait_seconds = wait_seconds

    def read(self, order: Mapping[str, Any], content: bytes) -> Plan:
        """Read a set-up. Raises `Unreadable`, and `Unavailable` when no child may start in time."""
        work_budget.rest()
        if not self._turns.acquire(timeout=self._wait_seconds):
            raise Unavailable("Other imports are being read. Try again.", retry_after=WAIT_SECONDS)
        try:
            return plan.restored(self._result(order, content))
        finally:
            self._turns.release()

    def _result(self, order: Mapping[str, Any], content: bytes) -> Mapping[str, Any]:
        limits = self._limits
        bounded = {
            **order,
            "cpuSeconds": limits.cpu_seconds,
            "memoryBytes": limits.memory_bytes,
            "planBytes": limits.plan_bytes,
        }
        with child_process.started(_COMMAND, limits.seconds) as child:
            written = _exchange(child, orjson.dumps(bounded) + b"\n" + content, limits.plan_bytes + _SHORTEST_RESULT)
        if child.is_late:
            raise Unreadable(f"Reading it takes more than {limits.seconds:g} s. Import a part of it.")
        if child.ended_by == signal.SIGXCPU:
            raise Unreadable(f"Reading it takes more than {limits.cpu_seconds} s of computing. Import a part of it.")
        if not written:
            raise Unreadable("The process that read it has ended. Import a part of it.")
        return _plan_of(orjson.loads(written), limits)


def _exchange(child: Child, content: bytes, longest: int) -> bytes:
    """Write the order to the child and return its result; empty when it ends without one."""
    with suppress(OSError):  # a child without memory answers before it has read everything
        child.input.write(content)
        child.input.close()
    try:
        written = child.output.read(longest)
    except OSError:
        written = b""
    child.process.wait()
    return written


def _plan_of(result: Mapping[str, Any], limits: Limits) -> Mapping[str, Any]:
    if result.get("outOfMemory"):
        mebibytes = limits.memory_bytes // 1024**2
        raise Unreadable(f"Reading it takes more than {mebibytes} MiB of memory. Import a part of it.")
    if "unreadable" in result:
        raise Unreadable(result["unreadable"])
    if "failed" in result:
        raise ReadingFailed(result["failed"])
    found: Mapping[str, Any] = result["plan"]
    return found
