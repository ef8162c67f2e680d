"""Creates persons with a password, and signs them in."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import Any

import pytest

from inbox.models.people.accounts import User
from inbox.services.people import passwords
from tests.browser import Browser
from tests.cast import Cast

Browsers = Callable[[str], Browser]


PASSWORD = "mias own long phrase"


@pytest.fixture(scope="module")
def password_hash() -> str:
    return passwords.hashed(PASSWORD)


@pytest.fixture
def mia(cast: Cast, password_hash: str) -> dict[str, str]:
    """Mia has a password; the body with which she signs in."""
    User.update(password_hash=password_hash).where(User.id == cast.users["mia"].id).execute()
    return {"email": "mia@example.org", "password": PASSWORD}


def morsel(answer: Any) -> Any:
    [cookie] = SimpleCookie(answer.headers["Set-Cookie"]).values()
    return cookie
