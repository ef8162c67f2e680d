"""Account links: mailed to an address, valid for one purpose, for a limited time, and once (specification 11.8)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.config.settings import current
from inbox.domain.values.networks import network
from inbox.domain.values.refusals import RateLimited, TokenInvalid
from inbox.limits import rates
from inbox.models.people.links import Link, Purpose
from inbox.services.people.sessions import digest

LIFETIMES: Mapping[Purpose, timedelta] = {
    Purpose.PASSWORD_RESET: timedelta(minutes=30),
    Purpose.EMAIL_CHANGE: timedelta(hours=1),
    Purpose.VERIFY_EMAIL: timedelta(hours=24),
}
PAGES: Mapping[Purpose, str] = {
    Purpose.PASSWORD_RESET: "/reset",
    Purpose.EMAIL_CHANGE: "/email-change",
    Purpose.VERIFY_EMAIL: "/verify-email",
}
"""The page of the dashboard that sends each link's token back in the body of a request."""

NOBODY = UUID(int=0)
HOUR_SECONDS, DAY_SECONDS = 3_600, 86_400


def admit(address: str, now: datetime) -> None:
    """Count a request about a link from this client. Raises `RateLimited`. Do not call this within a transaction."""
    an_hour = current().account_links_per_hour_address
    wait = rates.take(f"links:address:{network(address)}", an_hour, an_hour / HOUR_SECONDS, now)
    if wait:
        raise RateLimited("Too many requests for account links.", retry_after=wait)


def may_reset(email_key: str, now: datetime) -> bool:
    """Count a password reset for an address, with or without an account. Do not call this within a transaction."""
    a_day = current().password_resets_per_account_day
    hidden = hashlib.sha256(email_key.encode()).hexdigest()[:32]
    return not rates.take(f"reset:account:{hidden}", a_day, a_day / DAY_SECONDS, now)


def make(purpose: Purpose, user_id: UUID | None, now: datetime, **payload: str) -> str:
    """Create a link in the caller's unit of work and return its URL. The person's earlier links for this purpose end.

    For no person (None) the statements are the same, and the link is invalid. The token is in the fragment, which
    browsers send to no server. Only its SHA-256 is stored.
    """
    token = secrets.token_urlsafe(32)
    Link.revoke(user_id or NOBODY, purpose, now)
    Link.replace(purpose, digest(token), user_id or NOBODY, now, now + LIFETIMES[purpose], payload)
    return _address(purpose, token)


def make_sign_up(payload: Mapping[str, str | None], now: datetime) -> str:
    """Create a sign-up link as `make` does, for a person without an account. It is invalid if the address has one."""
    token = secrets.token_urlsafe(32)
    Link.create_sign_up(digest(token), now, now + LIFETIMES[Purpose.VERIFY_EMAIL], payload)
    return _address(Purpose.VERIFY_EMAIL, token)


def find(purpose: Purpose, token: object, now: datetime) -> tuple[UUID | None, dict[str, Any]]:
    """Return the person and the payload of a link without consuming it. Raises `TokenInvalid` for any fault."""
    return _found(Link.find_valid(purpose, _digest(token), now))


def consume(purpose: Purpose, token: object, now: datetime) -> tuple[UUID | None, dict[str, Any]]:
    """Find and consume the link in the caller's unit of work.

    Of concurrent calls, one succeeds. Raises `TokenInvalid`.
    """
    return _found(Link.consume(purpose, _digest(token), now))


def _found(link: tuple[UUID | None, dict[str, Any]] | None) -> tuple[UUID | None, dict[str, Any]]:
    if link is None:
        raise TokenInvalid()
    return link


def _digest(token: object) -> bytes:
    """Digest the token. An invalid token is looked up as well, so that both cases take the same time."""
    return digest(token if isinstance(token, str) else "")


def _address(purpose: Purpose, token: str) -> str:
    return f"{current().base_url}{PAGES[purpose]}#token={token}"
