"""The code that pairs a device: how it is written, typed and shown as an address (specification 11.10)."""

from datetime import timedelta

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford base32: no I, L, O or U, which are mistaken for others."""

LIFETIME = timedelta(minutes=5)
WRONG_TRIES = 5
"""So many wrong tries at a code end it."""

LENGTH, HALF = 8, 4
RANDOM_BYTES = 5

_MISREAD = str.maketrans("ILO", "110", "- ")


def code(random_bits: bytes) -> str:
    """`ABCD-EFGH`: 40 random bits as a person reads them."""
    if len(random_bits) != RANDOM_BYTES:
        raise ValueError("a code takes 5 random bytes")
    number = int.from_bytes(random_bits)
    letters = "".join(ALPHABET[number >> shift & 31] for shift in range(35, -1, -5))
    return f"{letters[:HALF]}-{letters[HALF:]}"


def read(typed: str) -> str | None:
    """The eight letters of a code however it was typed: in any case, with or without the dash; None for anything else."""
    if not typed.isascii():
        return None
    letters = typed.upper().translate(_MISREAD)
    return letters if len(letters) == LENGTH and all(letter in ALPHABET for letter in letters) else None


def selector(letters: str) -> str:
    """The half of the letters by which a waiting code is found, so that wrong tries at it are counted."""
    return letters[:HALF]


def address(base_url: str, code: str) -> str:
    """What the QR code says. The code stands behind the `#`, which no browser sends and no server logs."""
    return f"{base_url.rstrip('/')}/pair#{code}"
