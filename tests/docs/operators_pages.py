"""The pages in `docs/operators`: their headings, their command blocks, and how a test executes a block."""

from __future__ import annotations

import ast
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from textwrap import dedent

from ops.binaries import postgres_programs
from tests.faults.service_processes import PROJECT, until

OPERATORS = PROJECT / "docs" / "operators"
EXAMPLES = OPERATORS / "examples"
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
ALIEN = ("DATABASE_URL", "REDIS_URL")
"""Of the environment of the tests; a block brings its own."""


@dataclass(frozen=True)
class Block:
    """One fenced block. `number` counts the blocks under one heading, from 1."""

    page: str
    heading: str
    number: int
    language: str
    text: str

    @property
    def key(self) -> tuple[str, str, int]:
        """What names the block in a list."""
        return self.page, self.heading, self.number


def pages() -> list[Path]:
    """All pages."""
    return sorted(OPERATORS.glob("*.md"))


@cache
def blocks() -> list[Block]:
    """The blocks of all pages."""
    return [each for path in pages() for each in _blocks(path.name, path.read_text())]


def _blocks(page: str, text: str) -> Iterator[Block]:
    def heading(fence: re.Match[str]) -> str:
        prose = FENCE.sub(lambda each: "\n" * each[0].count("\n"), text[: fence.start()])
        return HEADING.findall(prose)[-1]

    for name, found in groupby(FENCE.finditer(text), heading):
        for number, fence in enumerate(found, 1):
            yield Block(page, name, number, fence["language"], dedent(fence["text"]))


def block(page: str, heading: str, number: int = 1) -> Block:
    """One command block; whoever asks for it executes it (`executed`)."""
    return next(each for each in blocks() if each.key == (page, heading, number) and each.language == "sh")


def executed() -> set[tuple[str, str, int]]:
    """The keys of the blocks for which the tests of these pages, or what they share, call `block`."""
    found = set()
    for path in Path(__file__).parent.glob("*operators*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "block":
                page, heading, *number = [ast.literal_eval(each) for each in node.args]
                found.add((page, heading, number[0] if number else 1))
    return found


@dataclass(frozen=True)
class Shell:
    """A place to execute blocks: what stands for the names and paths of an example, and the environment."""

    place: Mapping[str, str]
    environment: Mapping[str, str]

    def run(self, chosen: Block, *, at: Path = PROJECT) -> str:
        """Execute a block to its end; answers its output. Fails at the first command that fails."""
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", self._text(chosen)],
            cwd=at, env=self._environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=180, check=False, start_new_session=True,
        )  # fmt: skip
        assert done.returncode == 0, (chosen.key, done.stdout[-1000:], done.stderr[-3000:])
        return done.stdout

    @contextmanager
    def started(self, chosen: Block, log: Path) -> Iterator[subprocess.Popen[bytes]]:
        """The block runs while the context lasts; everything that it started is ended then."""
        with log.open("ab") as out:
            shell = subprocess.Popen(
                ["bash", "-eo", "pipefail", "-c", self._text(chosen)],
                cwd=PROJECT, env=self._environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                start_new_session=True,
            )  # fmt: skip
        try:
            yield shell
        finally:
            _end(shell)

    def _text(self, chosen: Block) -> str:
        text = chosen.text
        for example, ours in self.place.items():
            text = text.replace(example, ours)
        return text

    def _environment(self) -> dict[str, str]:
        ours = {name: value for name, value in os.environ.items() if name not in ALIEN}
        programs = postgres_programs()
        path = f"{(programs.root / programs.program).parent}:{Path(sys.executable).parent}:{ours['PATH']}"
        return {**ours, "PATH": path, **self.environment}


def _end(shell: subprocess.Popen[bytes]) -> None:
    """SIGTERM to the group of the shell, and SIGKILL to what is left of it."""

    def is_gone() -> bool:
        shell.poll()
        try:
            os.killpg(shell.pid, 0)
        except ProcessLookupError:
            return True
        return False

    try:
        if not is_gone():
            os.killpg(shell.pid, signal.SIGTERM)
        until(is_gone, "the processes of the block end", 90)
    finally:
        if not is_gone():
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
