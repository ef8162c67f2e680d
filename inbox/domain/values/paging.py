"""Paging of lists: limits, and cursors that are signed and bound to their list (specification 2.6)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias
from uuid import UUID

MAX_LIMIT, DEFAULT_LIMIT = 200, 50
"""The maximum and the default of `limit`."""

MAX_OFFSET = 10_000
"""The largest `offset`, and the largest `total` of a long list."""

MAX_CURSOR_LENGTH = 2_048
"""The maximum length of a cursor. A cursor for a title of 256 characters is shorter, and request lines are limited."""

_SEAL = 16

Key: TypeAlias = datetime | UUID | str | float


@dataclass(frozen=True, slots=True)
class Position:
    """The last row of a page: the value of its sort column, and its id, which breaks ties."""

    value: Key
    id: UUID


def encode_cursor(position: Position, *, key: bytes, binding: str) -> str:
    """Returns a cursor: the position, and a signature over it and `binding` (list, sort, order and filters)."""
    parts = [*_encoded(position.value), position.id.hex]
    body = json.dumps(parts, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_signature(body, key, binding) + body).rstrip(b"=").decode()


def decode_cursor(cursor: str, *, key: bytes, binding: str) -> Position | None:
    """Returns the position of a cursor; None if the cursor is foreign, changed, or from another list, sort or filter."""
    if len(cursor) > MAX_CURSOR_LENGTH or not cursor.isascii():
        return None
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    signature, body = raw[:_SEAL], raw[_SEAL:]
    if not hmac.compare_digest(signature, _signature(body, key, binding)):
        return None
    kind, value, identifier = json.loads(body)
    return Position(_read(kind, value), UUID(hex=identifier))


def _signature(body: bytes, key: bytes, binding: str) -> bytes:
    bound = hashlib.sha256(binding.encode()).digest()
    return hmac.digest(hashlib.sha256(b"cursor:" + key).digest(), bound + body, "sha256")[:_SEAL]


def _encoded(value: Key) -> tuple[str, str | float]:
    match value:
        case datetime():
            return "time", value.astimezone(UTC).isoformat()
        case UUID():
            return "uuid", value.hex
        case str() | int() | float():
            return "plain", value


def _read(kind: str, value: str | float) -> Key:
    if kind == "time":
        return datetime.fromisoformat(str(value))
    if kind == "uuid":
        return UUID(hex=str(value))
    return value
