"""Credentials of senders: generation, validation before any look-up, and stored digests (specification 5.2)."""

import hashlib
import re
import zlib
from enum import StrEnum

KEY_PREFIX = "svc"
"""The neutral word at the beginning of every key of the service."""

ENTROPY_BYTES = 32
HINT_LENGTH = 4

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_LENGTH = 43
_CHECK_LENGTH = 6
_ALIAS_LENGTH = 14


class KeyKind(StrEnum):
    """The kind of a credential. The value is the beginning of such credentials."""

    SOURCE = f"{KEY_PREFIX}_src_"
    HEARTBEAT = f"{KEY_PREFIX}_hb_"
    BADGE = f"{KEY_PREFIX}_badge_"
    ALIAS = "A"


_SHAPES = {
    KeyKind.SOURCE: re.compile(rf"{KeyKind.SOURCE}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.HEARTBEAT: re.compile(rf"{KeyKind.HEARTBEAT}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.BADGE: re.compile(rf"{KeyKind.BADGE}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.ALIAS: re.compile(rf"{KeyKind.ALIAS}[0-9A-Za-z]{{{_ALIAS_LENGTH}}}"),
}


class SenderKeyKind(StrEnum):
    """The kind of a key of a source (specification 5.2)."""

    SOURCE_KEY = "source_key"
    """For `POST /v1/events` and the addresses of tools."""

    ALIAS_TOKEN = "alias_token"
    """For senders in the legacy push format, which has room for 15 characters."""

    SIGNING_SECRET = "signing_secret"
    """For a tool that signs what it sends. It is no credential by itself and is never sent as a key."""

    @property
    def form(self) -> KeyKind:
        """The form of a key; a signing secret has a form of its own."""
        return KeyKind.ALIAS if self is SenderKeyKind.ALIAS_TOKEN else KeyKind.SOURCE


def mint(kind: KeyKind, entropy: bytes) -> str:
    """A new credential from 32 random bytes.

    Source, heartbeat and badge keys have all 256 bits and a 6-character check. An alias token has 83 bits and no check,
    because its legacy form has room for 14 characters.
    """
    if len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"a key takes {ENTROPY_BYTES} random bytes")
    number = int.from_bytes(entropy)
    if kind is KeyKind.ALIAS:
        return kind + _base62(number % 62**_ALIAS_LENGTH, _ALIAS_LENGTH)
    unchecked = kind + _base62(number, _RANDOM_LENGTH)
    return unchecked + _check(unchecked)


def well_formed(kind: KeyKind, text: object) -> bool:
    """Whether the text has the form of a credential of this kind: prefix, alphabet, length and check. Never raises.

    Truncated or mistyped keys are rejected without a database query.
    """
    if not isinstance(text, str) or _SHAPES[kind].fullmatch(text) is None:
        return False
    return kind is KeyKind.ALIAS or text[-_CHECK_LENGTH:] == _check(text[:-_CHECK_LENGTH])


def digest(text: str) -> bytes:
    """The stored digest, which is also the look-up key: SHA-256, 32 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def hint(text: str) -> str:
    """The last four characters, the only part that is shown later."""
    return text[-HINT_LENGTH:]


def _check(unchecked: str) -> str:
    return _base62(zlib.crc32(unchecked.encode("ascii")), _CHECK_LENGTH)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_BASE62[digit])
    return "".join(reversed(digits))
