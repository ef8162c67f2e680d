"""Refused, withdrawn and listed invitations: every refusal gives the same answer."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
import pytest

from inbox.database.base import new_id
from inbox.models.people.accounts import Session, User
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from tests.api.workspaces.invites_steps import (
    NINA,
    Browsers,
    Invited,
    invited,  # noqa: F401
    path,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, join, make_user, present, typeid


def spoiled(cast: Cast, invited: Invited) -> dict[str, object]:
    """Tokens that are good for nothing, each for its own reason."""
    olga, ann = cast.users["olga"], make_user("ann")
    gone = Workspace.create(id=new_id(), name="Gone", slug="gone", created_at=present(), deleted_at=present())
    join(gone, olga, "owner")
    ben = make_user("ben", disabled_at=present())
    join(cast.workspace, ben, "owner")
    cleo = make_user("cleo", deleted_at=present())
    join(cast.workspace, cleo, "owner")
    return {
        "expired": invited(expires_at=present() - timedelta(seconds=1)),
        "used": invited(accepted_at=present(), accepted_by=cast.users["mia"]),
        "withdrawn": invited(deleted_at=present()),
        "workspace deleted": invited(workspace=gone),
        "inviter removed": invited(created_by=None),
        "inviter no member": invited(created_by=ann),
        "inviter no owner": invited(created_by=cast.users["adam"]),
        "inviter disabled": invited(created_by=ben),
        "inviter closed": invited(created_by=cleo),
        "unknown": "x" * 43,
        "empty": "",
        "oversize": "y" * 10_000,
        "a cut one": invited()[:-1],
        "a longer one": invited() + "x",
        "another case": invited().upper(),
        "with blanks": f" {invited()} ",
        "umlauts": "ü" * 43,
        "null": None,
        "number": 7,
        "float": 1.5,
        "true": True,
        "array": [invited()],
        "object": {"$ne": ""},
        "query": "' OR 1=1 --",
    }


def test_every_refusal_is_the_same_to_the_byte(
    browser: Browsers, anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    eve, bodies = browser("eve"), set()
    before = Member.select().count()
    tokens = spoiled(cast, invited)
    there = Member.select().count()

    def refused(answer: Any, why: str) -> None:
        assert answer.status_code == 403, why
        own = answer.headers["X-Request-Id"].encode()
        bodies.add(answer.data.replace(own, b"-"))

    for why, token in tokens.items():
        refused(anonymous.post("/v1/invites/preview", {"token": token}), why)
        refused(anonymous.post("/v1/invites/accept", {"token": token}), why)
        refused(anonymous.post("/v1/invites/accept", {"token": token, **NINA}), why)
        refused(eve.post("/v1/invites/accept", {"token": token}), why)
    refused(eve.post("/v1/invites/accept", {"token": invited(email="mia@example.org")}), "for somebody else")
    refused(browser("mia").post("/v1/invites/accept", {"token": invited()}), "a member already")

    [body] = bodies
    assert orjson.loads(body)["code"] == "invite_invalid"
    assert Member.select().count() == there > before
    assert User.select().where(User.name == "Nina").count() == 0
    assert Session.select().where(Session.user.not_in([cast.users["eve"], cast.users["mia"]])).count() == 0


@pytest.mark.parametrize("body", [{}, {"token": "x", "workspaceId": "y"}])
def test_a_body_of_another_shape_is_no_invitation(anonymous: Browser, body: dict[str, Any], cast: Cast) -> None:
    for address in ("/v1/invites/preview", "/v1/invites/accept"):
        assert anonymous.post(address, body).status_code == 422


def test_a_withdrawn_invitation_is_refused_and_listed_no_more(
    browser: Browsers, anonymous: Browser, path: str, invited: Invited
) -> None:
    token, olga = invited(), browser("olga")
    one = f"{path}/{typeid('inv', Invite.get().id)}"

    assert olga.delete(one).status_code == 204

    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 403
    assert olga.get(path).json["items"] == []
    assert olga.delete(one).status_code == 404
    assert [entry.action for entry in AuditEntry.select()] == ["invite.withdrawn"]


def test_an_accepted_invitation_is_not_withdrawn(browser: Browsers, path: str, invited: Invited) -> None:
    token = invited()
    browser("eve").post("/v1/invites/accept", {"token": token})

    assert browser("olga").delete(f"{path}/{typeid('inv', Invite.get().id)}").status_code == 409


def test_invitations_are_paged_newest_first_and_marked_when_expired(
    browser: Browsers, path: str, invited: Invited
) -> None:
    for days in (-1, 1, 2):
        invited(expires_at=present() + timedelta(days=days))
    olga = browser("olga")

    first = olga.get(f"{path}?limit=2").json
    last = olga.get(f"{path}?limit=2&cursor={first['nextCursor']}").json

    assert [item["state"] for item in first["items"] + last["items"]] == ["pending", "pending", "expired"]
    assert last["nextCursor"] is None
