"""YAML of others, whose depth and size are checked before anything is made of it.

A reader of YAML follows references to parts of the document. A few hundred bytes can stand for billions of nodes, and deep
nesting ends the process.
"""

from __future__ import annotations

from typing import Any

import yaml

from inbox.intake.importers.plan import Unreadable

DEEPEST = 100
"""Levels of lists and objects in each other."""

MOST_NODES = 50_000
"""Values, lists and objects, where each reference counts as what it refers to."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""What `yaml.safe_load` uses, in C where it is there: a large file takes milliseconds instead of seconds."""


def document(text: str) -> Any:
    """The document. Raises `Unreadable`."""
    try:
        _check(text)
        return LOADER(text).get_single_data()
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as fault:
        mark = getattr(fault, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise Unreadable(f"It is no YAML{place}.") from None


def _check(text: str) -> None:
    """Count nodes and levels as they are parsed, in constant depth. Raises `Unreadable`."""
    counted = _Counted()
    for event in yaml.parse(text, Loader=LOADER):
        counted.add(event)
        if len(counted.open_nodes) > DEEPEST or counted.total > MOST_NODES:
            raise Unreadable(f"It has more than {DEEPEST} levels, or {MOST_NODES:,} values with its references.")


class _Counted:
    """The nodes until now, with those that references stand for, and the lists and objects that are open."""

    def __init__(self) -> None:
        self.total = 0
        self.open_nodes: list[tuple[str | None, int]] = []
        self._sizes: dict[str | None, int] = {}

    def add(self, event: Any) -> None:
        """Count an event of the parser."""
        if isinstance(event, yaml.AliasEvent):
            # A part that refers to itself is not complete yet, and has no size.
            self.total += self._sizes.get(event.anchor, MOST_NODES)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = self.open_nodes.pop()
            self._sizes[anchor] = self.total - before
        elif isinstance(event, yaml.NodeEvent):
            self.total += 1
            self._sizes[event.anchor] = 1
            if isinstance(event, yaml.CollectionStartEvent):
                self._sizes.pop(event.anchor, None)
                self.open_nodes.append((event.anchor, self.total - 1))
