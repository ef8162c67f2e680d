"""Reads YAML with the line of each value, and writes it in one canonical form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import yaml

from inbox.domain.values.jsonbody import escaped
from inbox.intake.importers import bounded_yaml
from inbox.intake.importers.bounded_yaml import LOADER
from inbox.intake.importers.plan import Unreadable

MOST_BYTES = 5 << 20
"""The maximum size of one file."""

MOST_NODES = 500_000
"""The maximum number of values of one file, with its references. 1,000 rules have about 40,000."""

_TAG = "tag:yaml.org,2002:"
_SCALARS = (
    ("null", re.compile(r"(?:~|null|)\Z"), ("~", "n", "")),
    ("bool", re.compile(r"(?:true|false)\Z"), ("t", "f")),
    ("int", re.compile(r"-?(?:0|[1-9][0-9]{0,17})\Z"), tuple("-0123456789")),
    ("float", re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,18}\Z"), tuple("-0123456789")),
)
"""The plain scalars that are no texts: those of JSON. `17:00`, `yes` and `2026-03-01` are texts."""


DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
"""The writer of `yaml.safe_dump`, in C if available."""


class _Reader(LOADER):
    """Reads plain scalars as JSON does."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


class _Writer(DUMPER):
    """Quotes each text that this or another reader of YAML would read as something else."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {
        first: list(resolvers) for first, resolvers in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, data: Any) -> bool:
        return True


for _kind in (_Reader, _Writer):
    for _name, _pattern, _first in _SCALARS:
        _kind.add_implicit_resolver(_TAG + _name, _pattern, list(_first))


def _text(writer: Any, text: str) -> Any:
    return writer.represent_scalar(f"{_TAG}str", text, style="|" if "\n" in text else None)


_Writer.add_representer(str, _text)


class FileFault(Exception):
    """A file that cannot be read, with the line of the fault."""

    def __init__(self, detail: str, line: int = 1) -> None:
        super().__init__(detail)
        self.detail, self.line = detail, line


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document, and the line of each value by its JSON pointer."""

    value: Any
    lines: Mapping[str, int] = field(repr=False)

    def line(self, pointer: str) -> int:
        """Returns the line of a value. The line of a missing value is that of its parent."""
        while pointer and pointer not in self.lines:
            pointer = pointer.rpartition("/")[0]
        return self.lines.get(pointer, 1)


def read(text: str) -> Document:
    """Reads one document. Raises `FileFault`, also for a name that occurs twice in one object."""
    try:
        bounded_yaml.check(text, MOST_NODES)
        node = _Reader(text).get_single_node()
    except Unreadable as fault:
        raise FileFault(str(fault)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as fault:
        mark = getattr(fault, "problem_mark", None)
        what = getattr(fault, "problem", None) or "it cannot be read"
        raise FileFault(f"It is no YAML: {what}.", mark.line + 1 if mark else 1) from None
    lines: dict[str, int] = {}
    return Document(None if node is None else _value(node, "", lines), lines)


def write(value: Any) -> str:
    """Returns a value as YAML. The same value always gives the same text."""
    return yaml.dump(
        value, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=1 << 20, default_flow_style=False
    )


def _value(node: Any, pointer: str, lines: dict[str, int]) -> Any:
    lines.setdefault(pointer, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _object(node, pointer, lines)
    if isinstance(node, yaml.SequenceNode):
        return [_value(each, f"{pointer}/{place}", lines) for place, each in enumerate(node.value)]
    match node.tag.removeprefix(_TAG):
        case "null":
            return None
        case "bool":
            return node.value == "true"
        case "int":
            return int(node.value)
        case "float":
            return float(node.value)
    return _text_of(node)


def _object(node: Any, pointer: str, lines: dict[str, int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise FileFault("The name of a field must be a text.", line)
        name = _text_of(key)
        if name in found:
            raise FileFault(f"{name} occurs twice.", line)
        at = f"{pointer}/{escaped(name)}"
        lines[at] = line
        found[name] = _value(value, at, lines)
    return found


def _text_of(node: Any) -> str:
    """Returns the text of a scalar. Raises `FileFault` for characters that the database does not store."""
    text = str(node.value)
    if "\0" in text or any("\ud800" <= each <= "\udfff" for each in text):
        raise FileFault("A text must not contain U+0000 or half a surrogate pair.", node.start_mark.line + 1)
    return text
