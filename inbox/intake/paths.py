"""Paths into a JSON document, and texts with paths in them, for the mapping of a source (specification 19.17).

A path is a chain of steps: `name` or `["name"]` for a member, `[0]` for an element, `[*]` for all. It begins at the
item (`@`, the default) or at the whole body (`$`). A text has paths in braces: `{labels.name} on {$.host}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from inbox.intake.base import Node
from inbox.runtime import work_budget

LONGEST_PATH = 200
MOST_STEPS = 20
MOST_VALUES = 100
"""The maximum number of `[*]` elements that a text reads. Without it, one item could read a whole body."""

LONGEST_VALUE = 20_000
"""The maximum length of a value, before ingest cuts the text to the limit of its field."""

MOST_VISITED = 1_000_000
"""The maximum number of values that paths look at. Otherwise paths times elements would be unlimited."""

_VISITED_AT_ONCE = 100
_VISITED_IN_STEP = 20_000
"""The number of values after which other requests may run."""

LONGEST_TEMPLATE = 500
MOST_PLACES = 10

_STEP = re.compile(r'\.?([^\s.\[\]{}"@$]+)|\[(\d{1,4})\]|(\[\*\])|\["([^"{}]{1,100})"\]')
_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]")


class BadPath(ValueError):
    """A path or a text cannot be read. The text of the error says why."""


class TooManyValues(Exception):
    """The paths of a mapping look at too many values. The text names the last path."""


class EachElement:
    """The step `[*]`."""


EACH = EachElement()
Step = str | int | EachElement


@dataclass(frozen=True, slots=True)
class Path:
    """A parsed path."""

    is_from_root: bool
    steps: tuple[Step, ...]

    @property
    def stars(self) -> int:
        """Returns the number of `[*]` steps."""
        return sum(step is EACH for step in self.steps)

    def __str__(self) -> str:
        steps = ("[*]" if step is EACH else f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.steps)
        return ("$" if self.is_from_root else "@") + "".join(steps)

    def nodes(self, item: Node, root: Root) -> Iterator[Node]:
        """Returns the values at the path with their pointers, in document order. Missing values are left out.

        Raises `TooManyValues`.
        """
        found: Iterator[Node] = iter((root if self.is_from_root else item,))
        for step in self.steps:
            found = _after(found, step, self, root)
        return (node for node in found if node.value is not None)

    def values(self, item: Node, root: Root) -> Iterator[Any]:
        """Returns the values of `nodes` without pointers, for a path with at most one `[*]`. Raises `TooManyValues`."""
        steps, start = self.steps, root.value if self.is_from_root else item.value
        place = steps.index(EACH) if EACH in steps else len(steps)
        root.visit(self, place + 1)
        found = _at(start, steps[:place])
        if place == len(steps):
            if found is not None:
                yield found
            return
        if not isinstance(found, list):
            return
        rest = steps[place + 1 :]
        for first in range(0, len(found), _VISITED_AT_ONCE):
            elements = found[first : first + _VISITED_AT_ONCE]
            root.visit(self, len(elements) * (1 + len(rest)))
            for element in elements:
                value = _at(element, rest) if rest else element
                if value is not None:
                    yield value


class Root(Node):
    """The whole body, and a cache of the texts of paths from `$`, which are the same for all items.

    It counts the values at which paths look.
    """

    __slots__ = ("_pause_at", "_visited", "lists", "texts")

    def __init__(self, value: object) -> None:
        super().__init__(value)
        self.texts: dict[Path, str] = {}
        self.lists: dict[Path, list[str]] = {}
        self._visited, self._pause_at = 0, _VISITED_IN_STEP

    def visit(self, path: Path, count: int) -> None:
        """Counts values at which a path looks. Raises `TooManyValues`."""
        self._visited += count
        if self._visited > MOST_VISITED:
            raise TooManyValues(
                f"the paths of the mapping look at more than {MOST_VISITED:,} values of the payload, the last one is"
                f" `{path}`: use fewer paths with `[*]`"
            )
        if self._visited >= self._pause_at:
            self._pause_at = self._visited + _VISITED_IN_STEP
            work_budget.spend("Use fewer paths in the mapping of the source.")


@dataclass(frozen=True, slots=True)
class Template:
    """A text with paths. The parts alternate as they were written."""

    parts: tuple[str | Path, ...]

    @property
    def paths(self) -> list[Path]:
        """Returns the paths of the text."""
        return [part for part in self.parts if isinstance(part, Path)]

    @property
    def only_path(self) -> Path | None:
        """Returns the path, if the text is one path and nothing else."""
        part = self.parts[0] if len(self.parts) == 1 else None
        return part if isinstance(part, Path) else None

    def text(self, item: Node, root: Root) -> str:
        """Returns the text with its paths replaced. It is empty when it has paths and none leads to a text."""
        texts = [part if isinstance(part, str) else _joined(part, item, root) for part in self.parts]
        is_filled = any(text for part, text in zip(self.parts, texts, strict=True) if isinstance(part, Path))
        return "".join(texts).strip() if is_filled or not self.paths else ""

    def texts(self, item: Node, root: Root) -> list[str]:
        """Returns one text per value if the template is one path, else its only text. Empty texts are left out."""
        path = self.only_path
        if path is None:
            return [text for text in (self.text(item, root),) if text]
        found = root.lists.get(path) if path.is_from_root else None
        if found is None:
            values = islice(path.values(item, root), MOST_VALUES)
            found = [text for value in values if (text := Node(value).text())]
            if path.is_from_root:
                root.lists[path] = found
        return found


def parse_path(text: str, *, most_stars: int = 1) -> Path:
    """Parses a path. Raises `BadPath`."""
    if not text or len(text) > LONGEST_PATH:
        raise BadPath(f"must be a path of 1 to {LONGEST_PATH} characters")
    rest = text.removeprefix("$") if text.startswith("$") else text.removeprefix("@")
    steps: list[Step] = []
    position = 0
    while position < len(rest):
        found = _STEP.match(rest, position)
        if found is None or (not position and rest == text and rest.startswith(".")):
            raise BadPath(f"cannot be read from `{rest[position : position + 30]}` on")
        name, number, star, quoted = found.groups()
        steps.append(EACH if star else int(number) if number is not None else name or quoted)
        position = found.end()
    path = Path(text.startswith("$"), tuple(steps))
    if len(steps) > MOST_STEPS:
        raise BadPath(f"must have at most {MOST_STEPS} steps")
    if path.stars > most_stars:
        raise BadPath(f"may have `[*]` at most {'once' if most_stars == 1 else 'twice'}")
    return path


def parse_template(text: str) -> Template:
    """Parses a text with paths. `{{` and `}}` are braces. Raises `BadPath`."""
    if len(text) > LONGEST_TEMPLATE:
        raise BadPath(f"must have at most {LONGEST_TEMPLATE} characters")
    parts: list[str | Path] = []
    for found in _PART.finditer(text):
        if found[1] is not None:
            parts.append(parse_path(found[1].strip()))
        elif found[0] in ("{{", "}}"):
            parts.append(found[0][0])
        elif found[0] in ("{", "}"):
            raise BadPath("has a single brace: write a path as `{path}`, and a brace as `{{` or `}}`")
        else:
            parts.append(found[0])
    template = Template(tuple(parts))
    if len(template.paths) > MOST_PLACES:
        raise BadPath(f"must have at most {MOST_PLACES} paths")
    return template


def _at(value: Any, steps: tuple[Step, ...]) -> Any:
    """Returns the value after members and elements; None if one is missing. It runs for each element of a payload."""
    for step in steps:
        if isinstance(step, str):
            if not isinstance(value, dict):
                return None
            value = value.get(step)
        else:
            if not isinstance(value, list) or not isinstance(step, int) or step >= len(value):
                return None
            value = value[step]
    return value


def _after(nodes: Iterator[Node], step: Step, path: Path, root: Root) -> Iterator[Node]:
    for node in nodes:
        value = node.value
        if isinstance(step, str):
            if isinstance(value, dict) and step in value:
                yield Node(value[step], f"{node.pointer}/{step.replace('~', '~0').replace('/', '~1')}")
        elif not isinstance(value, list):
            continue
        elif isinstance(step, int):
            if step < len(value):
                yield Node(value[step], f"{node.pointer}/{step}")
        else:
            for index, each in enumerate(value):
                root.visit(path, 1)
                yield Node(each, f"{node.pointer}/{index}")


def _joined(path: Path, item: Node, root: Root) -> str:
    found = root.texts.get(path) if path.is_from_root else None
    if found is None:
        found = _first_texts(islice(path.values(item, root), MOST_VALUES))
        if path.is_from_root:
            root.texts[path] = found
    return found


def _first_texts(values: Iterator[Any]) -> str:
    """Joins the texts with commas, at most `LONGEST_VALUE` characters, and reads no more texts than fit."""
    texts, length = [], 0
    for value in values:
        if text := Node(value).text()[:LONGEST_VALUE]:
            texts.append(text)
            length += len(text)
            if length >= LONGEST_VALUE:
                break
    return ", ".join(texts)[:LONGEST_VALUE]
