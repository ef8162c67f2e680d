"""Steps of a sign-in that makes a browser trusted, and of later sign-ins in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from inbox.models.people.accounts import User
from inbox.models.people.trusted_browsers import TrustedBrowser
from tests.api.sign_in.second_factor_steps import LOGIN, PASSWORD, challenged
from tests.browser import Browser
from tests.proving import App

COOKIE = "inbox_trusted_8080"


@dataclass
class Trusting:
    """A person with an authenticator app, and the browser that their account trusts."""

    user: User
    app: App
    browser: Browser

    def sign_in(self, browser: Browser | None = None, password: str = PASSWORD) -> Any:
        """The first step of a sign-in, in the trusted browser or in another one."""
        return (browser or self.browser).post("/v1/auth/login", LOGIN | {"password": password})

    def skips(self, browser: Browser | None = None, password: str = PASSWORD) -> bool:
        """Whether the password alone signs in."""
        answer = self.sign_in(browser, password)
        assert answer.status_code == 200
        return "user" in answer.json


@pytest.fixture
def trusting(mia: User, visit: Callable[[], Browser]) -> Trusting:
    """Mia, who signed in with a code, asked to be remembered, and signed out."""
    made = Trusting(mia, App.of(mia), visit())
    answer = trust_by(made.browser, {"factor": "totp", "code": made.app.code()})
    assert answer.status_code == 200
    assert made.browser.post("/v1/auth/logout").status_code == 204
    return made


def trust_by(browser: Browser, proof: dict[str, Any]) -> Any:
    """A sign-in with this proof as its second step, which makes the browser trusted."""
    body = {"challenge": challenged(browser), "rememberBrowser": True, **proof}
    return browser.post("/v1/auth/login/factor", body)


def token_of(browser: Browser) -> str:
    cookie = browser.client.get_cookie(COOKIE)
    assert cookie is not None
    return str(cookie.value)


def trusted(user: User) -> int:
    """The number of browsers that the account trusts."""
    return int(TrustedBrowser.select().where(TrustedBrowser.user == user.id).count())
