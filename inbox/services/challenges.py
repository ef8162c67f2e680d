"""Challenges: what a browser answers with a proof, each good for one purpose, a few minutes, and once.

Specification 11.3.

A challenge is a signed ticket that the browser keeps; what a passkey is to sign is made from it, so nothing is stored
until it is spent.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from inbox import settings
from inbox.identity import tickets
from inbox.identity.tickets import Ticket, TicketRefused
from inbox.models.tables.factors import SpentTicket

LIFETIME = timedelta(minutes=5)


class Purpose(StrEnum):
    """What a challenge is for; it is good for nothing else."""

    SIGN_IN = "sign-in"
    """The second factor of a sign-in whose first one is done."""
    PASSKEY = "passkey"
    """A sign-in with a passkey alone."""
    STEP_UP = "step-up"
    NEW_PASSKEY = "new-passkey"


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge that came back. `nonce` is what a passkey signs, 32 bytes that nobody else can foretell."""

    values: Mapping[str, str]
    nonce: bytes
    ticket: Ticket


def issue(purpose: Purpose, values: Mapping[str, str], now: datetime) -> str:
    """A new challenge; its values can be read by the browser, but not changed."""
    return tickets.issue(settings.current().signing_key, purpose, values, now=now, lifetime=LIFETIME)


def issue_passkey_challenge(purpose: Purpose, values: Mapping[str, str], now: datetime) -> tuple[str, bytes]:
    """A new challenge for a passkey, and the `nonce` that it is to sign."""
    text = issue(purpose, values, now)
    found = verify(purpose, text, now)
    assert found is not None
    return text, found.nonce


def verify(purpose: Purpose, text: str, now: datetime) -> Challenge | None:
    """The challenge that was issued for this purpose; None when it was not, or has expired. It may be spent already."""
    key = settings.current().signing_key
    try:
        ticket = tickets.verify(key, purpose, text, now=now)
    except TicketRefused:
        return None
    nonce = hmac.new(key.encode(), b"challenge|" + ticket.digest, hashlib.sha256).digest()
    return Challenge(ticket.values, nonce, ticket)


def spend(challenge: Challenge) -> bool:
    """Use it up within the caller's unit of work; False when it was used before."""
    return SpentTicket.consume(challenge.ticket.digest, challenge.ticket.expires_at)
