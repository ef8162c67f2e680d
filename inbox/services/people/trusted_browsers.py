"""Browsers in which the sign-in of an account skips the second factor (specification 11.11).

The token of a browser replaces the second factor alone: the first factor is still required. It is no proof for a step-up.
"""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import peewee

from inbox.database.base import new_id
from inbox.domain.senders import keys
from inbox.domain.workspaces.audit_actions import AuditAction
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import User
from inbox.models.people.trusted_browsers import TrustedBrowser
from inbox.services.records import audit

LIFETIME = timedelta(days=30)
MAX_BROWSERS = 20
"""The most browsers of an account. A new browser replaces the oldest."""

LONGEST_AGENT = 300


def trust(user_id: UUID, now: datetime, *, user_agent: str, earlier_token: str) -> str:
    """Trust a browser, in the unit of work of a sign-in with the second factor. Return its token.

    The browser's earlier token ends for every account.
    """
    _end(TrustedBrowser.token_hash == keys.digest(earlier_token), now)
    oldest_last = TrustedBrowser.select(TrustedBrowser.id).where(TrustedBrowser.user == user_id)
    excess = oldest_last.order_by(TrustedBrowser.created_at.desc(), TrustedBrowser.id.desc()).offset(MAX_BROWSERS - 1)
    _end(TrustedBrowser.id.in_(excess), now)
    token = secrets.token_urlsafe(32)
    browser = TrustedBrowser.create(
        id=new_id(now),
        user=user_id,
        token_hash=keys.digest(token),
        user_agent=user_agent[:LONGEST_AGENT],
        created_at=now,
        expires_at=now + LIFETIME,
    )
    _record("browser.trusted", browser, now)
    return token


def use(user_id: UUID, token: str, now: datetime) -> bool:
    """Record the use of a token in the unit of work of the sign-in. Return whether the account trusts the browser."""
    is_trusted = _of_account(user_id, now) & (TrustedBrowser.token_hash == keys.digest(token))
    return bool(TrustedBrowser.update(last_used_at=now).where(is_trusted).execute())


def of_person(user_id: UUID, now: datetime) -> peewee.ModelSelect[TrustedBrowser]:
    """Select the browsers that this person's account trusts."""
    return TrustedBrowser.select().where(_of_account(user_id, now))


def is_of(browser: TrustedBrowser, token: str) -> bool:
    """Return whether the token belongs to this browser."""
    return bytes(browser.token_hash) == keys.digest(token)


def end_one(user_id: UUID, browser_id: UUID, now: datetime) -> bool:
    """End the trust in one browser. Return False when this person trusts no browser with this id."""
    with work():
        return _end(_of_account(user_id, now) & (TrustedBrowser.id == browser_id), now) > 0


def end_all(user_id: UUID, now: datetime) -> None:
    """End the trust in all browsers of a person, in the caller's unit of work.

    No concurrent sign-in is missed, because both lock the person's row.
    """
    User.select(User.id).where(User.id == user_id).for_update("FOR NO KEY UPDATE").execute()
    _end(TrustedBrowser.user == user_id, now)


def _of_account(user_id: UUID, now: datetime) -> peewee.Expression:
    valid: peewee.Expression = (TrustedBrowser.user == user_id) & (TrustedBrowser.expires_at > now)
    return valid


def _end(which: Any, now: datetime) -> int:
    browsers = list(TrustedBrowser.select().where(which).order_by(TrustedBrowser.id).for_update())
    for browser in browsers:
        TrustedBrowser.delete().where(TrustedBrowser.id == browser.id).execute()
        if browser.expires_at > now:
            record = audit.columns(browser, "user_agent", "created_at", "expires_at", "last_used_at")
            _record("browser.untrusted", browser, now, **audit.removed(record))
    return len(browsers)


def _record(action: AuditAction, browser: TrustedBrowser, now: datetime, **details: Any) -> None:
    about = audit.target("trustedBrowser", browser.id, user_id=browser.user_id)
    audit.record(action, target=about, now=now, actor=audit.caller_or(browser.user), details=details)
