"""Sanitizing of an event's metadata: redaction, and truncation of the largest values (specification 4.5)."""

import json
from collections import deque
from typing import Any, NamedTuple

from inbox.domain.values.redaction import cut, free_key, redact
from inbox.domain.values.text import without_nul

KEYS_LIMIT = 256
"""The maximum number of keys at all depths."""

KEY_LENGTH_LIMIT = 255
BYTES_LIMIT = 32 * 1024
"""The maximum bytes of the metadata as compact JSON in UTF-8."""

_SMALLEST_CUT = 64
"""The minimum length in bytes of a truncated string. When that is not enough, whole values are removed."""

_ITEMS_LIMIT = BYTES_LIMIT // 2
"""The number of items read of one array. More items never fit."""

_VALUES_LIMIT = 8 * _ITEMS_LIMIT
"""The number of values read of all arrays and objects. It bounds the time for a malicious body."""

_LARGEST_INTEGER = 2**63 - 1
_SMALLEST_INTEGER = -(2**63)
_LEAST_FRACTION = 1e-64

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


class SanitizedMetadata(NamedTuple):
    """Metadata ready to be stored, and whether it was redacted or truncated."""

    metadata: dict[str, Any]
    redacted: bool
    truncated: bool


def sanitize(metadata: dict[str, Any]) -> SanitizedMetadata:
    """Returns a new object of at most 256 keys and 32 KB, from metadata that passed `jsonbody.check_tree`.

    1. Redact every key and string.
    2. Remove keys beyond 256; the keys nearest the top remain.
    3. Turn numbers that PostgreSQL or a JSON reader would change into strings.
    4. Beyond 32 KB, cut the longest strings to one common length, so that short strings stay whole.
    5. When that is not enough, remove the largest top-level values.
    """
    copying = _Copy()
    sanitized = copying.copy(metadata)
    if copying.may_exceed(BYTES_LIMIT) and _size(sanitized) > BYTES_LIMIT:
        _shrink(sanitized)
        copying.truncated = True
    return SanitizedMetadata(sanitized, copying.redacted, copying.truncated)


def at(metadata: dict[str, Any] | None, path: str) -> Any:
    """Returns the value at a dotted path (`labels.team`, `hosts.0`); None when there is none. A key may contain dots."""
    found: Any = metadata
    while path:
        if type(found) is dict:
            if path in found:
                return found[path]
            key, _, path = path.partition(".")
            found = found.get(key)
        elif type(found) is list:
            index, _, path = path.partition(".")
            found = found[int(index)] if index.isdecimal() and len(index) < 6 and int(index) < len(found) else None
        else:
            return None
    return found


class _String(NamedTuple):
    container: Any
    key: Any
    size: int


class _Copy:
    """A copy of a tree, level by level. It stops at the limits and does not read values beyond them."""

    __slots__ = ("characters", "keys", "redacted", "truncated", "used", "values", "waiting")

    def __init__(self) -> None:
        self.keys = 0
        self.values = 0
        self.characters = 0
        self.redacted = False
        self.truncated = False
        self.waiting: deque[tuple[Any, Any]] = deque()
        self.used: dict[str, int] = {}

    def copy(self, metadata: dict[str, Any]) -> dict[str, Any]:
        sanitized: dict[str, Any] = {}
        self._members(metadata, sanitized)
        while self.waiting:
            container, copied = self.waiting.popleft()
            if type(container) is dict:
                self._members(container, copied)
            else:
                self._items(container, copied)
        return sanitized

    def may_exceed(self, limit: int) -> bool:
        """Returns False only if the JSON is certainly not longer than `limit` bytes: one character takes at most 6."""
        return 6 * self.characters + 32 * (self.values + self.keys + 1) > limit

    def _members(self, members: dict[str, Any], copied: dict[str, Any]) -> None:
        self.used = {}
        for key, value in members.items():
            if self.keys == KEYS_LIMIT:
                self.truncated = True
                return
            self.keys += 1
            name = self._text(key)
            if len(name) > KEY_LENGTH_LIMIT:
                name = cut(name, KEY_LENGTH_LIMIT - 10)
                self.truncated = True
            if name in copied:
                name = free_key(copied, cut(name, KEY_LENGTH_LIMIT - 10), self.used)
            copied[name] = self._value(value)

    def _items(self, items: list[Any], copied: list[Any]) -> None:
        if len(items) > min(_ITEMS_LIMIT, _VALUES_LIMIT - self.values):
            self.truncated = True
            items = items[: max(0, min(_ITEMS_LIMIT, _VALUES_LIMIT - self.values))]
        copied.extend([self._value(item) for item in items])

    def _value(self, value: Any) -> Any:
        self.values += 1
        kind = type(value)
        if kind is str:
            return self._text(value)
        if kind is dict or kind is list:
            copied: Any = kind()
            self.waiting.append((value, copied))
            return copied
        if (kind is int and not _SMALLEST_INTEGER <= value <= _LARGEST_INTEGER) or (
            kind is float and value and not _LEAST_FRACTION <= abs(value) < _LARGEST_INTEGER
        ):
            return self._text(str(value))
        return value

    def _text(self, text: str) -> str:
        text = without_nul(text)
        sanitized = redact(text)
        if sanitized is not text and sanitized != text:
            self.redacted = True
        self.characters += len(sanitized)
        return sanitized


def _size(value: Any) -> int:
    return len(_encode(value).encode())


def _shrink(metadata: dict[str, Any]) -> None:
    strings = {key: _strings(metadata, key) for key in metadata}
    entries = {key: _size(key) + _size(value) + 2 for key, value in metadata.items()}
    _remove_largest(metadata, entries, strings)
    strings_left = [string for key in metadata for string in strings[key]]
    sizes = [string.size for string in strings_left]
    fixed = 1 + sum(entries[key] for key in metadata) - sum(sizes)
    level = _max_length(sizes, BYTES_LIMIT - fixed)
    for container, place, size in strings_left:
        if size > level:
            container[place] = _cut_to_bytes(container[place], level)


def _strings(metadata: dict[str, Any], key: str) -> list[_String]:
    """Yields all strings of one top-level value."""
    found: list[_String] = []
    places: list[tuple[Any, Any]] = [(metadata, key)]
    for container, place in places:
        value = container[place]
        kind = type(value)
        if kind is str:
            found.append(_String(container, place, _size_of_string(value)))
        elif kind is dict:
            places.extend((value, inner) for inner in value)
        elif kind is list:
            places.extend((value, inner) for inner in range(len(value)))
    return found


def _size_of_string(text: str) -> int:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return len(text) + 2
    return _size(text)


def _remove_largest(metadata: dict[str, Any], entries: dict[str, int], strings: dict[str, list[_String]]) -> None:
    """Removes the top-level values that are largest with truncated strings, until truncation is enough."""
    least = {
        key: size - sum(max(0, string.size - _SMALLEST_CUT) for string in strings[key]) for key, size in entries.items()
    }
    total = 1 + sum(least.values())
    by_size = sorted(least, key=least.__getitem__)
    while total > BYTES_LIMIT:
        largest = by_size.pop()
        total -= least[largest]
        del metadata[largest]


def _max_length(sizes: list[int], room: int) -> int:
    """Returns the largest length to which all strings can be cut so that together they fit."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room -= size
        left -= 1
    return BYTES_LIMIT


def _cut_to_bytes(text: str, limit: int) -> str:
    """Returns the longest prefix whose JSON form has at most `limit` bytes."""
    shortest, longest = 0, min(len(text), limit)
    while shortest < longest:
        length = (shortest + longest + 1) // 2
        if _size(text[:length]) <= limit:
            shortest = length
        else:
            longest = length - 1
    return cut(text, shortest)
