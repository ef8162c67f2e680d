"""Reasons that refuse to close an account, reported all at once (specification 12.5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inbox.database.base import new_id
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import Cast, join, make_user, make_workspace, present, typeid

Browsers = Callable[[str], Browser]

NOTHING = {"workspaces": [], "isLastAdministrator": False}


def closing(browser: Browser) -> Any:
    return browser.get("/v1/me/closing").json


def refusal(workspace: Workspace) -> dict[str, str]:
    return {"id": typeid("wsp", workspace.id), "name": workspace.name, "reason": "workspace_needs_owner"}


def test_each_workspace_with_members_and_no_other_owner_is_named(browser: Browsers, cast: Cast) -> None:
    olga, mia = cast.users["olga"], cast.users["mia"]
    make_workspace("Alone", olga=olga)
    beside = make_workspace("Beside", olga=olga)
    join(beside, mia, "viewer")
    shared = make_workspace("Shared", olga=olga)
    join(shared, mia, "owner")
    closed = make_workspace("Closed", olga=olga)
    join(closed, mia, "member")
    Workspace.update(deleted_at=present()).where(Workspace.id == closed.id).execute()

    found = closing(browser("olga"))

    assert found == {"workspaces": [refusal(cast.workspace), refusal(beside)], "isLastAdministrator": False}
    refused = browser("olga").delete("/v1/me").json
    assert refused["workspace"]["id"] in {each["id"] for each in found["workspaces"]}


def test_an_empty_answer_means_that_the_account_can_be_closed(browser: Browsers, cast: Cast) -> None:
    adam = Member.update(role="owner").where(Member.user == cast.users["adam"])
    assert closing(browser("olga")) != NOTHING

    adam.execute()

    assert closing(browser("olga")) == NOTHING
    assert browser("olga").delete("/v1/me").status_code == 204


def test_a_disabled_owner_is_no_owner(browser: Browsers, cast: Cast) -> None:
    join(cast.workspace, make_user("otto", disabled_at=present()), "owner")

    assert closing(browser("olga"))["workspaces"] == [refusal(cast.workspace)]


def test_the_last_administrator_of_the_instance_cannot_be_removed(browser: Browsers, cast: Cast) -> None:
    User.update(is_instance_admin=True).where(User.id == cast.users["mia"].id).execute()
    make_user("off", is_instance_admin=True, disabled_at=present())
    assert closing(browser("mia")) == {"workspaces": [], "isLastAdministrator": True}

    User.update(is_instance_admin=True).where(User.id == cast.users["vic"].id).execute()

    assert closing(browser("mia")) == NOTHING


def test_an_account_that_owns_no_workspace_can_be_closed(browser: Browsers, cast: Cast) -> None:
    assert [closing(browser(name)) for name in ("adam", "mia", "vic")] == [NOTHING] * 3


def test_eve_reads_of_her_own_workspaces_alone(browser: Browsers, cast: Cast) -> None:
    own = Workspace.create(id=new_id(), name="Of Eve", slug="of-eve", created_at=present())
    join(own, cast.users["eve"], "owner")
    join(own, cast.users["vic"], "viewer")

    assert closing(browser("eve"))["workspaces"] == [refusal(own)]
    assert closing(browser("olga"))["workspaces"] == [refusal(cast.workspace)]


def test_the_closing_preview_requires_a_session(anonymous: Browser) -> None:
    assert anonymous.get("/v1/me/closing").status_code == 401
