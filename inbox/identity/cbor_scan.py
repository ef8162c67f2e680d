"""Finds tags in CBOR (RFC 8949) before it is decoded."""

from __future__ import annotations

_BYTES, _TEXT, _TAG = 2, 3, 6
_FIRST_LENGTH, _LAST_LENGTH = 24, 27
"""Heads whose argument follows in 1, 2, 4 or 8 bytes."""


def has_tags(encoded: bytes) -> bool:
    """Return whether an item has a tag. Items are read one after the other, at any depth."""
    at = 0
    while at < len(encoded):
        major, argument = encoded[at] >> 5, encoded[at] & 0x1F
        if major == _TAG:
            return True
        at += 1
        if _FIRST_LENGTH <= argument <= _LAST_LENGTH:
            size = 1 << argument - _FIRST_LENGTH
            argument = int.from_bytes(encoded[at : at + size])
            at += size
        elif argument > _LAST_LENGTH:
            argument = 0  # its parts follow as items
        if major in (_BYTES, _TEXT):
            at += argument
    return False
