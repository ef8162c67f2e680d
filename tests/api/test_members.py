"""Members over HTTP: who sees them, who changes them, and that an owner always remains (specification 12.3)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.domain import ids
from inbox.models.sql.base import new_id
from inbox.models.tables.accounts import Session, User
from inbox.models.tables.audit import AuditEntry
from inbox.models.tables.change_feed import Change
from inbox.models.tables.factors import Passkey, TotpFactor
from inbox.models.tables.links import Invite
from inbox.models.tables.workspaces import Member, Workspace
from inbox.services import sessions
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, join, make_user, make_workspace, present, sign_in, typeid

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


def told() -> list[tuple[str, str, str]]:
    """What the stream was told so far: type, op and to whom."""
    return [(ref["type"], ref["op"], ref["to"]) for change in Change.select() for ref in change.refs]


def stale(app: Flask, settings: Settings, user: User, **ago: float) -> Browser:
    return Browser(app, settings.base_url, cookie=sign_in(user, proved_at=present() - timedelta(**ago)))


def test_every_member_sees_all_members(browser: Browsers, cast: Cast, path: str) -> None:
    seen = present() - timedelta(minutes=3)
    Session.update(last_seen_at=seen).execute()
    browser("vic")  # begins a session of Vic's
    TotpFactor.create(user=cast.users["adam"], sealed=b"x", created_at=seen, confirmed_at=seen)

    answer = browser("vic").get(f"{path}?sort=name")

    assert answer.status_code == 200
    items = {item["name"]: item for item in answer.json["items"]}
    assert list(items) == ["Vic", "Olga", "Mia", "Adam"]
    assert {name: item["role"] for name, item in items.items()} == {
        "Vic": "viewer", "Olga": "owner", "Mia": "member", "Adam": "admin",
    }  # fmt: skip
    assert items["Adam"] == {
        "userId": typeid("usr", cast.users["adam"].id), "email": "adam@example.org", "name": "Adam", "role": "admin",
        "joinedAt": items["Adam"]["joinedAt"], "lastSeenAt": None, "mfa": True,
    }  # fmt: skip
    assert items["Vic"]["lastSeenAt"] is not None and items["Vic"]["mfa"] is False


def test_a_code_that_is_not_confirmed_is_no_second_factor_and_a_passkey_is_one(
    browser: Browsers, cast: Cast, path: str
) -> None:
    TotpFactor.create(user=cast.users["mia"], sealed=b"x", created_at=present())
    Passkey.create(
        id=new_id(), user=cast.users["olga"], credential_id=b"c", public_key=b"k", sign_count=0, name="Key",
        created_at=present(),
    )  # fmt: skip

    mfa = {item["name"]: item["mfa"] for item in browser("vic").get(path).json["items"]}

    assert mfa == {"Olga": True, "Adam": False, "Mia": False, "Vic": False}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("sort=name&order=asc", ["Adam", "Mia", "Olga", "Vic"]),
        ("sort=email&order=desc", ["Vic", "Olga", "Mia", "Adam"]),
        ("sort=role", ["Olga", "Adam", "Mia", "Vic"]),
        ("sort=joined&order=asc", ["Olga", "Adam", "Mia", "Vic"]),
        ("role=admin", ["Adam"]),
    ],
)
def test_the_list_is_sorted_filtered_and_paged(browser: Browsers, path: str, query: str, names: list[str]) -> None:
    mia, found, cursor = browser("mia"), [], ""
    while True:
        page = mia.get(f"{path}?limit=2&{query}{cursor}").json
        found += [item["name"] for item in page["items"]]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"

    assert found == names
    assert mia.get(f"{path}?offset=0&{query}").json["total"] == len(names)


def test_an_owner_changes_a_role_and_it_holds_at_once(
    browser: Browsers, cast: Cast, path: str, of: Callable[[str], str]
) -> None:
    mia = browser("mia")
    source = {"workspaceId": typeid("wsp", cast.workspace.id), "name": "New"}
    assert mia.post("/v1/sources", source).status_code == 403

    changed = browser("olga").patch(of("mia"), {"role": "admin"})

    assert (changed.status_code, changed.json["role"], changed.json["name"]) == (200, "admin", "Mia")
    assert mia.post("/v1/sources", source).status_code == 201
    assert browser("olga").patch(of("mia"), {"role": "viewer"}).json["role"] == "viewer"
    assert mia.post("/v1/sources", source).status_code == 403


def test_a_change_is_told_to_the_workspace_and_to_the_person_and_is_recorded(
    browser: Browsers, cast: Cast, of: Callable[[str], str]
) -> None:
    answer = browser("olga").patch(of("mia"), {"role": "admin"})

    workspace, mia = typeid("wsp", cast.workspace.id), typeid("usr", cast.users["mia"].id)
    assert sorted(told()) == [("me", "changed", mia), ("member", "changed", workspace)]
    [entry] = AuditEntry.select().where(AuditEntry.workspace_id == cast.workspace.id)
    assert (entry.action, entry.request_id) == ("member.role_changed", answer.headers["X-Request-Id"])
    assert entry.actor == {"type": "user", "id": typeid("usr", cast.users["olga"].id), "name": "Olga"}
    assert entry.target == {"type": "member", "id": mia, "name": "Mia"}
    assert entry.details == {"changes": [{"field": "role", "before": "member", "after": "admin"}]}


def test_a_role_that_is_held_already_changes_nothing(browser: Browsers, of: Callable[[str], str]) -> None:
    assert browser("olga").patch(of("mia"), {"role": "member"}).status_code == 200
    assert browser("olga").patch(of("olga"), {"role": "owner"}).status_code == 200
    assert told() == [] and AuditEntry.select().count() == 0


@pytest.mark.parametrize("body", [{}, {"role": "king"}, {"role": None}, {"role": ["owner"]}, {"role": "admin", "x": 1}])
def test_a_body_that_names_no_role_is_refused(browser: Browsers, of: Callable[[str], str], body: Any) -> None:
    assert browser("olga").patch(of("mia"), body).status_code == 422


def test_who_is_removed_sees_nothing_more(browser: Browsers, cast: Cast, path: str, of: Callable[[str], str]) -> None:
    mia, workspace = browser("mia"), typeid("wsp", cast.workspace.id)
    assert mia.get(path).status_code == 200

    assert browser("olga").delete(of("mia")).status_code == 204

    assert role_of(cast, "mia") is None
    assert mia.get(path).status_code == mia.get(f"/v1/workspaces/{workspace}").status_code == 404
    assert mia.get("/v1/workspaces").json["items"] == []
    assert mia.get("/v1/sources").json["items"] == []
    assert mia.get("/v1/me").status_code == 200
    assert ("member", "deleted", workspace) in told()
    [entry] = AuditEntry.select()
    assert (entry.action, entry.target["name"], entry.details["role"]) == ("member.removed", "Mia", "member")


def test_a_member_leaves_without_a_step_up(app: Flask, settings: Settings, cast: Cast, path: str) -> None:
    vic = stale(app, settings, cast.users["vic"], days=3)

    assert vic.delete(f"{path}/me").status_code == 204

    assert role_of(cast, "vic") is None
    assert vic.delete(f"{path}/me").status_code == 404
    assert [entry.action for entry in AuditEntry.select()] == ["member.left"]


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
    assert told() == [] and AuditEntry.select().count() == 0

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


def test_eve_learns_nothing(browser: Browsers, cast: Cast, path: str) -> None:
    eve, nowhere = browser("eve"), f"/v1/workspaces/{ids.encode('wsp', new_id())}/members"
    user = f"/{typeid('usr', cast.users['mia'].id)}"

    for method, rest, body in (
        ("GET", "", None), ("PATCH", user, {"role": "viewer"}), ("DELETE", user, None), ("DELETE", "/me", None),
    ):  # fmt: skip
        foreign, none = eve.call(method, path + rest, body), eve.call(method, nowhere + rest, body)
        assert foreign.status_code == none.status_code == 404
        assert {**foreign.json, "requestId": ""} == {**none.json, "requestId": ""}


def test_somebody_of_another_workspace_is_no_member_here(
    browser: Browsers, of: Callable[[str], str], path: str
) -> None:
    olga = browser("olga")

    for address in (of("eve"), f"{path}/{ids.encode('usr', new_id())}"):
        assert olga.patch(address, {"role": "viewer"}).status_code == 404
        assert olga.delete(address).status_code == 404
    assert Member.select().count() == 5


def test_changing_memberships_wants_a_proof_of_the_last_15_minutes(
    app: Flask, settings: Settings, cast: Cast, of: Callable[[str], str]
) -> None:
    late = stale(app, settings, cast.users["olga"], minutes=15, seconds=5)
    for answer in (late.patch(of("mia"), {"role": "admin"}), late.delete(of("mia"))):
        assert (answer.status_code, answer.json["code"]) == (403, "reauth_required")
    assert role_of(cast, "mia") == "member"

    assert stale(app, settings, cast.users["olga"], minutes=14).delete(of("mia")).status_code == 204


def test_what_an_owner_offered_ends_with_their_being_an_owner(
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


def test_of_two_owners_who_remove_each_other_at_the_same_time_one_remains(app: Flask, settings: Settings, cast: Cast):
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


def test_of_two_owners_who_leave_or_step_down_at_the_same_time_one_remains(app: Flask, settings: Settings, cast: Cast):
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
