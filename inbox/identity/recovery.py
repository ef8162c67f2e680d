"""Recovery codes: ten that are shown once and replace a lost app or passkey, each a single time.

Specification 11.4.
"""

from __future__ import annotations

import hashlib
import secrets
from uuid import UUID

from inbox.domain.ids import ALPHABET

COUNT = 10
LENGTH = 16
"""80 random bits: too many to search for a plain hash."""

_LOOKALIKES = str.maketrans({"o": "0", "i": "1", "l": "1", "-": None, " ": None})


def new_codes() -> list[str]:
    """Ten codes as they are shown: `xxxx-xxxx-xxxx-xxxx`."""
    return [_formatted("".join(secrets.choice(ALPHABET) for _ in range(LENGTH))) for _ in range(COUNT)]


def digest(user_id: UUID, code: str) -> bytes:
    """What is stored of a person's code, however it was typed: dashes, spaces and case do not matter, O is 0, I is 1."""
    meant = code[:100].lower().translate(_LOOKALIKES)
    return hashlib.sha256(b"recovery code|" + user_id.bytes + b"|" + meant.encode("utf-8", "replace")).digest()


def _formatted(code: str) -> str:
    return "-".join(code[place : place + 4] for place in range(0, LENGTH, 4))
