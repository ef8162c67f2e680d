"""The size of a match, in bytes as JSON and in characters as text (specification 6.3)."""

from __future__ import annotations

from typing import Any

import orjson

from inbox.domain.routing.matchers.writing import to_text
from inbox.domain.values.refusals import Fault

BYTES_LIMIT = 65_536
"""The limit of bytes of the canonical tree as JSON."""

TEXT_LIMIT = 2 * BYTES_LIMIT
"""The limit of characters of the text. Control characters are longer in it than in JSON."""


def json_bytes(tree: Any) -> int:
    """Returns the number of bytes of a tree as JSON."""
    return len(orjson.dumps(tree))


def size_faults(tree: Any) -> list[Fault]:
    """Returns the fault of a tree that is too large in either form; the tree has no other fault."""
    encoded = orjson.dumps(tree)
    if len(encoded) > BYTES_LIMIT:
        return [Fault("", f"must have at most {BYTES_LIMIT:,} bytes as JSON, not {len(encoded):,}")]
    # Only characters that are not printable are longer as text. The spaces between values need far less than the rest.
    if not encoded.decode().isprintable() and len(to_text(tree)) > TEXT_LIMIT:
        return [Fault("", f"must have at most {TEXT_LIMIT:,} characters as text: use fewer control characters")]
    return []
