"""Sealed secrets: encryption of credentials that the service must read again (specification 9.3)."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FORMAT_VERSION = b"\x01"
NONCE_BYTES = 12
KEY_BYTES = 32
_KEY_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


class CannotUnseal(Exception):
    """No key of the ring opens the value: another key, another row, or altered bytes.

    The message has the key's id, never a value.
    """


class InvalidKeyRing(ValueError):
    """The text of a key ring is invalid. The message names the item, never its value."""


def associated_data(table: str, row_id: UUID, workspace_id: UUID, column: str) -> bytes:
    """Return the additional data of a seal. It binds a value to its place, so that a moved value is refused."""
    return f"{table}|{row_id}|{workspace_id}|{column}".encode()


@dataclass(frozen=True, slots=True, repr=False)
class KeyRing:
    """The keys by their ids. The newest key seals; every key opens."""

    newest: str
    keys: Mapping[str, AESGCM]

    @classmethod
    def parse(cls, text: str) -> KeyRing:
        """Parse a ring from `id:base64 of 32 bytes`, newest first, separated by commas. Raises `InvalidKeyRing`."""
        keys: dict[str, AESGCM] = {}
        for number, item in enumerate(text.split(","), start=1):
            key_id, _, encoded = item.strip().partition(":")
            try:
                key = base64.b64decode(encoded, validate=True)
            except ValueError:
                key = b""
            if not _KEY_ID.fullmatch(key_id) or len(key) != KEY_BYTES:
                raise InvalidKeyRing(f"key {number} must be id:base64 of {KEY_BYTES} bytes")
            if key_id in keys:
                raise InvalidKeyRing(f"key {number} repeats the id of an earlier one")
            keys[key_id] = AESGCM(key)
        return cls(next(iter(keys)), keys)

    def seal(self, plain: bytes, aad: bytes) -> bytes:
        """Seal a value with the newest key for one place. Equal values have different seals."""
        key_id = self.newest.encode()
        head = FORMAT_VERSION + bytes([len(key_id)]) + key_id
        nonce = os.urandom(NONCE_BYTES)
        return head + nonce + self.keys[self.newest].encrypt(nonce, plain, head + aad)

    def open(self, sealed: bytes | memoryview, aad: bytes) -> bytes:
        """Return the plain value. Raises `CannotUnseal`."""
        sealed = bytes(sealed)
        head, key_id = _head(sealed)
        key = self.keys.get(key_id)
        if key is None:
            raise CannotUnseal(f"the key ring has no key {key_id!r}")
        nonce, rest = sealed[len(head) : len(head) + NONCE_BYTES], sealed[len(head) + NONCE_BYTES :]
        try:
            return key.decrypt(nonce, rest, head + aad)
        except (InvalidTag, ValueError):
            raise CannotUnseal(f"it does not open with key {key_id!r} in this place") from None

    def needs_reseal(self, sealed: bytes | memoryview) -> bool:
        """Return whether the value was sealed with an older key than the newest."""
        return _head(bytes(sealed))[1] != self.newest


def _head(sealed: bytes) -> tuple[bytes, str]:
    length = sealed[1] if len(sealed) > 2 and sealed[:1] == FORMAT_VERSION else 0
    key_id = sealed[2 : 2 + length].decode("ascii", errors="replace")
    if not _KEY_ID.fullmatch(key_id):
        raise CannotUnseal("it is not a sealed value")
    return sealed[: 2 + length], key_id


_current: KeyRing | None = None


def bind(keys: KeyRing) -> None:
    """Set the key ring of the process; called once by `bootstrap.configure`."""
    global _current
    _current = keys


def current() -> KeyRing:
    """Return the key ring of the process. Raises `RuntimeError` before `bind`."""
    if _current is None:
        raise RuntimeError("sealing is used before it is configured")
    return _current
