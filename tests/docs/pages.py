"""The fenced blocks of the pages in `docs/users`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.faults.service_processes import PROJECT

USERS = PROJECT / "docs" / "users"

FIRST = "first-steps.md"
"""The page that creates the account."""

FENCE = re.compile(r"^```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

FILE = re.compile(r"[Ss]ave this as `([\w.-]+)`")
"""The paragraph before a block names the file that a reader saves the block in."""


@dataclass(frozen=True)
class Block:
    """One fenced block. `file` is the name that the page saves it under."""

    page: str
    line: int
    language: str
    text: str
    file: str | None

    @property
    def first_line(self) -> str:
        return self.text.splitlines()[0]

    @property
    def key(self) -> tuple[str, str]:
        """What names the block in a list: its page and its first line."""
        return self.page, self.first_line

    def __str__(self) -> str:
        return f"{self.page}:{self.line} {self.first_line}"


@dataclass(frozen=True)
class Page:
    """One page and its blocks in order."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.name

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @cached_property
    def blocks(self) -> list[Block]:
        return [self._block(found) for found in FENCE.finditer(self.text)]

    def _block(self, found: re.Match[str]) -> Block:
        before = self.text[: found.start()]
        file = FILE.search(before.rstrip().rpartition("\n\n")[2])
        return Block(
            self.name, before.count("\n") + 1, found["language"], found["text"], file.group(1) if file else None
        )


def pages() -> list[Page]:
    """All pages; the one that creates the account comes first."""
    return sorted((Page(path) for path in USERS.glob("*.md")), key=lambda page: (page.name != FIRST, page.name))


def page_named(name: str) -> Page:
    """One page."""
    return Page(USERS / name)
