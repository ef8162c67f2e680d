"""Concurrent acceptance of invitations, their limits, and the state after a failure."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import peewee
import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import db
from inbox.models.people.accounts import Session, User
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.services.workspaces import deletion, members
from tests.api.workspaces.invites_steps import (
    NINA,
    Browsers,
    Invited,
    invited,  # noqa: F401
    path,  # noqa: F401
    role_of,
)
from tests.browser import Browser
from tests.cast import Cast, join, make_user, present, sign_in
from tests.stand_ins.phone import Phone, pair


def at_once(acts: list[Callable[[], int]]) -> list[int]:
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], int]) -> int:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def accepting(app: Flask, settings: Settings, body: dict[str, Any], cookie: str | None = None) -> Callable[[], int]:
    return lambda: Browser(app, settings.base_url, cookie).post("/v1/invites/accept", body).status_code


def test_an_invitation_accepted_by_many_at_once_admits_one(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    cookies = [sign_in(make_user(f"p{number}")) for number in range(4)]
    for number in range(10):
        token = invited()
        accounts = [{"token": token, **NINA, "email": f"{name}{number}@example.org"} for name in ("new", "newer")]

        statuses = at_once(
            [accepting(app, settings, {"token": token}, cookie) for cookie in cookies]
            + [accepting(app, settings, account) for account in accounts]
        )

        assert sorted(statuses) == [200] + [403] * 5
        assert Member.select().where(Member.workspace == cast.workspace).count() == 5
        Member.delete().where(Member.user == Invite.get().accepted_by_id).execute()
        assert User.select().where(User.name == "Nina", User.email.startswith(f"new{number}")).count() <= 1
        Invite.delete().execute()


def test_concurrent_acceptances_with_one_address_create_one_account(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(5):
        account = {**NINA, "email": f"nina{number}@example.org"}
        acts = [accepting(app, settings, {"token": invited(), **account}) for _ in range(4)]

        assert sorted(at_once(acts)) == [200, 409, 409, 409]
    assert Invite.select().where(Invite.accepted_at.is_null()).count() == 15


def test_a_person_who_accepts_two_invitations_at_once_joins_once(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(10):
        cookie = sign_in(make_user(f"guest{number}"))
        acts = [accepting(app, settings, {"token": invited()}, cookie) for _ in range(2)]

        assert sorted(at_once(acts)) == [200, 403]


def test_an_invitation_of_an_owner_removed_meanwhile_admits_nobody_afterwards(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(10):
        owner, guest = make_user(f"owner{number}"), make_user(f"guest{number}")
        join(cast.workspace, owner, "owner")
        token = invited(created_by=owner)

        def removal(owner: User = owner) -> int:
            with db.connection_context():
                members.remove(cast.workspace.id, owner.id, by=cast.users["olga"].id, now=present())
            return 204

        def acceptance(guest: User = guest, token: str = token) -> int:
            browser = Browser(app, settings.base_url, cookie=sign_in_apart(guest))
            return browser.post("/v1/invites/accept", {"token": token}).status_code

        removed, accepted = at_once([removal, acceptance])

        assert removed == 204 and accepted in (200, 403)
        is_member = Member.select().where(Member.workspace == cast.workspace, Member.user == guest).exists()
        row = Invite.get(Invite.created_by == owner)
        assert is_member == (accepted == 200) == (row.accepted_at is not None)
        assert (row.deleted_at is None) == is_member


def test_an_account_closed_while_accepting_has_no_membership(
    app: Flask, settings: Settings, cast: Cast, invited: Invited
) -> None:
    for number in range(10):
        guest = make_user(f"guest{number}")
        accept = accepting(app, settings, {"token": invited()}, sign_in(guest))

        def closure(guest: User = guest) -> int:
            with db.connection_context():
                deletion.close_account(guest.id, expected_rev=None, now=present())
            return 204

        closed, accepted = at_once([closure, accept])

        assert closed == 204 and accepted in (200, 401, 403)
        assert not Member.select().where(Member.user == guest).exists()


def sign_in_apart(user: User) -> str:
    with db.connection_context():
        return sign_in(user)


def test_twenty_refusals_an_hour_and_then_a_pause(
    anonymous: Browser, browser: Browsers, cast: Cast, invited: Invited, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True)
    good = invited()
    for _ in range(25):  # what is not refused does not count
        assert anonymous.post("/v1/invites/preview", {"token": good}).status_code == 200
    for number in range(20):
        address = ("/v1/invites/preview", "/v1/invites/accept")[number % 2]
        assert anonymous.post(address, {"token": "wrong"}).status_code == 403

    for answer in (
        anonymous.post("/v1/invites/preview", {"token": good}),
        anonymous.post("/v1/invites/accept", {"token": good, **NINA}),
        browser("eve").post("/v1/invites/accept", {"token": good}),
    ):
        assert (answer.status_code, answer.json["code"]) == (429, "rate_limited")
        assert 1 <= int(answer.headers["Retry-After"]) <= 180


def test_another_site_cannot_accept_an_invitation(browser: Browsers, cast: Cast, invited: Invited) -> None:
    token = invited()
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}

    assert browser("eve").post("/v1/invites/accept", {"token": token}, headers=headers).status_code == 403
    assert role_of(cast, "eve") is None


def test_the_session_that_the_browser_had_ends_with_the_new_account(
    browser: Browsers, cast: Cast, invited: Invited
) -> None:
    eve = browser("eve")

    assert eve.post("/v1/invites/accept", {"token": invited(), **NINA}).status_code == 200

    assert eve.get("/v1/me").json["name"] == "Nina"
    assert Session.get(Session.user == cast.users["eve"]).revoked_at is not None


def test_an_acceptance_that_fails_is_rolled_back(anonymous: Browser, cast: Cast, invited: Invited) -> None:
    token = invited()
    db.execute_sql("ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (action <> 'session.started') NOT VALID")
    try:
        with pytest.raises((AssertionError, peewee.IntegrityError)):  # 500
            anonymous.post("/v1/invites/accept", {"token": token, **NINA})
    finally:
        db.execute_sql("ALTER TABLE audit_log DROP CONSTRAINT closed")

    assert User.select().where(User.name == "Nina").count() == 0
    assert Invite.get().accepted_at is None
    assert Member.select().count() == 5


def test_a_phone_accepts_and_leaves_for_its_person_but_invites_nobody(
    app: Flask, settings: Settings, cast: Cast, path: str, invited: Invited
) -> None:
    eve = Phone(app, settings.base_url, pair(cast.users["eve"]).access_token)
    olga = Phone(app, settings.base_url, pair(cast.users["olga"]).access_token)

    assert eve.post("/v1/invites/accept", {"token": invited()}).status_code == 200
    assert role_of(cast, "eve") == "member"
    assert eve.delete(path.replace("invites", "members/me")).status_code == 204
    refused = olga.post(path, {"role": "member"})
    assert (refused.status_code, refused.json["code"], refused.json["factors"]) == (403, "reauth_required", [])
