"""Credentials of senders: generation, validation before any look-up, and stored digests (specification 5.2)."""

import hashlib
import re
import zlib
from enum import StrEnum

from inbox.domain.values.refusals import Unauthenticated

KEY_PREFIX = "svc"
"""The neutral word at the beginning of every key of the service."""

ENTROPY_BYTES = 32
HINT_LENGTH = 4

NO_KEY = "No source key was sent. Send `Authorization: Bearer svc_src_…`."
INCOMPLETE_KEY = "The key is incomplete; copy it again."

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_LENGTH = 43
_CHECK_LENGTH = 6
_ALIAS_LENGTH = 14

_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
_MAIL_LENGTH = 26


class KeyKind(StrEnum):
    """The kind of a credential. The value is the beginning of such credentials."""

    SOURCE = f"{KEY_PREFIX}_src_"
    HEARTBEAT = f"{KEY_PREFIX}_hb_"
    PING = f"{KEY_PREFIX}_ping_"
    BADGE = f"{KEY_PREFIX}_badge_"
    CALENDAR = f"{KEY_PREFIX}_cal_"
    WALL = f"{KEY_PREFIX}_wall_"
    ALIAS = "A"
    MAIL = f"{KEY_PREFIX}_mail_"


_SHAPES = {
    KeyKind.SOURCE: re.compile(rf"{KeyKind.SOURCE}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.HEARTBEAT: re.compile(rf"{KeyKind.HEARTBEAT}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.PING: re.compile(rf"{KeyKind.PING}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.BADGE: re.compile(rf"{KeyKind.BADGE}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.CALENDAR: re.compile(rf"{KeyKind.CALENDAR}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.WALL: re.compile(rf"{KeyKind.WALL}[0-9A-Za-z]{{{_RANDOM_LENGTH + _CHECK_LENGTH}}}"),
    KeyKind.ALIAS: re.compile(rf"{KeyKind.ALIAS}[0-9A-Za-z._-]{{{_ALIAS_LENGTH}}}"),
    KeyKind.MAIL: re.compile(rf"{KeyKind.MAIL}[a-z2-7]{{{_MAIL_LENGTH}}}"),
}
_WITHOUT_CHECK = (KeyKind.ALIAS, KeyKind.MAIL)


class SenderKeyKind(StrEnum):
    """The kind of a key of a source (specification 5.2)."""

    SOURCE_KEY = "source_key"
    """For `POST /v1/events` and the addresses of tools."""

    ALIAS_TOKEN = "alias_token"
    """For senders in the legacy push format, which has room for 15 characters."""

    SIGNING_SECRET = "signing_secret"
    """For a tool that signs its requests. It is no credential by itself and is never sent as a key."""

    MAIL_ADDRESS = "mail_address"
    """For senders that can only mail: the part before the `@` of an address of the source."""

    PING_KEY = "ping_key"
    """For pings of the heartbeat monitors of the source, by their slugs. It sends no event."""

    @property
    def form(self) -> KeyKind:
        """The form of a key; signing secrets have a different form."""
        match self:
            case SenderKeyKind.ALIAS_TOKEN:
                return KeyKind.ALIAS
            case SenderKeyKind.MAIL_ADDRESS:
                return KeyKind.MAIL
            case SenderKeyKind.PING_KEY:
                return KeyKind.PING
            case _:
                return KeyKind.SOURCE


def mint(kind: KeyKind, entropy: bytes) -> str:
    """Creates a credential from 32 random bytes.

    Source, heartbeat, ping, badge, calendar and wall keys have all 256 bits and a 6-character check. An alias token has
    83 bits and no check, because its legacy form has room for 14 characters. An imported one may contain `.`, `_` and
    `-`. A mail address has 130 bits in lower case, because mail servers may change the case of an address.
    """
    if len(entropy) != ENTROPY_BYTES:
        raise ValueError(f"a key takes {ENTROPY_BYTES} random bytes")
    number = int.from_bytes(entropy)
    if kind is KeyKind.ALIAS:
        return kind + _base62(number % 62**_ALIAS_LENGTH, _ALIAS_LENGTH)
    if kind is KeyKind.MAIL:
        return kind + _written(number % 32**_MAIL_LENGTH, _MAIL_LENGTH, _BASE32)
    unchecked = kind + _base62(number, _RANDOM_LENGTH)
    return unchecked + _check(unchecked)


def well_formed(kind: KeyKind, text: object) -> bool:
    """Returns whether the text has the form of a credential of this kind: prefix, alphabet, length and check. Never raises.

    Truncated or mistyped keys are rejected without a database query.
    """
    if not isinstance(text, str) or _SHAPES[kind].fullmatch(text) is None:
        return False
    return kind in _WITHOUT_CHECK or text[-_CHECK_LENGTH:] == _check(text[:-_CHECK_LENGTH])


def digest(text: str) -> bytes:
    """Returns the stored digest, which is also the look-up key: SHA-256, 32 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def bearer_digest(authorization: str) -> bytes:
    """Returns the digest of the source key in an `Authorization` header. Raises `Unauthenticated`."""
    scheme, _, token = authorization.partition(" ")
    return source_digest(token.strip(" ") if scheme.lower() == "bearer" else "", NO_KEY)


def source_digest(token: str, missing: str) -> bytes:
    """Returns the digest of a source key. Malformed keys are refused without a look-up (specification 5.3).

    Raises `Unauthenticated`, with `missing` for a text that is no source key.
    """
    if not token.startswith(KeyKind.SOURCE):
        raise Unauthenticated(missing)
    if not well_formed(KeyKind.SOURCE, token):
        raise Unauthenticated(INCOMPLETE_KEY)
    return digest(token)


def hint(text: str) -> str:
    """Returns the last four characters, the only part that is shown later."""
    return text[-HINT_LENGTH:]


def _check(unchecked: str) -> str:
    return _base62(zlib.crc32(unchecked.encode("ascii")), _CHECK_LENGTH)


def _base62(number: int, length: int) -> str:
    return _written(number, length, _BASE62)


def _written(number: int, length: int, alphabet: str) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, len(alphabet))
        digits.append(alphabet[digit])
    return "".join(reversed(digits))
