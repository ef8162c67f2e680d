"""Finds and changes members over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.live.feed import Change
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members"


@pytest.fixture
def of(cast: Cast, path: str) -> Callable[[str], str]:
    """`of("mia")` is the address of that member."""
    return lambda name: f"{path}/{typeid('usr', cast.users[name].id)}"


def role_of(cast: Cast, name: str) -> str | None:
    found = Member.get_or_none(Member.workspace == cast.workspace, Member.user == cast.users[name])
    return None if found is None else str(found.role)


def reported() -> list[tuple[str, str, str]]:
    """The changes that the stream got so far: type, op and recipient."""
    return [(ref["type"], ref["op"], ref["to"]) for change in Change.select() for ref in change.refs]


def stale(app: Flask, settings: Settings, user: User, **ago: float) -> Browser:
    return Browser(app, settings.base_url, cookie=sign_in(user, proved_at=present() - timedelta(**ago)))
