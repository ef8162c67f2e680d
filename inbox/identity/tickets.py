"""Signed tickets: values that a browser carries unchanged for a few minutes, for one purpose."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

LONGEST = 4_000


class TicketRefused(Exception):
    """The ticket is foreign, for another purpose, altered or expired. Callers never disclose the reason."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """A verified ticket.

    A caller that accepts it once spends `digest` until `expires_at` (`models.people.factors.SpentTicket`).
    """

    values: Mapping[str, Any]
    expires_at: datetime
    digest: bytes


def issue(key: str, purpose: str, values: Mapping[str, Any], *, now: datetime, lifetime: timedelta) -> str:
    """Create a unique ticket with these JSON values.

    It is signed but not encrypted: the browser can read the values.
    """
    ends = int((now + lifetime).timestamp())
    return str(_signer(key, purpose).dumps({"v": dict(values), "e": ends, "n": secrets.token_urlsafe(12)}))


def verify(key: str, purpose: str, text: str | None, *, now: datetime) -> Ticket:
    """Return the ticket that `issue` created for this purpose. Raises `TicketRefused`."""
    if not text or len(text) > LONGEST or not text.isascii():
        raise TicketRefused
    try:
        found = _signer(key, purpose).loads(text)
        ends = datetime.fromtimestamp(found["e"], UTC)
        values = found["v"]
    except (BadData, KeyError, TypeError, ValueError):
        raise TicketRefused from None
    if now >= ends:
        raise TicketRefused
    # The digest covers the signed part alone, because the signature has several encodings and a ticket has one digest.
    return Ticket(values, ends, hashlib.sha256(text.rpartition(".")[0].encode()).digest())


def _signer(key: str, purpose: str) -> URLSafeSerializer:
    return URLSafeSerializer(key, salt=f"ticket:{purpose}", signer_kwargs={"digest_method": hashlib.sha256})
