"""Checks the signatures of tools that sign (specification 19.13). A check takes the raw bytes of the body."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from inbox.domain.deliveries import signing

TOLERANCE = timedelta(minutes=5)
"""The maximum difference between the time of a signature and now."""

LONGEST_TIME = 12
"""The maximum number of digits of a time in seconds."""

MOST_SIGNATURES = 10
"""The maximum number of signatures of one header that are compared."""


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request whose signature is not checked yet. `headers` have lower-case names."""

    headers: Mapping[str, str]
    body: bytes
    now: datetime

    def header(self, name: str) -> str:
        """Returns a header; empty when it is missing."""
        return self.headers.get(name.lower(), "")


Check = Callable[[str, SignedRequest], bool]
"""Returns whether a request was signed with this secret, in constant time for every wrong signature."""


@dataclass(frozen=True, slots=True)
class SigningScheme:
    """The signing scheme of a tool. `place` says where the secret stands in the tool."""

    headers: tuple[str, ...]
    place: str
    is_valid: Check
    is_made_by_tool: bool = False
    """Whether the tool creates the secret, so that a person enters it here."""

    is_optional: bool = False
    """Whether the tool can send a key instead of a signature."""

    def has_signature(self, request: SignedRequest) -> bool:
        """Returns whether the request has one of the headers."""
        return any(request.header(name) for name in self.headers)


def hex_hmac(header: str, prefix: str = "") -> Check:
    """Returns a check for HMAC-SHA256 of the body in hex. The text of the secret is the key."""

    def is_valid(secret: str, request: SignedRequest) -> bool:
        expected = prefix + hmac.new(secret.encode(), request.body, "sha256").hexdigest()
        return _is_equal(expected, request.header(header))

    return is_valid


def hex_hmac_with_time(header: str, time_header: str) -> Check:
    """Returns a check like `hex_hmac` that also covers the time header.

    The signature then covers the header's Unix seconds, a colon and the body, and the time must be near now. Removing
    the time header gains nothing: the time would become part of the body, which is then no JSON.
    """

    def is_valid(secret: str, request: SignedRequest) -> bool:
        sent_at, signed = request.header(time_header), request.body
        if sent_at:
            if not _is_near(sent_at, request.now):
                return False
            signed = f"{sent_at}:".encode() + signed
        expected = hmac.new(secret.encode(), signed, "sha256").hexdigest()
        return _is_equal(expected, request.header(header))

    return is_valid


def token(header: str) -> Check:
    """Returns a check for a header that contains the secret itself."""
    return lambda secret, request: _is_equal(secret, request.header(header))


def standard_webhooks(secret: str, request: SignedRequest) -> bool:
    """Checks the signature of Standard Webhooks: id, time and body, with a time near now."""
    sent_at, message_id = request.header("webhook-timestamp"), request.header("webhook-id")
    if not _is_near(sent_at, request.now):
        return False
    try:
        expected = signing.sign(signing.parse_secret(secret), message_id, int(sent_at), request.body)
    except ValueError:
        return False
    sent = request.header("webhook-signature").split()[:MOST_SIGNATURES]
    return any(_is_equal(expected, each) for each in sent)


def _is_near(sent_at: str, now: datetime) -> bool:
    """Returns whether a text is a time in Unix seconds near now."""
    if not sent_at.isascii() or not sent_at.isdigit() or len(sent_at) > LONGEST_TIME:
        return False
    return abs(int(sent_at) - now.timestamp()) <= TOLERANCE.total_seconds()


def _is_equal(expected: str, sent: str) -> bool:
    return hmac.compare_digest(expected.encode(), sent.encode("utf-8", "replace"))
