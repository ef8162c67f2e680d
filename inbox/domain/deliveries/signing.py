"""Signatures of outgoing webhooks, the Standard Webhooks scheme (specification 10.3)."""

from __future__ import annotations

import base64
import binascii
import hmac
import re
from collections.abc import Sequence
from datetime import datetime

from inbox.domain.values.redaction import MARK

PREFIX = "whsec_"
SHORTEST_KEY = 24
LONGEST_KEY = 64
_MESSAGE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BadSecret(ValueError):
    """The text is no signing secret. The message states the expected form, never the text."""


def parse_secret(text: str) -> bytes:
    """Returns the HMAC key of `whsec_<base64>`: 24 to 64 bytes in standard base64 with optional padding.

    Raises `BadSecret`. Only the canonical spelling is accepted, because receivers with lenient decoders would get
    another key.
    """
    if not text.startswith(PREFIX):
        raise BadSecret("must begin with whsec_")
    encoded = text[len(PREFIX) :].rstrip("=")
    try:
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise BadSecret("must be standard base64 after whsec_") from None
    canonical = base64.b64encode(key).decode()
    if text[len(PREFIX) :] not in (canonical, canonical.rstrip("=")):
        raise BadSecret("must be standard base64 after whsec_")
    if not SHORTEST_KEY <= len(key) <= LONGEST_KEY:
        raise BadSecret(f"must hold {SHORTEST_KEY} to {LONGEST_KEY} bytes")
    return key


def new_secret(entropy: bytes) -> str:
    """Returns a new secret from 32 random bytes."""
    return PREFIX + base64.b64encode(entropy).decode()


def hint(secret: str) -> str:
    """Returns the part of a secret that is shown: an ellipsis and the last 4 characters before the padding."""
    return "…" + secret.rstrip("=")[-4:]


def sign(key: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """Returns the `webhook-signature` of `body` as sent at `timestamp` (Unix seconds).

    Raises `ValueError` for an id with a dot or another invalid character, because the signed text must be unambiguous.
    """
    if not _MESSAGE_ID.fullmatch(message_id):
        raise ValueError("a message id is 1 to 64 of A-Z a-z 0-9 _ -")
    signed = b"%s.%d.%s" % (message_id.encode("ascii"), timestamp, body)
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode("ascii")


def masked_headers(message_id: str, at: datetime) -> dict[str, str]:
    """Returns the headers of the attempt at `at` for display, without the signature."""
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": f"v1,{MARK}",
    }


def headers(keys: Sequence[bytes], message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """Returns the three headers of one attempt at `at`, with a signature by each key.

    All attempts have the same id, but different timestamps.
    """
    timestamp = int(at.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(key, message_id, timestamp, body) for key in keys),
    }
