"""Closing an account or a workspace over HTTP: permissions, refusals, and the immediate stop (specification 12.5)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from redis import Redis

from inbox.config.settings import Settings
from inbox.database.base import db, new_id
from inbox.live.feed import Change
from inbox.models.people.accounts import Session, User
from inbox.models.people.devices import Device
from inbox.models.people.factors import Identity, Passkey, TotpFactor
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from inbox.services.workspaces import deletion
from tests.browser import Browser
from tests.cast import Cast, join, make_user, make_workspace, present, sign_in, typeid

Browsers = Callable[[str], Browser]


def at(workspace: Workspace) -> str:
    return f"/v1/workspaces/{typeid('wsp', workspace.id)}"


def actions(workspace: Workspace | None) -> list[str]:
    required = AuditEntry.workspace_id.is_null() if workspace is None else AuditEntry.workspace_id == workspace.id
    return [entry.action for entry in AuditEntry.select().where(required).order_by(AuditEntry.id)]


@pytest.fixture
def second(cast: Cast) -> Workspace:
    """Another workspace that Olga has for herself."""
    return make_workspace("Second", olga=cast.users["olga"])


def stale(app: Flask, settings: Settings, user: User) -> Browser:
    proved = present() - timedelta(minutes=5, seconds=1)
    return Browser(app, settings.base_url, cookie=sign_in(user, proved_at=proved))


def test_a_member_closes_the_account_and_leaves(browser: Browsers, cast: Cast) -> None:
    mia = browser("mia")

    assert mia.delete("/v1/me").status_code == 204

    gone = User.get_by_id(cast.users["mia"].id)
    assert gone.deleted_at is not None and gone.disabled_at is not None and gone.password_hash is None
    assert Member.select().where(Member.user == gone.id).count() == 0
    assert mia.get("/v1/me").status_code == 401
    assert actions(cast.workspace) == ["member.left"]
    assert actions(None)[-1] == "account.closed"
    assert {ref["type"] for change in Change.select() for ref in change.refs} >= {"me", "member"}
    assert make_user("mia").id != gone.id  # the address is free again


def test_a_closed_account_ends_its_sessions_devices_and_proofs(browser: Browsers, cast: Cast) -> None:
    mia = cast.users["mia"]
    other, device = cast.cookie("mia"), Device.create(id=new_id(), user=mia, name="Phone", created_at=present())
    TotpFactor.create(user=mia, sealed=b"x", created_at=present())
    Passkey.create(
        id=new_id(), user=mia, credential_id=b"c", public_key=b"p", sign_count=0, name="Key", created_at=present()
    )
    Identity.create(id=new_id(), user=mia, provider="corp", subject="mia", created_at=present())

    browser("mia").delete("/v1/me")

    assert other and all(row.revoked_at is not None for row in Session.select().where(Session.user == mia))
    assert Device.get_by_id(device.id).revoked_at is not None
    assert [model.select().count() for model in (TotpFactor, Passkey, Identity)] == [0, 0, 0]


def test_the_only_owner_of_a_workspace_with_members_cannot_go(browser: Browsers, cast: Cast, second: Workspace) -> None:
    refused = browser("olga").delete("/v1/me")

    assert (refused.status_code, refused.json["code"]) == (409, "workspace_needs_owner")
    assert refused.json["workspace"] == {"id": typeid("wsp", cast.workspace.id), "name": "Acme"}
    assert User.get_by_id(cast.users["olga"].id).deleted_at is None
    assert Workspace.get_by_id(second.id).deleted_at is None
    assert actions(second) == []


def test_a_disabled_owner_is_no_owner(browser: Browsers, cast: Cast) -> None:
    away = make_user("otto", disabled_at=present())
    join(cast.workspace, away, "owner")

    assert browser("olga").delete("/v1/me").status_code == 409


def test_an_owner_leaves_a_shared_workspace_and_closes_a_sole_one_with_the_account(
    browser: Browsers, cast: Cast, second: Workspace
) -> None:
    Member.update(role="owner").where(Member.user == cast.users["adam"]).execute()

    assert browser("olga").delete("/v1/me").status_code == 204

    assert Workspace.get_by_id(second.id).deleted_at is not None
    assert Workspace.get_by_id(cast.workspace.id).deleted_at is None
    assert actions(second) == ["workspace.closed"]
    assert browser("adam").get(at(cast.workspace)).status_code == 200


def test_the_only_instance_administrator_cannot_go(browser: Browsers, cast: Cast) -> None:
    User.update(is_instance_admin=True).where(User.id == cast.users["mia"].id).execute()
    make_user("off", is_instance_admin=True, disabled_at=present())

    refused = browser("mia").delete("/v1/me")
    User.update(is_instance_admin=True).where(User.id == cast.users["vic"].id).execute()

    assert (refused.status_code, refused.json["code"]) == (409, "last_instance_admin")
    assert browser("mia").delete("/v1/me").status_code == 204


def test_two_administrators_who_close_their_accounts_at_once_leave_one(cast: Cast) -> None:
    both = [make_user(name, is_instance_admin=True) for name in ("ann", "ben")]

    def go(user: User) -> None:
        with db.connection_context():
            try:
                deletion.close_account(user.id, expected_rev=None, now=present())
            except deletion.LastInstanceAdmin:
                pass

    threads = [threading.Thread(target=go, args=(user,)) for user in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert User.select().where(User.is_instance_admin, User.deleted_at.is_null()).count() == 1


def test_an_owner_closes_a_workspace_and_its_keys_stop_at_once(
    browser: Browsers, app: Flask, cast: Cast, second: Workspace, settings: Settings
) -> None:
    Invite.create(
        id=new_id(), workspace=cast.workspace, token_hash=b"i", role="viewer", created_at=present(),
        expires_at=present() + timedelta(days=1),
    )  # fmt: skip
    key = {"Authorization": f"Bearer {cast.key}"}
    events = app.test_client()
    assert events.post("/v1/events", json={"title": "Before"}, headers=key).status_code == 202
    olga = browser("olga")

    assert olga.delete(at(cast.workspace)).status_code == 204

    assert events.post("/v1/events", json={"title": "After"}, headers=key).status_code == 401
    assert olga.get(at(cast.workspace)).status_code == 404
    assert browser("adam").get("/v1/sources").json["items"] == []
    assert Invite.get().deleted_at is not None
    assert actions(cast.workspace) == ["workspace.closed"]
    reported = [ref for change in Change.select() for ref in change.refs if ref["type"] == "workspace"]
    assert [(ref["id"], ref["op"]) for ref in reported] == [(typeid("wsp", cast.workspace.id), "deleted")]


def test_the_only_workspace_of_an_account_cannot_be_closed(browser: Browsers, cast: Cast) -> None:
    refused = browser("olga").delete(at(cast.workspace))

    assert (refused.status_code, refused.json["code"]) == (409, "last_workspace")
    assert Workspace.get_by_id(cast.workspace.id).deleted_at is None


def test_two_owned_workspaces_closed_at_once_leave_one(cast: Cast, second: Workspace) -> None:
    olga = cast.users["olga"].id

    def go(workspace: Workspace) -> None:
        with db.connection_context():
            try:
                deletion.close_workspace(workspace.id, olga, expected_rev=None, now=present())
            except deletion.LastWorkspace:
                pass

    threads = [threading.Thread(target=go, args=(workspace,)) for workspace in (cast.workspace, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    own_one = [cast.workspace.id, second.id]
    assert Workspace.select().where(Workspace.id.in_(own_one), Workspace.deleted_at.is_null()).count() == 1


@pytest.mark.parametrize("who", ["adam", "mia", "vic"])
def test_a_workspace_is_closed_by_owners_only(browser: Browsers, cast: Cast, second: Workspace, who: str) -> None:
    refused = browser(who).delete(at(cast.workspace))

    assert (refused.status_code, refused.json["requiredRole"]) == (403, "owner")


def test_eve_cannot_distinguish_a_foreign_workspace_from_none(browser: Browsers, cast: Cast) -> None:
    answers = [browser("eve").delete(f"/v1/workspaces/{typeid('wsp', w)}") for w in (cast.workspace.id, new_id())]

    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json["detail"] == answers[1].json["detail"]


def test_closing_an_account_or_a_workspace_requires_a_step_up_within_five_minutes(
    app: Flask, settings: Settings, cast: Cast, second: Workspace
) -> None:
    olga = stale(app, settings, cast.users["olga"])

    answers: list[Any] = [olga.delete("/v1/me"), olga.delete(at(second))]

    assert [(answer.status_code, answer.json["code"]) for answer in answers] == [(403, "reauth_required")] * 2
    assert Workspace.get_by_id(second.id).deleted_at is None


def test_a_stale_revision_closes_nothing(browser: Browsers, cast: Cast, second: Workspace) -> None:
    olga, old = browser("olga"), {"If-Match": '"7"'}

    assert [olga.delete(path, headers=old).status_code for path in ("/v1/me", at(second))] == [412, 412]


def test_the_streams_of_a_closed_account_are_closed(browser: Browsers, settings: Settings) -> None:
    with Redis.from_url(settings.redis_url) as redis, redis.pubsub() as arrived:
        arrived.subscribe("inbox:changes")
        arrived.get_message(timeout=30)

        browser("mia").delete("/v1/me")

        reported = b""
        while message := arrived.get_message(timeout=5):
            reported += message["data"]
    assert b'"close":{"session":null,"user":"' in reported
