"""Bodies that were made to break a service, or to make it slow, for any operation of the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import orjson

LARGE = 400_000
SMALL = 12_000
"""Bytes; the small ones pass where an anonymous sender may send little."""


def bodies(schema: Mapping[str, Any], components: Mapping[str, Any], size: int) -> Iterator[tuple[str, bytes]]:
    """Hostile bodies of about this size, with a name each; some are made of the fields that the schema knows."""
    names = list(_properties(schema, components)) or ["x"]
    yield from _of_any_operation(size)
    for depth in (33, 980, 1_023):
        yield f"{depth} deep in a field", orjson.dumps({names[0]: 1}).replace(b"1", b"[" * depth + b"]" * depth)
    for what, item in {"empty texts": b'""', "objects": b"{}", "nulls": b"null", "NULs": b'"\\u0000"'}.items():
        for most in (size // len(names), 15_000 * len(item) // len(names)):
            share = _filled(item, min(most, size // len(names)))
            yield f"every field a list of {what}", _object(names, b"[" + share + b"]")
    yield "every field a long text", _object(names, b'"' + b"a" * (size // len(names)) + b'"')
    yield (
        "every field an object of many",
        _object(names, orjson.dumps(dict.fromkeys(map(str, range(15_000 // len(names)))))),
    )
    yield "every field a list of lists", _object(names, b"[" + _filled(b"[[[]]]", 15_000 // len(names)) + b"]")


@cache
def _of_any_operation(size: int) -> tuple[tuple[str, bytes], ...]:
    """The bodies that have no field of an operation. They are made once for all operations."""
    return (
        ("lists within lists", b"[" * 1_000 + b"]" * 1_000),
        *((f"{depth} deep", b'{"x":' * depth + b"1" + b"}" * depth) for depth in (33, 980, 1_023)),
        ("900 lists deep full of NULs", b'{"x":' + b"[" * 900 + _filled(b'"\\u0000"', size) + b"]" * 900 + b"}"),
        ("30 lists deep full of NULs", b'{"x":' + b"[" * 30 + _filled(b'"\\u0000"', size) + b"]" * 30 + b"}"),
        ("flat NULs", b'{"x":[' + _filled(b'"\\u0000"', size) + b"]}"),
        ("unknown fields", orjson.dumps({f"field{number}": number for number in range(size // 16)})),
        ("unknown fields with long names", orjson.dumps({f"{number:0>500}": 1 for number in range(size // 510)})),
        ("one unknown field with a huge name", b'{"' + b"\\u0001" * (size // 6) + b'":1}'),
        ("NULs below long names", b'{"' + b"n" * (size // 2) + b'":[' + _filled(b'"\\u0000"', size // 2) + b"]}"),
        ("half a character", b'{"x":"\\ud800"}'),
        ("a huge number", b'{"x":' + b"9" * (size // 2) + b"}"),
        ("no object", b"[" + _filled(b"{}", size) + b"]"),
    )


def _properties(schema: Mapping[str, Any], components: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" in schema:
        return _properties(components["schemas"][schema["$ref"].rpartition("/")[2]], components)
    found = dict(schema.get("properties", {}))
    for choice in ("oneOf", "anyOf", "allOf"):
        for each in schema.get(choice, ()):
            found |= _properties(each, components)
    return found


def _filled(item: bytes, size: int) -> bytes:
    return b",".join([item] * max(1, size // (len(item) + 1)))


def _object(names: list[str], value: bytes) -> bytes:
    return b"{" + b",".join(orjson.dumps(name) + b":" + value for name in names) + b"}"
