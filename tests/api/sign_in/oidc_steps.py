"""Steps of a sign-in through an identity provider, and the provider that stands in for a real one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.identity.faults import Fault
from inbox.models.people.accounts import Session, User
from inbox.models.people.factors import Identity
from tests.browser import Browser
from tests.cast import Cast, present
from tests.identity.providers import OwnProvider

InSettings = Callable[..., Settings]


SUBJECT, PASSWORD = "248289761001", "mias own long phrase"


OWN = "/v1/auth/oidc/own"


@pytest.fixture
def own(cast: Cast, in_settings: InSettings) -> Iterator[OwnProvider]:
    """A provider that does everything right, and says that whoever comes is `SUBJECT`, mia@example.org."""
    with OwnProvider(now=int(time.time())) as provider:
        in_settings(oidc_providers=(provider.chosen(),))
        yield provider


@pytest.fixture
def linked(own: OwnProvider, cast: Cast) -> Identity:
    """Mia's account is linked with it."""
    return make_identity(cast.users["mia"])


def make_identity(user: User, provider: str = "own", subject: str = SUBJECT) -> Identity:
    return Identity.create(id=new_id(), user=user, provider=provider, subject=subject, created_at=present())


def start(browser: Browser, **body: str) -> str:
    answer = browser.post(f"{OWN}/start", body)
    assert answer.status_code == 200, answer.data
    return str(answer.json["authorizeUrl"])


def back(browser: Browser, answer: dict[str, str], path: str = f"{OWN}/callback") -> Any:
    """The provider's redirect; whatever it says, a redirect into the dashboard is the answer."""
    came = browser.get(f"{path}?{urlencode(answer)}")
    assert came.status_code == 303
    assert came.headers["Location"].startswith(browser.base_url + "/")
    return came


def through(browser: Browser, own: OwnProvider, **body: str) -> Any:
    return back(browser, own.authorize(start(browser, **body)))


def place_of(answer: Any) -> str:
    """Where the browser is sent, below our address."""
    location = urlsplit(answer.headers["Location"])
    return location.path + (f"?{location.query}" if location.query else "")


def fault_of(answer: Any) -> str:
    """The code of the failure, in the address of the sign-in page."""
    place, _, code = place_of(answer).partition("?error=")
    assert place == "/login" and code in set(Fault)
    return code


def sessions() -> int:
    return int(Session.select().where(Session.revoked_at.is_null()).count())


def cookies(answer: Any) -> dict[str, str]:
    return {line.partition("=")[0]: line.partition("=")[2] for line in answer.headers.getlist("Set-Cookie")}
