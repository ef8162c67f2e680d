"""Runs measuring programs as processes. They read and answer JSON, and cannot outlive us."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

from inbox.runtime.distribution import ROOT
from ops.children import die_with_parent


class Program:
    """`python -m bench.<name>`, which exchanges lines of JSON."""

    def __init__(self, name: str, **order: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", f"bench.{name}"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM) if sys.platform == "linux" else None,  # noqa: PLW1509
        )
        self.write_line(order)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        return self._process.pid

    def write_line(self, order: Any) -> None:
        """Writes one line to the program."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def read_line(self) -> Any:
        """Returns the next line of the program. Raises `RuntimeError` when it ended instead."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the program ended with {self._process.wait()}")
        return json.loads(line)

    def request(self, order: Any) -> Any:
        """Writes a line and returns the answer."""
        self.write_line(order)
        return self.read_line()
