"""Signed tickets: values that a browser keeps for us for a few minutes, for one purpose, and gives back unchanged."""

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
    """It is not one of ours, is for something else, was altered, or has expired; never said which."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What came back. Whoever must have it once spends its `digest` until `expires_at` (`models.factors.SpentTicket`)."""

    values: Mapping[str, Any]
    expires_at: datetime
    digest: bytes


def issue(key: str, purpose: str, values: Mapping[str, Any], *, now: datetime, lifetime: timedelta) -> str:
    """A ticket with these JSON values; each is different. It is signed, not secret: the browser can read it."""
    ends = int((now + lifetime).timestamp())
    return str(_signer(key, purpose).dumps({"v": dict(values), "e": ends, "n": secrets.token_urlsafe(12)}))


def verify(key: str, purpose: str, text: str | None, *, now: datetime) -> Ticket:
    """The ticket that `issue` made for this purpose. Raises `TicketRefused`."""
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
    # Of the signed part alone: the signature can be written in several ways, and a ticket is one.
    return Ticket(values, ends, hashlib.sha256(text.rpartition(".")[0].encode()).digest())


def _signer(key: str, purpose: str) -> URLSafeSerializer:
    return URLSafeSerializer(key, salt=f"ticket:{purpose}", signer_kwargs={"digest_method": hashlib.sha256})
