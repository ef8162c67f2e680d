"""Adds second factors over HTTP."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.deliveries.mail_outbox import Mail
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry
from inbox.services.people import passwords
from tests.browser import Browser
from tests.cast import Cast, sign_in
from tests.proving import HOME

PASSWORD = "mias own long phrase"


MAILS = {"smtp_url": "smtp://127.0.0.1:1", "mail_from": "inbox@example.org"}


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def mia(cast: Cast, password_hash: str, in_settings: Callable[..., Settings]) -> User:
    in_settings(base_url=HOME, **MAILS)
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()
    return User.get_by_id(cast.users["mia"].id)


@pytest.fixture
def hers(mia: User, app: Flask) -> Browser:
    """Mia's browser, in which she has just signed in."""
    return Browser(app, HOME, cookie=sign_in(mia))


def reported() -> list[tuple[str, str]]:
    """The templates and addresses of the mails that wait."""
    return [(mail.template, mail.address) for mail in Mail.select().order_by(Mail.id)]


def written() -> list[tuple[str, str]]:
    return [(entry.action, entry.details.get("factor", "")) for entry in AuditEntry.select().order_by(AuditEntry.id)]
