"""Account links: mailed to an address, good for one thing, for a while, and once (specification 11.8)."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from inbox import rate_limit
from inbox.domain.networks import network
from inbox.domain.refusals import RateLimited, TokenInvalid
from inbox.models.tables.links import Link, Purpose
from inbox.services.sessions import digest
from inbox.settings import current

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
    """Count a request about a link, sent or come back, from this client; raises `RateLimited`. Not within a transaction."""
    an_hour = current().account_links_per_hour_address
    wait = rate_limit.take(f"links:address:{network(address)}", an_hour, an_hour / HOUR_SECONDS, now)
    if wait:
        raise RateLimited("Too many requests for account links.", retry_after=wait)


def may_reset(email_key: str, now: datetime) -> bool:
    """Count a reset that is asked for an address, whether it has an account or not. Not within a transaction."""
    a_day = current().password_resets_per_account_day
    hidden = hashlib.sha256(email_key.encode()).hexdigest()[:32]
    return not rate_limit.take(f"reset:account:{hidden}", a_day, a_day / DAY_SECONDS, now)


def make(purpose: Purpose, user_id: UUID | None, now: datetime, **payload: str) -> str:
    """The address of a new link, which ends the person's earlier ones for this purpose; within the caller's unit of work.

    For nobody (None) the same statements are made, and the link is good for nothing. The token is in the fragment,
    which browsers send to nobody; only its SHA-256 is kept.
    """
    token = secrets.token_urlsafe(32)
    Link.revoke(user_id or NOBODY, purpose, now)
    Link.replace(purpose, digest(token), user_id or NOBODY, now, now + LIFETIMES[purpose], payload)
    return _address(purpose, token)


def make_sign_up(payload: Mapping[str, str | None], now: datetime) -> str:
    """As `make`, for somebody who has no account yet; good for nothing where the address has one."""
    token = secrets.token_urlsafe(32)
    Link.create_sign_up(digest(token), now, now + LIFETIMES[Purpose.VERIFY_EMAIL], payload)
    return _address(Purpose.VERIFY_EMAIL, token)


def find(purpose: Purpose, token: object, now: datetime) -> tuple[UUID | None, dict[str, Any]]:
    """Whose link this is and what it is to do, without using it up. Raises `TokenInvalid`, whatever is wrong with it."""
    return _found(Link.find_valid(purpose, _digest(token), now))


def consume(purpose: Purpose, token: object, now: datetime) -> tuple[UUID | None, dict[str, Any]]:
    """As `find`, and the link is used up if the caller's unit of work is committed; of many at once one gets it."""
    return _found(Link.consume(purpose, _digest(token), now))


def _found(link: tuple[UUID | None, dict[str, Any]] | None) -> tuple[UUID | None, dict[str, Any]]:
    if link is None:
        raise TokenInvalid()
    return link


def _digest(token: object) -> bytes:
    """What a token would be stored as; whatever is no token is looked up all the same, which takes the same time."""
    return digest(token if isinstance(token, str) else "")


def _address(purpose: Purpose, token: str) -> str:
    return f"{current().base_url}{PAGES[purpose]}#token={token}"
