"""Each kind with its settings and its stand-in, twice where it has two forms of settings.

The package of a kind in `tests/destinations` has the `CASES` of the kind and its rows in the tables of the tests.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from inbox.destinations import KINDS

MODULES = tuple(
    importlib.import_module(f"tests.destinations.{name}")
    for name in KINDS
    if importlib.util.find_spec(f"tests.destinations.{name}")
)
CASES = {case.name: case for module in MODULES for case in getattr(module, "CASES", ())}
EDITING = tuple(name for name, case in CASES.items() if case.edits)
CONVERGING = tuple(name for name, case in CASES.items() if case.converges)
"""Where one message of an incident is kept in its latest state."""


def with_table(name: str) -> Iterator[ModuleType]:
    """The packages of the kinds that have this table."""
    return (module for module in MODULES if hasattr(module, name))


def rows(name: str) -> list[Any]:
    """The rows of all kinds in a table."""
    return [row for module in with_table(name) for row in getattr(module, name)]
