"""Members over HTTP: readers, changes, and at least one owner (specification 12.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.models.people.accounts import Session
from inbox.models.people.factors import Passkey, TotpFactor
from inbox.models.records.audit import AuditEntry
from tests.api.workspaces.members_steps import (
    Browsers,
    of,  # noqa: F401
    path,  # noqa: F401
    reported,
    role_of,
    stale,
)
from tests.cast import Cast, present, typeid


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
        "joinedAt": items["Adam"]["joinedAt"], "lastSeenAt": None, "mfa": True, "paging": "unreachable",
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


def test_a_role_changed_by_an_owner_applies_at_once(
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


def test_a_change_is_reported_to_the_workspace_and_to_the_person_and_is_recorded(
    browser: Browsers, cast: Cast, of: Callable[[str], str]
) -> None:
    answer = browser("olga").patch(of("mia"), {"role": "admin"})

    workspace, mia = typeid("wsp", cast.workspace.id), typeid("usr", cast.users["mia"].id)
    assert sorted(reported()) == [("me", "changed", mia), ("member", "changed", workspace)]
    [entry] = AuditEntry.select().where(AuditEntry.workspace_id == cast.workspace.id)
    assert (entry.action, entry.request_id) == ("member.role_changed", answer.headers["X-Request-Id"])
    assert entry.actor == {"type": "user", "id": typeid("usr", cast.users["olga"].id), "name": "Olga"}
    assert entry.target == {"type": "member", "id": mia, "name": "Mia"}
    assert entry.details == {"changes": [{"field": "role", "before": "member", "after": "admin"}]}


def test_a_role_that_is_held_already_changes_nothing(browser: Browsers, of: Callable[[str], str]) -> None:
    assert browser("olga").patch(of("mia"), {"role": "member"}).status_code == 200
    assert browser("olga").patch(of("olga"), {"role": "owner"}).status_code == 200
    assert reported() == [] and AuditEntry.select().count() == 0


@pytest.mark.parametrize("body", [{}, {"role": "king"}, {"role": None}, {"role": ["owner"]}, {"role": "admin", "x": 1}])
def test_a_body_that_names_no_role_is_refused(browser: Browsers, of: Callable[[str], str], body: Any) -> None:
    assert browser("olga").patch(of("mia"), body).status_code == 422


def test_a_removed_member_loses_access_to_the_workspace(
    browser: Browsers, cast: Cast, path: str, of: Callable[[str], str]
) -> None:
    mia, workspace = browser("mia"), typeid("wsp", cast.workspace.id)
    assert mia.get(path).status_code == 200

    assert browser("olga").delete(of("mia")).status_code == 204

    assert role_of(cast, "mia") is None
    assert mia.get(path).status_code == mia.get(f"/v1/workspaces/{workspace}").status_code == 404
    assert mia.get("/v1/workspaces").json["items"] == []
    assert mia.get("/v1/sources").json["items"] == []
    assert mia.get("/v1/me").status_code == 200
    assert ("member", "deleted", workspace) in reported()
    [entry] = AuditEntry.select()
    assert (entry.action, entry.target["name"], entry.details["role"]) == ("member.removed", "Mia", "member")


def test_a_member_leaves_without_a_step_up(app: Flask, settings: Settings, cast: Cast, path: str) -> None:
    vic = stale(app, settings, cast.users["vic"], days=3)

    assert vic.delete(f"{path}/me").status_code == 204

    assert role_of(cast, "vic") is None
    assert vic.delete(f"{path}/me").status_code == 404
    assert [entry.action for entry in AuditEntry.select()] == ["member.left"]
