"""Readers of entries without a workspace: the person of the account, and instance administrators."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.database.base import db, new_id
from inbox.flow.unit_of_work import work
from inbox.models.people.accounts import User
from inbox.models.records.audit import AuditEntry
from inbox.services.records import audit
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid

Browsers = Callable[[str], Browser]
OWN, INSTANCE = "/v1/me/audit-log", "/v1/admin/audit-log"


@pytest.fixture
def root(browser: Browsers, cast: Cast) -> Browser:
    """Vic, who administers the instance and no workspace."""
    User.update(is_instance_admin=True).where(User.id == cast.users["vic"].id).execute()
    return browser("vic")


def note(action: str, target: audit.Target, minutes: int = 0, **more: Any) -> None:
    with work():
        audit.record(action, target=target, now=NOW + timedelta(minutes=minutes), **more)


def about(cast: Cast, name: str) -> audit.Target:
    return audit.target("user", cast.users[name].id, name.title())


def actions(browser: Browser, path: str, query: str = "") -> list[str]:
    return [item["action"] for item in browser.get(f"{path}?{query}").json["items"]]


def test_a_person_reads_only_audit_entries_about_the_own_account(browser: Browsers, cast: Cast) -> None:
    mia = cast.users["mia"]
    note("password.changed", about(cast, "mia"), 1)
    note("session.started", audit.target("session", new_id(), user_id=mia.id), 2)
    note("device.revoked", audit.target("device", new_id(), "Phone", user_id=mia.id), 3)
    note("session.refused", audit.target("user"), 4)
    note("secrets.rotated", audit.Target("instance"), 5)
    note("member.removed", audit.target("member", mia.id, "Mia"), 6, workspace_id=cast.workspace.id)
    note("password.changed", about(cast, "adam"), 7)

    assert actions(browser("mia"), OWN) == ["device.revoked", "session.started", "password.changed"]
    assert actions(browser("adam"), OWN) == ["password.changed"]
    assert actions(browser("eve"), OWN) == []


def test_an_entry_is_shown_whole(browser: Browsers, anonymous: Browser, cast: Cast) -> None:
    anonymous.post("/v1/auth/login", {"email": "mia@example.org", "password": "not her phrase"})

    [item] = browser("mia").get(OWN).json["items"]

    assert item == {
        "id": item["id"],
        "at": item["at"],
        "actor": {"type": "anonymous", "id": "", "name": ""},
        "action": "session.refused",
        "target": {"type": "user", "id": typeid("usr", cast.users["mia"].id), "name": "Mia"},
        "workspaceId": None,
        "ip": "127.0.0.1",
        "requestId": item["requestId"],
        "details": {"by": "password"},
    }


def test_the_address_of_another_actor_is_left_out(browser: Browsers, root: Browser, cast: Cast) -> None:
    mia = typeid("usr", cast.users["mia"].id)
    assert root.patch(f"/v1/admin/users/{mia}", {"isInstanceAdmin": True}).status_code == 200

    [own_one] = browser("mia").get(OWN).json["items"]
    [whole] = [item for item in root.get(INSTANCE).json["items"] if item["action"] == "user.changed"]

    assert (own_one["action"], own_one["actor"]["name"], own_one["ip"]) == ("user.changed", "Vic", "")
    assert whole["ip"] == "127.0.0.1"


def test_an_instance_administrator_reads_every_entry_without_a_workspace_and_no_other(
    root: Browser, cast: Cast
) -> None:
    note("session.refused", audit.target("user"), 1)
    note("instance.purged", audit.Target("instance"), 2)
    note("password.changed", about(cast, "eve"), 3)
    note("rule.deleted", audit.target("rule", new_id()), 4, workspace_id=cast.workspace.id)
    note("rule.deleted", audit.target("rule", new_id()), 5, workspace_id=cast.foreign.id)

    assert actions(root, INSTANCE) == ["password.changed", "instance.purged", "session.refused"]


@pytest.mark.parametrize("name", ["olga", "adam", "mia", "vic", "eve"])
def test_only_instance_administrators_read_the_audit_log_of_the_instance(
    browser: Browsers, cast: Cast, name: str
) -> None:
    note("password.changed", about(cast, "mia"))

    answer = browser(name).get(INSTANCE)

    assert answer.status_code == 403 and "items" not in answer.json


@pytest.mark.parametrize("path", [OWN, INSTANCE])
def test_audit_entries_without_a_workspace_require_a_session(anonymous: Browser, cast: Cast, path: str) -> None:
    assert anonymous.get(path).status_code == 401
    assert anonymous.get(path, headers={"Authorization": f"Bearer {cast.key}"}).status_code == 401


@pytest.mark.parametrize("path", [OWN, INSTANCE])
def test_entries_without_a_workspace_have_the_filters_of_the_workspace_log(
    root: Browser, cast: Cast, path: str
) -> None:
    vic, adam = (audit.person(cast.users[name]) for name in ("vic", "adam"))
    for minutes, action in enumerate(("factor.added", "factor.removed", "password.changed", "factor_x.made")):
        note(action, about(cast, "vic"), minutes, actor=adam if minutes == 2 else vic)

    assert actions(root, path, "order=asc&action=factor.added") == ["factor.added"]
    assert actions(root, path, "order=asc&action=factor") == ["factor.added", "factor.removed"]
    assert actions(root, path, f"actorId={typeid('usr', cast.users['adam'].id)}") == ["password.changed"]
    assert actions(root, path, f"actorId={typeid('usr', cast.users['eve'].id)}") == []
    between = "order=asc&since=2026-11-21T09:01:00Z&until=2026-11-21T09:03:00Z"
    assert actions(root, path, between) == ["factor.removed", "password.changed"]
    for bad in ("action=%25", "action=a.b.c", "actorId=olga", "since=now", "sort=action", "userId=x"):
        assert root.get(f"{path}?{bad}").status_code == 422


@pytest.mark.parametrize("path", [OWN, INSTANCE])
def test_entries_without_a_workspace_are_paged_newest_first(root: Browser, cast: Cast, path: str) -> None:
    for minutes in range(5):
        note(f"factor.made_{'abcde'[minutes]}", about(cast, "vic"), minutes)
    found, cursor = "", ""
    while True:
        page = root.get(f"{path}?limit=2{cursor}").json
        found += "".join(item["action"][-1] for item in page["items"])
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"

    assert found == "edcba"
    assert root.get(f"{path}?offset=4").json["total"] == 5
    assert [item["action"][-1] for item in root.get(f"{path}?offset=3&limit=1").json["items"]] == ["b"]


def test_a_cursor_of_the_one_log_is_none_of_the_other(root: Browser, cast: Cast) -> None:
    for minutes in range(3):
        note("factor.added", about(cast, "vic"), minutes)
    cursor = root.get(f"{INSTANCE}?limit=1").json["nextCursor"]

    assert root.get(f"{OWN}?limit=1&cursor={cursor}").status_code == 422


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("", "audit_log_instance"),
        ("action=factor.added", "audit_log_instance_action"),
        ("actorId={vic}", "audit_log_instance_actor"),
    ],
)
def test_each_filter_of_the_instances_log_has_its_index(root: Browser, cast: Cast, query: str, index: str) -> None:
    note("factor.added", about(cast, "vic"), actor=audit.person(cast.users["vic"]))
    with work():
        for number in range(1000):
            # Half of the log is of a workspace: an index of all entries costs twice as much.
            workspace_id = cast.workspace.id if number % 2 else None
            audit.record(
                "session.started",
                target=about(cast, "mia"),
                now=NOW,
                actor=audit.person(cast.users["mia"]),
                workspace_id=workspace_id,
            )
    db.execute_sql("ANALYZE audit_log")
    statements: list[Any] = []
    db.query_hooks.append(statements.append)
    try:
        root.get(f"{INSTANCE}?{query.format(vic=typeid('usr', cast.users['vic'].id))}")
    finally:
        db.query_hooks.remove(statements.append)
    [event] = [each for each in statements if 'FROM "audit_log"' in each.sql]
    with db.atomic():
        db.execute_sql("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off")
        plan = [row[0] for row in db.execute_sql(f"EXPLAIN {event.sql}", event.params).fetchall()]

    assert any(f"using {index} " in line for line in plan), plan


def test_acts_without_a_workspace_name_the_account_that_they_are_about(
    browser: Browsers, anonymous: Browser, cast: Cast
) -> None:
    mia = browser("mia")
    mia.delete("/v1/me/sessions")
    anonymous.post("/v1/auth/login", {"email": "mia@example.org", "password": "x"})
    mia.post("/v1/auth/step-up", {"factor": "password", "password": "x"})
    mia.post("/v1/auth/logout")

    rows = list(AuditEntry.select().where(AuditEntry.workspace_id.is_null()))
    assert {row.action for row in rows} == {"session.refused", "session.ended"}
    assert {row.user_id for row in rows} == {cast.users["mia"].id}
