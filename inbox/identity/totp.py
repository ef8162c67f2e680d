"""Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). Each code is accepted once."""

from __future__ import annotations

import hmac
import secrets
from base64 import b32encode
from datetime import datetime

import pyotp

SECRET_BYTES = 20
DIGITS = 6
PERIOD = 30
NEIGHBOURS = (0, -1, 1)
"""The offsets of the time steps that are tried. A clock may differ by half a minute."""


def new_secret() -> bytes:
    """Create the secret that is shared with the app."""
    return secrets.token_bytes(SECRET_BYTES)


def to_base32(secret: bytes) -> str:
    """Encode the secret as base32, for manual entry into an app."""
    return b32encode(secret).decode().rstrip("=")


def provisioning_uri(secret: bytes, *, account: str, issuer: str) -> str:
    """Build the content of the QR code. The app shows `issuer` and `account` beside its codes."""
    return _generator(secret).provisioning_uri(account, issuer.replace(":", " "))


def matching_step(secret: bytes, code: str, now: datetime, *, last_step: int = 0) -> int | None:
    """Return the time step of this code, for `TotpFactor.consume_code`. None when the code is wrong, expired or used.

    `last_step` is the step of the newest used code. Spaces between the digits are ignored.
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
    """Compute the code of a step."""
    return _generator(secret).generate_otp(step)


def _generator(secret: bytes) -> pyotp.TOTP:
    return pyotp.TOTP(to_base32(secret), digits=DIGITS, interval=PERIOD)
