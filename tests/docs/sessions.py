"""Runs the blocks of a page as one shell session."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.docs.pages import Block, Page
from tests.faults.service_processes import PROJECT
from tests.runner.ports import free_port
from tests.up import Up

SECONDS = 300
MARK = "=== block "
ELISION = "…"
"""In a shown answer: any text, or, as a member, any further members."""


@dataclass(frozen=True)
class Result:
    """What each block did. `outputs` has the output of each shell block that ran."""

    outputs: dict[Block, str]
    complete: bool
    transcript: str

    def executed(self, page: Page) -> list[Block]:
        """The blocks that ran, or whose answer is the one that the shell block before it printed."""
        return [block for index, block in enumerate(page.blocks) if self._is_executed(page, index)]

    def _is_executed(self, page: Page, index: int) -> bool:
        block = page.blocks[index]
        if block.language == "sh" and not block.file:
            return block in self.outputs
        if block.language == "json":
            before = [each for each in page.blocks[:index] if each in self.outputs]
            return bool(before) and any(is_like(json.loads(block.text), it) for it in answers(self.outputs[before[-1]]))
        return block.file is not None and any(block.file in each.text for each in self.outputs)


def run(page: Page, up: Up, directory: Path, skipped: set[Block], key: str = "") -> Result:
    """Run the shell blocks of a page in order, in one shell that stops at the first failure.

    1. Write the blocks that the page saves as files.
    2. Run the shell blocks, each after a line that names its index.
    3. End what the page has started in the background.
    """
    directory.mkdir()
    place = _replacements(up, key)
    for block in page.blocks:
        if block.file:
            (directory / block.file).write_text(place(block.text))
            (directory / block.file).chmod(0o755)
    chosen = [
        (index, block)
        for index, block in enumerate(page.blocks)
        if block.language == "sh" and not block.file and block not in skipped
    ]
    lines = [f"echo '{MARK}{index}'\n{place(block.text)}" for index, block in chosen]
    transcript = _shell("set -eo pipefail\n" + "\n".join(lines) + f"\necho '{MARK}end'\n", up, directory)
    return Result(dict(_outputs(transcript, page)), f"{MARK}end" in transcript, transcript)


def _replacements(up: Up, key: str) -> Callable[[str], str]:
    """Addresses, paths and the source key of a reader become those of this run; the rest of a block stays."""
    ports: dict[str, str] = {}

    def port(found: re.Match[str]) -> str:
        return ports.setdefault(found[0], str(free_port()))

    def place(text: str) -> str:
        text = text.replace("http://127.0.0.1:8080", up.address)
        text = re.sub(r"\b909\d\b", port, text).replace("svc_src_your_key", key)
        text = text.replace("docs/examples/", f"{PROJECT}/docs/examples/")
        return text.replace("bin/inbox ", f"{PROJECT}/bin/inbox ")

    return place


def _shell(script: str, up: Up, directory: Path) -> str:
    log = directory / "session.log"
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment["INBOX_DATA_DIR"] = str(up.data)
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    with log.open("wb") as out:
        shell = subprocess.Popen(
            ["bash", "-c", script], cwd=directory, env=environment, stdin=subprocess.DEVNULL,
            stdout=out, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            shell.wait(SECONDS)
        finally:
            _end(shell)
    return log.read_text()


def _end(shell: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(shell.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    shell.wait()


def _outputs(transcript: str, page: Page) -> Iterator[tuple[Block, str]]:
    """The output of each block that ran to its end."""
    parts = transcript.split(MARK)[1:]
    for part, _ in pairwise(parts):
        index, _, output = part.partition("\n")
        yield page.blocks[int(index)], output


def answers(output: str) -> Iterator[Any]:
    """The JSON values in an output."""
    decoder, position = json.JSONDecoder(), 0
    while (position := _next(output, position)) >= 0:
        try:
            value, position = decoder.raw_decode(output, position)
        except json.JSONDecodeError:
            position += 1
        else:
            yield value


def _next(output: str, position: int) -> int:
    found = [at for sign in "{[" if (at := output.find(sign, position)) >= 0]
    return min(found, default=-1)


def is_like(shown: Any, actual: Any) -> bool:
    """Whether a shown value stands for an actual one: equal, except where the shown one has an ellipsis."""
    if isinstance(shown, dict) and isinstance(actual, dict):
        retained = {name: value for name, value in shown.items() if name != ELISION}
        return (retained.keys() == actual.keys() or (ELISION in shown and retained.keys() < actual.keys())) and all(
            is_like(value, actual[name]) for name, value in retained.items()
        )
    if isinstance(shown, list) and isinstance(actual, list):
        return len(shown) == len(actual) and all(map(is_like, shown, actual))
    if isinstance(shown, str) and isinstance(actual, str) and ELISION in shown:
        start, _, end = shown.partition(ELISION)
        return actual.startswith(start) and actual.endswith(end)
    return type(shown) is type(actual) and bool(shown == actual)
