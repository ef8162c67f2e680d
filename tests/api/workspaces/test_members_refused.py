"""Changes of members that are refused, and owners who act at the same time (specification 12.3)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.models.people.accounts import User
from inbox.models.people.links import Invite
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import sessions
from tests.api.workspaces.members_steps import (
    Browsers,
    of,  # noqa: F401
    path,  # noqa: F401
    reported,
    role_of,
    stale,
)
from tests.browser import Browser
from tests.cast import Cast, join, make_user, make_workspace, present, sign_in, typeid


@pytest.mark.parametrize("way", ["demote", "remove", "leave"])
def test_the_last_owner_stays_an_owner(
    browser: Browsers, cast: Cast, path: str, of: Callable[[str], str], way: str
) -> None:
    olga = browser("olga")

    def attempt() -> Any:
        if way == "demote":
            return olga.patch(of("olga"), {"role": "admin"})
        return olga.delete(of("olga") if way == "remove" else f"{path}/me")

    refused = attempt()

    assert (refused.status_code, refused.json["code"]) == (409, "workspace_needs_owner")
    assert refused.json["workspace"] == {"id": typeid("wsp", cast.workspace.id), "name": "Acme"}
    assert role_of(cast, "olga") == "owner"
    assert reported() == [] and AuditEntry.select().count() == 0

    Member.update(role="owner").where(Member.user == cast.users["adam"]).execute()
    assert attempt().status_code in (200, 204)
    assert role_of(cast, "olga") != "owner"


def test_an_owner_whose_account_is_disabled_is_not_counted(browser: Browsers, cast: Cast, path: str) -> None:
    Member.update(role="owner").where(Member.user == cast.users["adam"]).execute()
    User.update(disabled_at=present()).where(User.id == cast.users["adam"].id).execute()

    assert browser("olga").delete(f"{path}/me").status_code == 409


@pytest.mark.parametrize(("name", "status"), [("vic", 403), ("mia", 403), ("adam", 403), ("eve", 404)])
def test_only_owners_change_memberships(
    browser: Browsers, cast: Cast, of: Callable[[str], str], name: str, status: int
) -> None:
    who = browser(name)

    for answer in (who.patch(of("mia"), {"role": "owner"}), who.delete(of("vic"))):
        assert answer.status_code == status
        if status == 403:
            assert (answer.json["code"], answer.json["requiredRole"]) == ("forbidden", "owner")
    assert (role_of(cast, "mia"), role_of(cast, "vic")) == ("member", "viewer")


def test_eve_learns_nothing_about_another_workspace(browser: Browsers, cast: Cast, path: str) -> None:
    eve, nowhere = browser("eve"), f"/v1/workspaces/{ids.encode('wsp', new_id())}/members"
    user = f"/{typeid('usr', cast.users['mia'].id)}"

    for method, rest, body in (
        ("GET", "", None), ("PATCH", user, {"role": "viewer"}), ("DELETE", user, None), ("DELETE", "/me", None),
    ):  # fmt: skip
        foreign, none = eve.call(method, path + rest, body), eve.call(method, nowhere + rest, body)
        assert foreign.status_code == none.status_code == 404
        assert {**foreign.json, "requestId": ""} == {**none.json, "requestId": ""}


def test_a_person_of_another_workspace_cannot_be_edited_as_a_member(
    browser: Browsers, of: Callable[[str], str], path: str
) -> None:
    olga = browser("olga")

    for address in (of("eve"), f"{path}/{ids.encode('usr', new_id())}"):
        assert olga.patch(address, {"role": "viewer"}).status_code == 404
        assert olga.delete(address).status_code == 404
    assert Member.select().count() == 5


def test_changing_memberships_requires_a_step_up_within_15_minutes(
    app: Flask, settings: Settings, cast: Cast, of: Callable[[str], str]
) -> None:
    late = stale(app, settings, cast.users["olga"], minutes=15, seconds=5)
    for answer in (late.patch(of("mia"), {"role": "admin"}), late.delete(of("mia"))):
        assert (answer.status_code, answer.json["code"]) == (403, "reauth_required")
    assert role_of(cast, "mia") == "member"

    assert stale(app, settings, cast.users["olga"], minutes=14).delete(of("mia")).status_code == 204


def test_owner_invitations_end_when_their_author_is_no_longer_an_owner(
    browser: Browsers, cast: Cast, of: Callable[[str], str]
) -> None:
    Member.update(role="owner").where(Member.user == cast.users["adam"]).execute()
    invite = Invite.create(
        id=new_id(), workspace=cast.workspace, token_hash=sessions.digest("token"), role="owner",
        created_by=cast.users["adam"], created_at=present(), expires_at=present() + timedelta(days=7),
    )  # fmt: skip
    preview = ("/v1/invites/preview", {"token": "token"})
    assert browser("eve").post(*preview).status_code == 200

    assert browser("olga").patch(of("adam"), {"role": "admin"}).status_code == 200
    assert browser("eve").post(*preview).status_code == 403
    assert browser("olga").patch(of("adam"), {"role": "owner"}).status_code == 200

    assert browser("eve").post(*preview).status_code == 403
    assert Invite.get_by_id(invite.id).deleted_at is not None


def test_two_owners_who_remove_each_other_at_once_leave_one(app: Flask, settings: Settings, cast: Cast):
    ann, ben = make_user("ann"), make_user("ben")
    browsers = {user.id: Browser(app, settings.base_url, cookie=sign_in(user)) for user in (ann, ben)}
    for number in range(25):
        workspace = make_workspace(f"round-{number}", ann=ann, ben=ben)
        path = f"/v1/workspaces/{typeid('wsp', workspace.id)}/members"

        statuses = at_once(
            lambda path=path: browsers[ann.id].delete(f"{path}/{typeid('usr', ben.id)}").status_code,
            lambda path=path: browsers[ben.id].delete(f"{path}/{typeid('usr', ann.id)}").status_code,
        )

        assert sorted(statuses) in ([204, 404], [204, 403]), statuses
        assert [member.role for member in owners(workspace)] == ["owner"]


def test_two_owners_who_leave_or_step_down_at_once_leave_one(app: Flask, settings: Settings, cast: Cast):
    ann, ben = make_user("ann"), make_user("ben")
    browsers = {user.id: Browser(app, settings.base_url, cookie=sign_in(user)) for user in (ann, ben)}
    for number in range(25):
        workspace = make_workspace(f"round-{number}", ann=ann, ben=ben)
        path = f"/v1/workspaces/{typeid('wsp', workspace.id)}/members"
        own = f"{path}/{typeid('usr', ben.id)}"

        statuses = at_once(
            lambda path=path: browsers[ann.id].delete(f"{path}/me").status_code,
            lambda own=own: browsers[ben.id].patch(own, {"role": "viewer"}).status_code,
        )

        assert sorted(statuses) in ([200, 409], [204, 409]), statuses
        assert [member.role for member in owners(workspace)] == ["owner"]


def at_once(*acts: Callable[[], int]) -> list[int]:
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], int]) -> int:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def owners(workspace: Workspace) -> list[Member]:
    return list(Member.select().where(Member.workspace == workspace, Member.role == "owner"))


def test_a_person_may_be_a_member_of_many_workspaces_and_leaves_one(browser: Browsers, cast: Cast, path: str) -> None:
    join(cast.foreign, cast.users["mia"], "viewer")
    mia = browser("mia")

    assert mia.delete(f"{path}/me").status_code == 204

    assert [item["name"] for item in mia.get("/v1/workspaces").json["items"]] == ["Elsewhere"]
