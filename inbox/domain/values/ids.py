"""Identifiers in JSON and documents: UUIDv7 values written as TypeIDs."""

import re
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford base32 in lower case, the order of the TypeID specification."""

SUFFIX_LENGTH = 26

CLOCK_SKEW = timedelta(hours=1)
"""The maximum difference between the clocks of several machines."""


class Prefix(StrEnum):
    """The kind of object that an identifier names (specification 2.4)."""

    USER = "usr"
    SESSION = "ses"
    DEVICE = "dev"
    PASSKEY = "psk"
    TRUSTED_BROWSER = "tbr"
    WORKSPACE = "wsp"
    MEMBER = "mbr"
    INVITE = "inv"
    SOURCE = "src"
    KEY = "key"
    EVENT = "evt"
    INCIDENT = "inc"
    ALERT = "alr"
    SILENCE = "sil"
    RULE = "rul"
    PROFILE = "prf"
    SCHEDULE = "sch"
    LAYER = "lay"
    OVERRIDE = "ovr"
    FORWARDING = "fwd"
    CALENDAR_FEED = "cal"
    DESTINATION = "dst"
    NOTICE = "ntc"
    DELIVERY = "dlv"
    MONITOR = "mon"
    WATCHER = "wat"
    AUDIT_ENTRY = "aud"
    VIEW = "view"
    PREVIEW = "prv"
    CHAT_ACCOUNT = "cac"
    CONTACT_METHOD = "cme"


PREFIXES = frozenset(Prefix)

_PAIRS = tuple(first + second for first in ALPHABET for second in ALPHABET)
_SUFFIX_PATTERN = "[0-7][0-9a-hjkmnp-tv-z]{25}"
_SUFFIX = re.compile(_SUFFIX_PATTERN)
_TO_DIGITS = str.maketrans(ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_VERSION_AND_VARIANT = (0x7 << 76) | (0x2 << 62)
_RANDOM_A = 0xFFF
_RANDOM_B = (1 << 62) - 1


def uuid7(unix_ms: int, random_bits: bytes) -> UUID:
    """Returns a version 7 UUID of this millisecond. It uses 74 bits of `random_bits` (10 bytes).

    Ids of one millisecond are in no particular order.
    """
    if len(random_bits) != 10:
        raise ValueError("uuid7 takes 10 random bytes")
    if not 0 <= unix_ms < 1 << 48:
        raise ValueError("uuid7 takes milliseconds since 1970 in 48 bits")
    random_number = int.from_bytes(random_bits)
    high = (random_number >> 62) & _RANDOM_A
    return UUID(int=(unix_ms << 80) | _VERSION_AND_VARIANT | (high << 64) | (random_number & _RANDOM_B))


def first_at(moment: datetime, later: int = 0) -> UUID:
    """Returns the lower bound of the ids of a millisecond, shifted by `later` milliseconds."""
    return uuid7(max(0, int(moment.timestamp() * 1000) + later), bytes(10))


def around(since: datetime | None, until: datetime | None) -> tuple[UUID | None, UUID | None]:
    """Returns the range of the ids of rows created in this period; None is an open end.

    The bounds allow for clock skew, since another machine may have created them.
    """
    slack = int(CLOCK_SKEW.total_seconds() * 1000)
    return None if since is None else first_at(since, -slack), None if until is None else first_at(until, slack)


def pattern(prefix: str) -> str:
    """Returns a regular expression for ids with this prefix, for routes and documents."""
    return f"{prefix}_{_SUFFIX_PATTERN}"


def encode(prefix: str, value: UUID) -> str:
    """Returns the TypeID of a UUID, `evt_01h455vb4pex5vsknk084sn02q`: the prefix and 26 characters of base32."""
    number = value.int
    pairs = _PAIRS
    return (
        f"{prefix}_{pairs[number >> 120]}{pairs[number >> 110 & 1023]}{pairs[number >> 100 & 1023]}"
        f"{pairs[number >> 90 & 1023]}{pairs[number >> 80 & 1023]}{pairs[number >> 70 & 1023]}"
        f"{pairs[number >> 60 & 1023]}{pairs[number >> 50 & 1023]}{pairs[number >> 40 & 1023]}"
        f"{pairs[number >> 30 & 1023]}{pairs[number >> 20 & 1023]}{pairs[number >> 10 & 1023]}"
        f"{pairs[number & 1023]}"
    )


def decode(prefix: str, text: str) -> UUID | None:
    """Returns the UUID of an identifier in its only canonical form; None for any other text or prefix."""
    start = len(prefix) + 1
    if len(text) != start + SUFFIX_LENGTH or text[:start] != prefix + "_":
        return None
    suffix = text[start:]
    if _SUFFIX.fullmatch(suffix) is None:
        return None
    return UUID(int=int(suffix.translate(_TO_DIGITS), 32))
