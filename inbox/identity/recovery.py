"""Recovery codes: ten single-use codes, shown once, that replace a lost app or passkey (specification 11.4)."""

from __future__ import annotations

import hashlib
import secrets
from uuid import UUID

from inbox.domain.values.ids import ALPHABET

COUNT = 10
LENGTH = 16
"""80 random bits. That is too many for a search against a plain hash."""

_LOOKALIKES = str.maketrans({"o": "0", "i": "1", "l": "1", "-": None, " ": None})


def new_codes() -> list[str]:
    """Create ten codes in their display format: `xxxx-xxxx-xxxx-xxxx`."""
    return [_formatted("".join(secrets.choice(ALPHABET) for _ in range(LENGTH))) for _ in range(COUNT)]


def digest(user_id: UUID, code: str) -> bytes:
    """Compute the stored digest of a person's code.

    Dashes, spaces and case are ignored. O is read as 0, I and L as 1.
    """
    normalized = code[:100].lower().translate(_LOOKALIKES)
    return hashlib.sha256(b"recovery code|" + user_id.bytes + b"|" + normalized.encode("utf-8", "replace")).digest()


def _formatted(code: str) -> str:
    return "-".join(code[place : place + 4] for place in range(0, LENGTH, 4))
