"""Addresses and browsers that signed in to an account lately have a budget of tries of their own (decision 0039).

Whoever guesses from elsewhere uses up the budget that all unknown clients share, and shuts nobody out who is known.
"""

from __future__ import annotations

import hashlib
import hmac
from datetime import datetime
from uuid import UUID

from inbox import settings
from inbox.domain.networks import UNKNOWN, network
from inbox.models.tables.accounts import User
from inbox.models.tables.known_clients import ClientKind, KnownClient

NO_CLIENT = UUID(int=0)


def browser_bucket(user: User | None, browser: str, now: datetime) -> str | None:
    """What tries of this browser to sign in to the account are counted in; None when the account does not know it."""
    return _bucket(user, ClientKind.BROWSER, browser, now) if browser else None


def address_bucket(user: User | None, address: str, now: datetime) -> str | None:
    """The same, of an address."""
    found = network(address)
    return _bucket(user, ClientKind.ADDRESS, found, now) if found != UNKNOWN else None


def record_sign_in(user_id: UUID, address: str, browser: str, now: datetime) -> None:
    """Somebody signed in to the account from here. Within the unit of work that signs them in."""
    found = network(address)
    if found != UNKNOWN:
        KnownClient.record(user_id, ClientKind.ADDRESS, _digest(user_id, ClientKind.ADDRESS, found), now)
    if browser:
        KnownClient.record(user_id, ClientKind.BROWSER, _digest(user_id, ClientKind.BROWSER, browser), now)


def _bucket(user: User | None, kind: ClientKind, value: str, now: datetime) -> str | None:
    """Asks the database also where there is no such account, so that both take the same work."""
    user_id = user.id if user is not None else NO_CLIENT
    digest = _digest(user_id, kind, value)
    return f"sign-in:{kind}-of-account:{digest.hex()[:32]}" if KnownClient.has(user_id, kind, digest, now) else None


def _digest(user_id: UUID, kind: ClientKind, value: str) -> bytes:
    """Differs from account to account, and cannot be searched without the signing key."""
    key = settings.current().signing_key.encode()
    return hmac.new(
        key, f"known-client|{user_id.hex}|{kind}|{value}".encode("utf-8", "replace"), hashlib.sha256
    ).digest()
