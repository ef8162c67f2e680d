"""The documents of the repository: every page that a reader opens."""

from __future__ import annotations

from pathlib import Path

PROJECT = Path(__file__).parent.parent.parent

DOCUMENTS = tuple(
    sorted(
        [
            *PROJECT.glob("*.md"),
            *(PROJECT / "docs").rglob("*.md"),
            *(PROJECT / room / "README.md" for room in ("bench", "web")),
        ]
    )
)
"""The pages of `docs`, those beside it, and the pages of the measurements and of the dashboard."""


def named(path: Path) -> str:
    """The path of a file in the repository."""
    return str(path.relative_to(PROJECT))
