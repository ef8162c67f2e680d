"""Accepting invitations with and without an account, and refused accounts."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.live.feed import Change
from inbox.models.people.accounts import User
from inbox.models.people.links import Invite
from inbox.models.records.audit import AuditEntry
from tests.api.workspaces.invites_steps import (
    NINA,
    PASSWORD,
    Browsers,
    Invited,
    invited,  # noqa: F401
    person,
    role_of,
)
from tests.browser import Browser
from tests.cast import Cast, make_user, present, sign_in, typeid


def test_an_invitation_preview_does_not_use_up_the_link(anonymous: Browser, invited: Invited) -> None:
    token = invited(role="admin", email="nina@example.org")

    for _ in range(3):
        answer = anonymous.post("/v1/invites/preview", {"token": token})
        assert answer.status_code == 200
        assert answer.json == {
            "workspaceName": "Acme", "role": "admin", "inviter": "Olga", "email": "nina@example.org",
            "expiresAt": answer.json["expiresAt"],
        }  # fmt: skip


def test_a_signed_in_person_accepts_an_invitation_and_joins(browser: Browsers, cast: Cast, invited: Invited) -> None:
    eve, token = browser("eve"), invited(role="admin")

    answer = eve.post("/v1/invites/accept", {"token": token})

    assert answer.status_code == 200
    assert answer.json["user"].items() <= eve.get("/v1/me").json.items()
    assert answer.json["workspace"] == eve.get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}").json
    assert answer.json["workspace"]["role"] == role_of(cast, "eve") == "admin"
    assert "Set-Cookie" not in answer.headers
    row = Invite.get()
    assert row.accepted_at is not None and row.accepted_by_id == cast.users["eve"].id
    [listed] = browser("olga").get(f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/invites").json["items"]
    assert (listed["state"], listed["acceptedBy"]) == ("accepted", person(cast, "eve"))


def test_joining_is_reported_and_recorded(browser: Browsers, cast: Cast, invited: Invited) -> None:
    token = invited(role="viewer")
    answer = browser("eve").post("/v1/invites/accept", {"token": token})

    reported = {(ref["type"], ref["op"], ref["to"]) for change in Change.select() for ref in change.refs}
    workspace, eve = typeid("wsp", cast.workspace.id), typeid("usr", cast.users["eve"].id)
    assert reported == {("member", "created", workspace), ("invite", "changed", workspace), ("me", "changed", eve)}
    entries = {entry.action: entry for entry in AuditEntry.select()}
    assert set(entries) == {"invite.accepted", "member.joined"}
    for entry in entries.values():
        assert entry.actor == {"type": "user", "id": eve, "name": "Eve"}
        assert entry.workspace_id == cast.workspace.id
        assert entry.request_id == answer.headers["X-Request-Id"]


def test_an_invited_person_without_an_account_creates_one_and_is_signed_in(
    anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    answer = anonymous.post("/v1/invites/accept", {"token": invited(), **NINA})

    assert answer.status_code == 200
    assert (answer.json["user"]["name"], answer.json["user"]["email"]) == ("Nina", "nina@example.org")
    assert answer.json["workspace"]["role"] == "member"
    assert answer.json["user"].items() <= anonymous.get("/v1/me").json.items()
    assert [item["name"] for item in anonymous.get("/v1/workspaces").json["items"]] == ["Acme"]
    user = User.get(User.email_key == "nina@example.org")
    assert not user.is_instance_admin and user.email_verified_at is None
    assert user.password_hash.startswith("$argon2id$")
    actions = {entry.action: entry.actor["name"] for entry in AuditEntry.select()}
    assert actions == dict.fromkeys(("account.created", "member.joined", "invite.accepted", "session.started"), "Nina")
    anonymous.post("/v1/auth/logout")
    login = {"email": NINA["email"], "password": PASSWORD}
    assert anonymous.post("/v1/auth/login", login).status_code == 200


@pytest.mark.parametrize(
    ("more", "expected"),
    [({}, ("UTC", "en")), ({"timezone": "Europe/Berlin", "locale": "de"}, ("Europe/Berlin", "de"))],
)
def test_a_new_account_has_the_time_zone_and_language_of_its_browser(
    anonymous: Browser, invited: Invited, more: dict[str, str], expected: tuple[str, str]
) -> None:
    answer = anonymous.post("/v1/invites/accept", {"token": invited(), **NINA, **more})

    assert (answer.json["user"]["timezone"], answer.json["user"]["locale"]) == expected


def test_a_new_account_in_an_unknown_time_zone_is_refused_and_the_invitation_stays(
    anonymous: Browser, invited: Invited
) -> None:
    token = invited()

    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA, "timezone": "Mars/Base"}).status_code == 422
    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 200


def test_an_address_that_has_an_account_is_asked_to_sign_in(anonymous: Browser, cast: Cast, invited: Invited) -> None:
    token = invited()

    refused = anonymous.post("/v1/invites/accept", {"token": token, **NINA, "email": " Eve@Example.ORG"})

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert "Set-Cookie" not in refused.headers and role_of(cast, "eve") is None
    assert anonymous.post("/v1/invites/preview", {"token": token}).status_code == 200


@pytest.mark.parametrize(
    ("account", "pointer"),
    [
        ({"email": "nina@example.org"}, ["/name", "/password"]),
        ({"password": PASSWORD}, ["/email", "/name"]),
        ({**NINA, "email": "nina"}, ["/email"]),
        ({**NINA, "name": " "}, ["/name"]),
        ({**NINA, "password": "short"}, ["/password"]),
        ({**NINA, "password": "password1234"}, ["/password"]),
        ({**NINA, "role": "owner"}, ["/role"]),
    ],
)
def test_a_bad_account_is_refused_and_the_link_stays_good(
    anonymous: Browser, invited: Invited, account: dict[str, Any], pointer: list[str]
) -> None:
    token = invited()

    answer = anonymous.post("/v1/invites/accept", {"token": token, **account})

    assert answer.status_code == 422
    assert sorted(fault["pointer"] for fault in answer.json["errors"]) == pointer
    assert User.select().where(User.name == "Nina").count() == 0
    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 200


def test_an_invitation_accepted_without_session_or_account_is_unauthenticated(
    app: Flask, settings: Settings, anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    token = invited()
    expired = Browser(app, settings.base_url, cookie=sign_in(cast.users["eve"], revoked_at=present()))

    for nobody in (anonymous, expired):
        answer = nobody.post("/v1/invites/accept", {"token": token})
        assert (answer.status_code, answer.json["code"]) == (401, "unauthenticated")
    with_key = anonymous.post("/v1/invites/accept", {"token": token}, headers={"Authorization": f"Bearer {cast.key}"})
    assert with_key.status_code == 401
    assert Invite.get().accepted_at is None


def test_only_the_address_that_was_invited_may_accept(
    browser: Browsers, anonymous: Browser, cast: Cast, invited: Invited
) -> None:
    token = invited(email="Eve@Example.org")
    mallory = make_user("mallory")

    assert anonymous.post("/v1/invites/accept", {"token": token, **NINA}).status_code == 403
    stranger = Browser(anonymous.client.application, anonymous.base_url, cookie=sign_in(mallory))
    assert stranger.post("/v1/invites/accept", {"token": token}).status_code == 403
    assert browser("eve").post("/v1/invites/accept", {"token": token}).status_code == 200

    bound = invited(email="NINA@example.org")
    assert anonymous.post("/v1/invites/accept", {"token": bound, **NINA}).status_code == 200
