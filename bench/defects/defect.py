"""A planted defect: a small mistake in the code that some test must notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class NotApplicable(Exception):
    """The text that a defect replaces is not in its file exactly once."""


@dataclass(frozen=True)
class Defect:
    """Replaces `old`, which stands in the file exactly once, by `new`. At least one of `tests` must fail then.

    `tests` are arguments of pytest: files, or single tests as `file::name`.
    """

    name: str
    path: str
    old: str
    new: str
    tests: tuple[str, ...]

    def planted(self, root: Path) -> str:
        """Returns the text of the file with the defect in it. Raises `NotApplicable`."""
        text = (root / self.path).read_text()
        found = text.count(self.old)
        if found != 1:
            raise NotApplicable(f"{self.name}: the text to replace is {found} times in {self.path}")
        return text.replace(self.old, self.new)


def defect(name: str, path: str, old: str, new: str, *tests: str) -> Defect:
    """Returns one line of a list of defects."""
    return Defect(name, path, old, new, tests)
