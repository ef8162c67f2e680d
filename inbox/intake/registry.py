"""Registry of the tools that may call `POST /v1/hooks/{tool}`.

Each package in `tools` is one, and its `TOOL` describes it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from inbox.intake import tools
from inbox.intake.base import Tool

TOOL_FOLDERS = Path(__file__).parent / "tools"
"""The folder with the texts of each tool."""


def _discovered() -> Iterator[Tool]:
    for found in pkgutil.iter_modules(tools.__path__):
        yield importlib.import_module(f"{tools.__name__}.{found.name}").TOOL


TOOLS: Mapping[str, Tool] = {
    tool.name: tool for tool in sorted(_discovered(), key=lambda tool: tool.listed_as or tool.name)
}

SIGNING = tuple(name for name, tool in TOOLS.items() if tool.signing is not None)
"""The tools that sign their requests."""

SYNONYMS: Mapping[str, str] = {synonym: name for name, tool in TOOLS.items() for synonym in tool.synonyms}
"""Alternative names in the path."""


def find(name: str) -> Tool | None:
    """Returns the tool of a name in a path. A hyphen equals an underscore."""
    name = name.replace("-", "_").lower()
    return TOOLS.get(SYNONYMS.get(name, name))
