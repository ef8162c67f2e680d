"""A paired phone: it sends its access token, and no header that only browsers send."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from inbox.models.people.accounts import Session, User
from inbox.services.people import pairings
from inbox.services.people.devices import Tokens
from inbox.services.people.sessions import digest
from tests.browser import Browser
from tests.cast import present, sign_in


class Phone(Browser):
    """Requests of one device, checked as a browser's are."""

    def __init__(self, app: Flask, base_url: str, access_token: str) -> None:
        super().__init__(app, base_url)
        self.access_token = access_token

    def call(self, method: str, path: str, json: Any = None, headers: dict[str, str] | None = None) -> TestResponse:
        bare = {"Origin": "", "Content-Type": "application/json" if json is not None else ""}
        return super().call(
            method, path, json, {**bare, "Authorization": f"Bearer {self.access_token}", **(headers or {})}
        )


class SigningTool(Browser):
    """Requests of GitLab, which sends a signing secret of a source."""

    def __init__(self, app: Flask, base_url: str, secret: str) -> None:
        super().__init__(app, base_url)
        self.secret = secret

    def call(self, method: str, path: str, json: Any = None, headers: dict[str, str] | None = None) -> TestResponse:
        """Send without an origin, as a server does."""
        return super().call(method, path, json, {"Origin": "", "X-Gitlab-Token": self.secret, **(headers or {})})


def session_of(user: User) -> Session:
    """A fresh session of this person."""
    found: Session = Session.get(Session.token_hash == digest(sign_in(user)))
    return found


def code_of(user: User, now: datetime | None = None) -> str:
    """A fresh code in a fresh session of this person."""
    return pairings.start(user.id, session_of(user).id, now or present())[1]


def pair(user: User, now: datetime | None = None, *, name: str = "Phone") -> Tokens:
    """The tokens of a new device of this person."""
    moment = now or present()
    tokens = pairings.claim(code_of(user, moment), name, moment, address="127.0.0.1").tokens
    assert tokens is not None
    return tokens
