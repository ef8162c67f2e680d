"""Creates invitations over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.services.people import sessions
from tests.browser import Browser
from tests.cast import Cast, present, typeid

Browsers = Callable[[str], Browser]


Invited = Callable[..., str]


PASSWORD = "ninas own long phrase"


NINA = {"email": "nina@example.org", "name": "Nina", "password": PASSWORD}


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/invites"


@pytest.fixture
def invited(cast: Cast) -> Invited:
    """`invited(email=...)` is the token of an invitation of Olga's."""

    def invite(**more: Any) -> str:
        token = f"token-{new_id()}"
        Invite.create(
            id=new_id(),
            token_hash=sessions.digest(token),
            **{
                "workspace": cast.workspace,
                "role": "member",
                "created_by": cast.users["olga"],
                "created_at": present(),
                "expires_at": present() + timedelta(days=7),
                **more,
            },
        )
        return token

    return invite


def role_of(cast: Cast, name: str) -> str | None:
    found = Member.get_or_none(Member.workspace == cast.workspace, Member.user == cast.users[name])
    return None if found is None else str(found.role)


def person(cast: Cast, name: str) -> dict[str, str]:
    return {"type": "user", "id": typeid("usr", cast.users[name].id), "name": name.capitalize()}
