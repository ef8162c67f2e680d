"""Signatures of the tools that sign what they send (specification 19.13). A check takes the raw bytes of the body."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from inbox.domain import signing

TOLERANCE = timedelta(minutes=5)
"""How far the time of a signature with a time may be from the present."""

MOST_SIGNATURES = 10
"""How many signatures of one header are compared."""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request before it is believed. `headers` have lower-case names."""

    headers: Mapping[str, str]
    body: bytes
    now: datetime

    def header(self, name: str) -> str:
        """A header; empty when it is missing."""
        return self.headers.get(name.lower(), "")


Check = Callable[[str, SignedRequest], bool]
"""Whether a request was signed with this secret. It takes the same time for every wrong signature."""


@dataclass(frozen=True, slots=True)
class SigningScheme:
    """How a tool signs. `place` says where the secret stands in the tool."""

    headers: tuple[str, ...]
    place: str
    is_valid: Check
    is_made_by_tool: bool = False
    """Whether the tool makes the secret, so that a person enters it here."""

    def has_signature(self, request: SignedRequest) -> bool:
        """Whether the request has one of the headers."""
        return any(request.header(name) for name in self.headers)


def hex_hmac(header: str, prefix: str = "") -> Check:
    """HMAC-SHA256 of the body in hex. The text of the secret is the key."""

    def is_valid(secret: str, request: SignedRequest) -> bool:
        expected = prefix + hmac.new(secret.encode(), request.body, "sha256").hexdigest()
        return _is_equal(expected, request.header(header))

    return is_valid


def token(header: str) -> Check:
    """The secret itself in a header."""
    return lambda secret, request: _is_equal(secret, request.header(header))


def standard_webhooks(secret: str, request: SignedRequest) -> bool:
    """The scheme of Standard Webhooks: id, time and body, with a time near the present."""
    sent_at, message_id = request.header("webhook-timestamp"), request.header("webhook-id")
    if not sent_at.isascii() or not sent_at.isdigit() or len(sent_at) > 12:
        return False
    if abs(int(sent_at) - request.now.timestamp()) > TOLERANCE.total_seconds():
        return False
    try:
        expected = signing.sign(signing.parse_secret(secret), message_id, int(sent_at), request.body)
    except ValueError:
        return False
    sent = request.header("webhook-signature").split()[:MOST_SIGNATURES]
    return any(_is_equal(expected, each) for each in sent)


def _is_equal(expected: str, sent: str) -> bool:
    return hmac.compare_digest(expected.encode(), sent.encode("utf-8", "replace"))
