"""Challenges for proofs by a browser. Each is valid for one purpose, a few minutes, and once (specification 11.3).

A challenge is a signed ticket that the browser keeps. The value that a passkey signs is derived from the ticket. So
nothing is stored until the challenge is spent.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from inbox.config import settings
from inbox.identity import tickets
from inbox.identity.tickets import Ticket, TicketRefused
from inbox.models.people.factors import UsedTicket

LIFETIME = timedelta(minutes=5)


class Purpose(StrEnum):
    """The purpose of a challenge. A challenge is invalid for any other purpose."""

    SIGN_IN = "sign-in"
    """The second factor of a sign-in after the first factor."""
    PASSKEY = "passkey"
    """A sign-in with a passkey alone."""
    STEP_UP = "step-up"
    NEW_PASSKEY = "new-passkey"


@dataclass(frozen=True, slots=True)
class Challenge:
    """A verified challenge. `nonce` is the value that a passkey signs: 32 unpredictable bytes."""

    values: Mapping[str, str]
    nonce: bytes
    ticket: Ticket


def issue(purpose: Purpose, values: Mapping[str, str], now: datetime) -> str:
    """Issue a challenge. The browser can read its values but not change them."""
    return tickets.issue(settings.current().signing_key, purpose, values, now=now, lifetime=LIFETIME)


def issue_passkey_challenge(purpose: Purpose, values: Mapping[str, str], now: datetime) -> tuple[str, bytes]:
    """Issue a challenge for a passkey. Return it with the `nonce` that the passkey signs."""
    text = issue(purpose, values, now)
    found = verify(purpose, text, now)
    assert found is not None
    return text, found.nonce


def verify(purpose: Purpose, text: str, now: datetime) -> Challenge | None:
    """Return the challenge if it was issued for this purpose and has not expired, else None. It may be spent."""
    key = settings.current().signing_key
    try:
        ticket = tickets.verify(key, purpose, text, now=now)
    except TicketRefused:
        return None
    nonce = hmac.new(key.encode(), b"challenge|" + ticket.digest, hashlib.sha256).digest()
    return Challenge(ticket.values, nonce, ticket)


def spend(challenge: Challenge) -> bool:
    """Use the challenge up within the caller's unit of work. Return False when it was used before."""
    return UsedTicket.consume(challenge.ticket.digest, challenge.ticket.expires_at)
