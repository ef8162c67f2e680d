"""Reads untrusted YAML, and checks its depth and size before building any value.

A YAML reader follows references to parts of the document. A few hundred bytes can expand to billions of nodes, and deep
nesting ends the process.
"""

from __future__ import annotations

from typing import Any, ClassVar

import yaml

from inbox.intake.importers.plan import Unreadable

DEEPEST = 100
"""The maximum number of nested lists and objects."""

MOST_NODES = 50_000
"""The maximum number of values, lists and objects. Each reference counts as the nodes it refers to."""

LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader of `yaml.safe_load`, in C if available: a large file takes milliseconds instead of seconds."""

_RESOLVED = frozenset({"tag:yaml.org,2002:merge", "tag:yaml.org,2002:null"})


class _Texts(LOADER):
    """Loads numbers, times, `yes` and `no` as texts, because parsing `1:59:59` can take quadratic time."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag in _RESOLVED]
        for first, resolvers in LOADER.yaml_implicit_resolvers.items()
    }


def document(text: str) -> Any:
    """Returns the document, with every scalar as the text that is written. Raises `Unreadable`."""
    try:
        check(text)
        return _Texts(text).get_single_data()
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as fault:
        mark = getattr(fault, "problem_mark", None)
        place = f" in line {mark.line + 1}" if mark is not None else ""
        raise Unreadable(f"It is no YAML{place}.") from None


def check(text: str, most_nodes: int = MOST_NODES) -> None:
    """Counts nodes and levels while parsing, in constant depth. Raises `Unreadable`.

    A tag such as `!!int` is refused, because its constructor raises other errors for a text of another form.
    """
    counted = _Counted(most_nodes)
    for event in yaml.parse(text, Loader=LOADER):
        if getattr(event, "tag", None) is not None:
            raise Unreadable(f"It has a tag in line {event.start_mark.line + 1}. Tags are not read.")
        counted.add(event)
        if len(counted.open_nodes) > DEEPEST or counted.total > most_nodes:
            raise Unreadable(f"It has more than {DEEPEST} levels, or {most_nodes:,} values with its references.")


class _Counted:
    """Counts the nodes, including those that references stand for, and tracks the open lists and objects."""

    def __init__(self, most: int) -> None:
        self.total = 0
        self._most = most
        self.open_nodes: list[tuple[str | None, int]] = []
        self._sizes: dict[str | None, int] = {}

    def add(self, event: Any) -> None:
        """Counts an event of the parser."""
        if isinstance(event, yaml.AliasEvent):
            # A part that refers to itself is not complete yet, and has no size.
            self.total += self._sizes.get(event.anchor, self._most)
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = self.open_nodes.pop()
            self._sizes[anchor] = self.total - before
        elif isinstance(event, yaml.NodeEvent):
            self.total += 1
            self._sizes[event.anchor] = 1
            if isinstance(event, yaml.CollectionStartEvent):
                self._sizes.pop(event.anchor, None)
                self.open_nodes.append((event.anchor, self.total - 1))
