"""Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds), each taken once."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b32encode
from datetime import datetime
from urllib.parse import quote, urlencode

SECRET_BYTES = 20
DIGITS = 6
PERIOD = 30
NEIGHBOURS = (0, -1, 1)
"""The steps that are tried beside the present one: a clock may be off by half a minute."""


def new_secret() -> bytes:
    """A secret to share with the app."""
    return secrets.token_bytes(SECRET_BYTES)


def to_base32(secret: bytes) -> str:
    """The secret as a person types it into an app: base32."""
    return b32encode(secret).decode().rstrip("=")


def provisioning_uri(secret: bytes, *, account: str, issuer: str) -> str:
    """What the QR code says: the app shows `issuer` and `account` beside its codes."""
    issuer = issuer.replace(":", " ")
    label = f"{quote(issuer, safe='')}:{quote(account, safe='@')}"
    query = {"secret": to_base32(secret), "issuer": issuer, "algorithm": "SHA1", "digits": DIGITS, "period": PERIOD}
    return f"otpauth://totp/{label}?{urlencode(query, quote_via=quote)}"


def matching_step(secret: bytes, code: str, now: datetime, *, last_step: int = 0) -> int | None:
    """The step that this code is of, to be taken by `TotpFactor.take`; None when it is wrong, too old, or was taken.

    `last_step` is the step of the newest code that was taken. Spaces between the digits are ignored.
    """
    digits = code.replace(" ", "")
    if len(digits) != DIGITS or not digits.isascii() or not digits.isdigit():
        return None
    present = int(now.timestamp()) // PERIOD
    matching = None
    for step in (present + neighbour for neighbour in NEIGHBOURS):
        if hmac.compare_digest(code_of(secret, step), digits) and step > last_step and matching is None:
            matching = step
    return matching


def code_of(secret: bytes, step: int) -> str:
    """The code of a step (RFC 4226, section 5.3)."""
    digest = hmac.new(secret, step.to_bytes(8, "big"), hashlib.sha1).digest()
    offset = digest[-1] & 0xF
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**DIGITS).zfill(DIGITS)
