"""Steps of a sign-in with a second factor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.models.people.accounts import User
from inbox.services.people import passwords
from tests.browser import Browser
from tests.cast import Cast
from tests.proving import HOME

PASSWORD = "mias own long phrase"


LOGIN = {"email": "mia@example.org", "password": PASSWORD}


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def mia(cast: Cast, password_hash: str, in_settings: Callable[..., Settings]) -> User:
    """Mia has a password, and is served where browsers make passkeys."""
    in_settings(base_url=HOME)
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()
    return User.get_by_id(cast.users["mia"].id)


@pytest.fixture
def visit(app: Flask) -> Callable[[], Browser]:
    """`visit()` is another browser in which nobody is signed in."""
    return lambda: Browser(app, HOME)


@pytest.fixture
def guest(visit: Callable[[], Browser]) -> Browser:
    return visit()


def challenged(browser: Browser) -> str:
    answer = browser.post("/v1/auth/login", LOGIN)
    assert answer.status_code == 200 and answer.json["mfaRequired"] is True
    return str(answer.json["challenge"])


def by_code(browser: Browser, challenge: str, code: str, factor: str = "totp") -> Any:
    return browser.post("/v1/auth/login/factor", {"challenge": challenge, "factor": factor, "code": code})


def refused(answer: Any) -> dict[str, Any]:
    assert answer.status_code == 401 and "Set-Cookie" not in answer.headers
    return dict(answer.json) | {"requestId": ""}
