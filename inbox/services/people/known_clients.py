"""The separate rate limit for known clients: addresses and browsers of recent sign-ins (decision 0031).

Guesses from elsewhere use up only the limit that all unknown clients share. Known clients can still sign in.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from uuid import UUID

from inbox.config import settings
from inbox.domain.values.networks import UNKNOWN, network
from inbox.models.people.accounts import User
from inbox.models.people.known_clients import ClientKind, KnownClient

NO_CLIENT = UUID(int=0)


def browser_bucket(user: User | None, browser: str, now: datetime) -> str | None:
    """Return the bucket for sign-in attempts of this browser, or None for a browser unknown to the account."""
    return _bucket(user, ClientKind.BROWSER, browser, now) if browser else None


def address_bucket(user: User | None, address: str, now: datetime) -> str | None:
    """Return the bucket for sign-in attempts of this address, or None for an address unknown to the account."""
    found = network(address)
    return _bucket(user, ClientKind.ADDRESS, found, now) if found != UNKNOWN else None


def record_sign_in(user_id: UUID, address: str, browser: str, now: datetime) -> None:
    """Record the client of a sign-in, in the unit of work of the sign-in."""
    found = network(address)
    if found != UNKNOWN:
        KnownClient.record(user_id, ClientKind.ADDRESS, _digest(user_id, ClientKind.ADDRESS, found), now)
    if browser:
        KnownClient.record(user_id, ClientKind.BROWSER, _digest(user_id, ClientKind.BROWSER, browser), now)


def _bucket(user: User | None, kind: ClientKind, value: str, now: datetime) -> str | None:
    """Query the database also for an unknown account, so that both cases take the same work."""
    user_id = user.id if user is not None else NO_CLIENT
    digest = _digest(user_id, kind, value)
    return f"sign-in:{kind}-of-account:{digest.hex()[:32]}" if KnownClient.has(user_id, kind, digest, now) else None


def _digest(user_id: UUID, kind: ClientKind, value: str) -> bytes:
    """Compute a digest that differs between accounts. A search for the value requires the signing key."""
    key = settings.current().signing_key.encode()
    return hmac.new(
        key, f"known-client|{user_id.hex}|{kind}|{value}".encode("utf-8", "replace"), hashlib.sha256
    ).digest()
