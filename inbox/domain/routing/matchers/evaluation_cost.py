"""The upper bound of the work to evaluate a match for one event (decision 0010, specification 6.3).

The bound depends on the match and on the sizes of its values, not on the machine or on caches. Routing, previews and
explanations therefore leave out the same rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from inbox.domain.events import metadata
from inbox.domain.events.fields import BODY_LIMIT
from inbox.domain.routing.matchers import pattern_shape, patterns
from inbox.domain.routing.matchers.clauses import Clause
from inbox.domain.routing.matchers.compile import fold
from inbox.domain.routing.matchers.fields import FieldKind, MatchSubject, Op, Read
from inbox.domain.routing.matchers.tree import clauses
from inbox.domain.values.jsonbody import MAX_DEPTH

EVENT_BUDGET = 100_000_000
"""The limit of units for the rules of a workspace and one event, and for its silences. A unit is about a nanosecond."""

_CLAUSE = 300
_PATH_KEY = 1_000
"""The units for each key of a path in metadata. The value is read twice: for its size and for its comparison."""

_COUNTED_ENTRIES = 64
"""The characters of longer lists are not counted, but bounded by the limit of metadata."""

_OVERLAP_LENGTH = 128
"""The number of characters of a value for which overlaps are computed."""

_FOLDED_CHARACTER = 6
_COMPARED_CHARACTER = 2
_ENTRY = 400
_ENTRY_OF_PATTERN = 3_000
_BYTE = 10
"""The units for a byte that a pattern of simple shape searches."""

_BYTE_OF_INSTRUCTION = 25
"""The units for a byte and each instruction of any other pattern."""


class Size(NamedTuple):
    """The size of a value: its entries if it is a list, its characters, and their bytes in UTF-8."""

    entries: int
    characters: int
    bytes: int


_LONGEST_SHORT_TEXT = Size(1, 256, 1_024)
_LONGEST: Mapping[str, Size] = MappingProxyType(
    {
        "body": Size(1, BODY_LIMIT, 4 * BODY_LIMIT),
        "url": Size(1, 2_048, 8_192),
        "tags": Size(64, 4_096, 16_384),
    }
)
_LONGEST_METADATA = Size(metadata.BYTES_LIMIT // 2, metadata.BYTES_LIMIT, metadata.BYTES_LIMIT)


class FieldCost(NamedTuple):
    """The units of all clauses on one field, for each entry, character and byte of its value."""

    read: Read
    entry: int
    character: int
    byte: int

    def for_size(self, size: Size) -> int:
        """Returns the units for a value of this size."""
        return self.entry * size.entries + self.character * size.characters + self.byte * size.bytes


class EvaluationCost:
    """The bound of one match, or of several together: `fixed` units, and value-dependent units by field name."""

    __slots__ = ("_costs", "fields", "fixed", "most")

    def __init__(self, fixed: int, fields: Mapping[str, FieldCost]) -> None:
        self.fixed, self.fields = fixed, fields
        self._costs = tuple(fields.values())
        self.most = fixed + sum(cost.for_size(_longest(name)) for name, cost in fields.items())
        """The bound for the longest possible event."""

    @classmethod
    def of_match(cls, tree: Any) -> EvaluationCost:
        """Returns the bound of a checked tree."""
        fixed, fields = 0, dict[str, FieldCost]()
        for clause in clauses(tree):
            fixed += _fixed(clause)
            cost = _cost(clause)
            if cost is not None:
                _add(fields, clause.field.name, cost)
        return cls(fixed, fields)

    @classmethod
    def total(cls, parts: Iterable[EvaluationCost]) -> EvaluationCost:
        """Returns the bound of several matches together."""
        fixed, fields = 0, dict[str, FieldCost]()
        for part in parts:
            fixed += part.fixed
            for name, cost in part.fields.items():
                _add(fields, name, cost)
        return cls(fixed, fields)

    def of(self, subject: MatchSubject) -> int:
        """Returns the bound for this event."""
        units = self.fixed
        for read, entry, character, byte in self._costs:
            value = read(subject)
            if type(value) is str:
                length = len(value)
                units += entry + length * character
                if byte:
                    units += byte * (length if value.isascii() else 4 * length)
            elif value:
                entries, characters, number_of_bytes = _size(value)
                units += entry * entries + character * characters + byte * number_of_bytes
        return units


def left_out(costs: Mapping[int, int], budget: int) -> list[int]:
    """Returns the keys of the costliest bounds, without which the others are within the budget; of equal ones, the last."""
    total, chosen = sum(costs.values()), list[int]()
    for key in sorted(costs, key=lambda key: (costs[key], key), reverse=True):
        if total <= budget:
            break
        total -= costs[key]
        chosen.append(key)
    return chosen


def _longest(name: str) -> Size:
    return _LONGEST_METADATA if name.startswith("metadata.") else _LONGEST.get(name, _LONGEST_SHORT_TEXT)


def _size(value: Any) -> Size:
    """Returns the size of a value that is no text."""
    if not isinstance(value, list | tuple):
        return Size(1, 0, 0)
    if len(value) > _COUNTED_ENTRIES:
        return _LONGEST_METADATA._replace(entries=len(value))
    texts = [each for each in value if type(each) is str]
    return Size(len(value), sum(map(len, texts)), sum(len(each) if each.isascii() else 4 * len(each) for each in texts))


def _fixed(clause: Clause) -> int:
    """Returns the units of a clause for any value."""
    if clause.field.kind is not FieldKind.METADATA:
        return _CLAUSE
    return _CLAUSE + _PATH_KEY * min(clause.field.name.count("."), MAX_DEPTH)


def _cost(clause: Clause) -> FieldCost | None:
    """Returns the units of a clause that depend on the value. None where any value costs the same."""
    field, op, value = clause
    if op is Op.EXISTS or field.kind in (FieldKind.SEVERITY, FieldKind.ACTION):
        return None
    if op is Op.MATCHES:
        return _cost_of_pattern(field.read, value)
    part = value if op is Op.CONTAINS else ""
    character = _FOLDED_CHARACTER + (_COMPARED_CHARACTER * (1 + _overlaps(fold(part))) if part else 0)
    return FieldCost(field.read, _ENTRY, character, 0)


def _cost_of_pattern(read: Read, pattern: str) -> FieldCost:
    literal = pattern_shape.literal_part(pattern)
    if literal is not None:
        return FieldCost(read, _ENTRY, _COMPARED_CHARACTER * (1 + _overlaps(literal)), 0)
    size = patterns.size(pattern)
    byte = _BYTE if pattern_shape.is_simple(pattern, size) else _BYTE_OF_INSTRUCTION * size
    return FieldCost(read, _ENTRY_OF_PATTERN, 0, byte)


def _add(fields: dict[str, FieldCost], name: str, cost: FieldCost) -> None:
    previous = fields.get(name)
    if previous is not None:
        read, entry, character, byte = previous
        cost = FieldCost(read, entry + cost.entry, character + cost.character, byte + cost.byte)
    fields[name] = cost


def _overlaps(part: Sequence[str]) -> int:
    """Returns how often a text can agree with the beginning of the part at the same character.

    A search compares each character of the text at most this often. It is 1 for most words, and 99 for 99 times `a`.
    """
    if len(part) > _OVERLAP_LENGTH:
        return len(part)
    borders, depths = [0], [1]
    for place in range(1, len(part)):
        length = borders[-1]
        while length and part[place] != part[length]:
            length = borders[length - 1]
        length += part[place] == part[length]
        borders.append(length)
        depths.append(1 + (depths[length - 1] if length else 0))
    return max(depths)
