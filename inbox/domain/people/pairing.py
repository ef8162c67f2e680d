"""The code that pairs a device: its form, its input by a person, and its URL (specification 11.10)."""

from datetime import timedelta

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford base32: no I, L, O or U, which are easily confused."""

LIFETIME = timedelta(minutes=5)
MAX_WRONG_ATTEMPTS = 5
"""The number of wrong attempts that invalidates a code."""

LENGTH, HALF = 8, 4
RANDOM_BYTES = 5

_MISREAD = str.maketrans("ILO", "110", "- ")


def code(random_bits: bytes) -> str:
    """Returns a new code, `ABCD-EFGH`: 40 random bits in a readable form."""
    if len(random_bits) != RANDOM_BYTES:
        raise ValueError("a code takes 5 random bytes")
    number = int.from_bytes(random_bits)
    letters = "".join(ALPHABET[number >> shift & 31] for shift in range(35, -1, -5))
    return f"{letters[:HALF]}-{letters[HALF:]}"


def parse(text: str) -> str | None:
    """Returns the eight letters of a code in any case, with or without the dash; None for any other text."""
    if not text.isascii():
        return None
    letters = text.upper().translate(_MISREAD)
    return letters if len(letters) == LENGTH and all(letter in ALPHABET for letter in letters) else None


def selector(letters: str) -> str:
    """Returns the half of the letters that identifies a pending code, so that wrong attempts at it are counted."""
    return letters[:HALF]


def address(base_url: str, code: str) -> str:
    """Returns the URL of the QR code. The code follows the `#`, so that browsers do not send it and servers do not log it."""
    return f"{base_url.rstrip('/')}/pair#{code}"
