"""Jobs with visible effects, for workers in separate processes."""

from __future__ import annotations

import time
from pathlib import Path


def note(file: str, word: str) -> None:
    """Add a line to a file."""
    with Path(file).open("a") as notes:
        notes.write(word + "\n")


def slow(directory: str) -> None:
    """Say that it began, wait until it may end, say that it ended."""
    (Path(directory) / "began").touch()
    while not (Path(directory) / "go").exists():
        time.sleep(0.02)
    (Path(directory) / "ended").touch()


def fail(secret: str) -> None:
    raise RuntimeError(f"it broke over {secret}")
