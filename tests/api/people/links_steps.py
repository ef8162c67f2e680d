"""Steps with links by mail: requesting, confirming, signing in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry
from inbox.services.people import passwords
from tests.browser import Browser
from tests.cast import Cast
from tests.mail.servers import MailServer
from tests.stand_ins.post_office import MAIL_FROM, PostOffice

Browsers = Callable[[str], Browser]


InSettings = Callable[..., Settings]


OLD, NEW = "mias own long phrase", "another long phrase"


CONFIRMATIONS: dict[str, dict[str, Any]] = {
    "/v1/auth/password-reset/confirm": {"password": NEW},
    "/v1/auth/email-change/confirm": {},
    "/v1/auth/verify-email": {},
}


REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/auth/password-reset": {"email": "mia@example.org"},
    "/v1/auth/signup": {"email": "zoe@example.org", "password": NEW, "name": "Zoe"},
}


@pytest.fixture(scope="module")
def old_hash() -> str:
    return passwords.hashed(OLD)


@pytest.fixture
def post(cast: Cast, in_settings: InSettings, old_hash: str) -> Iterator[PostOffice]:
    """A hosted instance with mail, in which Mia has a password."""
    User.update(password_hash=old_hash).where(User.id == cast.users["mia"].id).execute()
    with MailServer() as server:
        in_settings(smtp_url=server.url, mail_from=MAIL_FROM, edition="hosted")
        yield PostOffice(server)


def ask_for_reset(browser: Browser, email: str = "mia@example.org") -> Any:
    answer = browser.post("/v1/auth/password-reset", {"email": email})
    assert (answer.status_code, answer.json) == (202, {"status": "accepted"})
    return answer


def reset(browser: Browser, token: Any, password: str = NEW) -> Any:
    return browser.post("/v1/auth/password-reset/confirm", {"token": token, "password": password})


def log_in(browser: Browser, password: str, email: str = "mia@example.org") -> Any:
    return browser.post("/v1/auth/login", {"email": email, "password": password})


def actions() -> list[str]:
    return [row.action for row in AuditEntry.select().order_by(AuditEntry.id)]


def verify(browser: Browser, token: str) -> Any:
    return browser.post("/v1/auth/verify-email", {"token": token})
