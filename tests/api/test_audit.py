"""The audit log: every act leaves its entry with it, nothing secret is in it, administrators read it.

Specification 12.7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest
from flask import Flask

from app import create_app
from inbox.flow.unit_of_work import work
from inbox.models.sql.base import db, new_id
from inbox.models.tables.audit import AuditEntry
from inbox.models.tables.sources import Source
from inbox.services import audit
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid

Browsers = Callable[[str], Browser]
SECRET = "whsec_" + "A" * 43 + "="


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def path(workspace: str) -> str:
    return f"/v1/workspaces/{workspace}/audit-log"


def entries() -> list[AuditEntry]:
    return list(AuditEntry.select().order_by(AuditEntry.at, AuditEntry.id))


def note(cast: Cast, action: str, minutes: int = 0) -> None:
    with work():
        audit.record(
            action, target=audit.target("source", cast.source.id, "Prometheus"), now=NOW + timedelta(minutes=minutes),
            workspace_id=cast.workspace.id,
        )  # fmt: skip


def test_what_administrators_do_is_recorded_act_by_act(browser: Browsers, cast: Cast, workspace: str) -> None:
    adam = browser("adam")
    source = adam.post("/v1/sources", {"workspaceId": workspace, "name": "Jobs"}).headers["Location"]
    adam.patch(source, {"name": "Nightly jobs", "defaultSeverity": "ERROR"})
    key = adam.post(f"{source}/keys", {"name": "backup"}).json
    new = adam.post(f"{source}/keys/{key['id']}/rotate").json
    adam.delete(f"{source}/keys/{new['id']}")
    adam.delete(f"{source}/keys/{new['id']}")  # again: nothing is done, nothing is recorded
    adam.delete(source)
    config = {"url": "http://127.0.0.1:9/hook", "secret": SECRET}
    made = adam.post(
        "/v1/destinations", {"workspaceId": workspace, "name": "Hook", "kind": "webhook", "config": config}
    )
    there = made.headers["Location"]
    adam.patch(there, {"name": "Hooks", "config": {"url": "http://127.0.0.1:9/other"}})
    adam.post(f"{there}/replay", {"since": (present() - timedelta(days=1)).isoformat()})
    adam.delete(there)
    adam.patch(f"/v1/workspaces/{workspace}", {"settings": {"reopenWindowMinutes": 5}})
    adam.put(f"/v1/workspaces/{workspace}/default-route", {"destinationIds": [], "dispositions": {"WARNING": "log"}})

    assert [entry.action for entry in entries()] == [
        "source.created", "source.changed", "key.created", "key.rotated", "key.revoked", "source.deleted",
        "destination.created", "destination.changed", "destination.replayed", "destination.deleted",
        "workspace.changed", "workspace.default_route_changed",
    ]  # fmt: skip
    for entry in entries():
        assert entry.actor == {"type": "user", "id": typeid("usr", cast.users["adam"].id), "name": "Adam"}
        assert entry.workspace_id == cast.workspace.id
        assert entry.target["id"] and entry.target["type"] == entry.action.partition(".")[0]
        assert entry.ip == "127.0.0.1" and len(entry.request_id) == 32


def test_what_was_changed_is_reported_and_a_secret_is_only_said_to_be(browser: Browsers, workspace: str) -> None:
    adam = browser("adam")
    source = adam.post("/v1/sources", {"workspaceId": workspace, "name": "Jobs"}).headers["Location"]
    adam.patch(source, {"name": "Night", "defaultSeverity": "INFO", "groupBy": ["type"]})
    config = {"url": "http://127.0.0.1:9/hook?key=hidden", "secret": SECRET}
    body = {"workspaceId": workspace, "name": "Hook", "kind": "webhook", "config": config}
    there = adam.post("/v1/destinations", body).headers["Location"]
    adam.patch(there, {"enabled": False, "config": {"url": "http://127.0.0.1:9/other", "secret": SECRET}})
    secret = adam.post(f"{source}/keys", {"name": "backup"}).json["secret"]
    adam.patch(f"/v1/workspaces/{workspace}", {"name": "Acme Inc", "settings": {"retention": {"eventDays": 7}}})

    details = {entry.action: entry.details for entry in entries()}
    assert details["source.changed"] == {
        "changes": [
            {"field": "name", "before": "Jobs", "after": "Night"},
            {"field": "groupBy", "before": [], "after": ["type"]},
        ]
    }
    changes = sorted(details["destination.changed"]["changes"], key=lambda change: str(change["field"]))
    assert changes == [{"field": "config"}, {"field": "enabled", "before": True, "after": False}]
    assert [change["field"] for change in details["workspace.changed"]["changes"]] == ["name", "settings.retention"]
    written = orjson.dumps([[e.details, e.target, e.actor] for e in entries()]).decode()
    for hidden in (SECRET, secret, "127.0.0.1:9", "hidden"):
        assert hidden not in written
    assert details["key.created"]["hint"] in secret


def test_a_key_of_ours_in_a_name_is_not_kept(cast: Cast) -> None:
    with work():
        audit.record(
            "source.created", target=audit.target("source", cast.source.id, f"x {cast.key}"), now=NOW,
            details={"deep": [{"er": f"https://olga:pass@host/ {SECRET}"}]},
        )  # fmt: skip

    [entry] = entries()
    assert entry.target["name"] == "x svc_[REDACTED]"
    assert entry.details == {"deep": [{"er": "https://[REDACTED]@host/ whsec_[REDACTED]"}]}


def test_what_is_refused_or_fails_leaves_no_entry(browser: Browsers, cast: Cast) -> None:
    source = f"/v1/sources/{typeid('src', cast.source.id)}"

    assert browser("adam").patch(source, {"name": "x"}, headers={"If-Match": '"9"'}).status_code == 412
    assert browser("adam").delete(source, headers={"If-Match": '"9"'}).status_code == 412
    assert browser("mia").patch(source, {"name": "x"}).status_code == 403
    with pytest.raises(ZeroDivisionError), work():
        note_within(cast)
        1 / 0  # noqa: B018

    assert entries() == []


def note_within(cast: Cast) -> None:
    audit.record("source.changed", target=audit.target("source", cast.source.id), now=NOW)


def test_an_act_cannot_be_recorded_apart_from_itself(cast: Cast) -> None:
    with pytest.raises(RuntimeError, match=r"source\.changed"):
        note_within(cast)


def test_the_entry_finds_the_line_of_the_log_and_the_client(
    cast: Cast, settings: Settings, lines: Callable[[], list[dict[str, Any]]]
) -> None:
    behind = replace(settings, trusted_proxies=1)
    browser = Browser(create_app(behind), settings.base_url, cookie=cast.cookie("adam"))
    forwarded = {"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}

    answer = browser.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"name": "x"}, headers=forwarded)

    [entry] = entries()
    assert entry.ip == "203.0.113.7"
    assert entry.request_id == answer.headers["X-Request-Id"]
    assert entry.request_id in {line.get("request_id") for line in lines()}


def test_what_nobody_asked_for_is_done_by_the_system(browser: Browsers, cast: Cast) -> None:
    browser("adam").get("/v1/me")  # leaves nothing behind for whoever runs on this thread next
    note(cast, "source.changed")

    [entry] = entries()
    assert (entry.actor, entry.ip, entry.request_id) == ({"type": "system", "id": "", "name": ""}, "", "")


def test_signing_in_and_out_are_recorded_for_the_person_and_in_no_workspace(
    browser: Browsers, cast: Cast, path: str
) -> None:
    adam = browser("adam")
    adam.post("/v1/auth/logout")

    [entry] = entries()
    assert (entry.action, entry.workspace_id) == ("session.ended", None)
    assert entry.actor["name"] == "Adam"
    assert browser("olga").get(path).json["items"] == []


@pytest.mark.parametrize("email", ["adam@example.org", "nobody@example.org"])
def test_who_is_not_let_in_leaves_an_entry_without_what_was_typed(anonymous: Browser, cast: Cast, email: str) -> None:
    login = {"email": email, "password": "not the password"}

    assert anonymous.post("/v1/auth/login", login).status_code == 401

    [entry] = entries()
    existing = email == "adam@example.org"
    assert (entry.action, entry.workspace_id, entry.details) == ("session.refused", None, {"by": "password"})
    assert entry.actor == {"type": "anonymous", "id": "", "name": ""} and entry.ip == "127.0.0.1"
    adam = {"type": "user", "id": typeid("usr", cast.users["adam"].id), "name": "Adam"}
    assert entry.target == (adam if existing else {"type": "user", "id": "", "name": ""})


def test_a_step_up_that_fails_leaves_an_entry(browser: Browsers, cast: Cast) -> None:
    proof = {"factor": "password", "password": "not the password"}

    assert browser("adam").post("/v1/auth/step-up", proof).status_code == 403

    [entry] = entries()
    assert (entry.action, entry.actor["name"], entry.target["name"]) == ("session.refused", "Adam", "Adam")


def test_the_first_administrator_and_workspace_are_recorded(anonymous: Browser) -> None:
    from inbox.services import setup

    token = str(setup.setup_link(present())).partition("token=")[2]
    anonymous.post(
        "/v1/setup",
        {"token": token, "email": "olga@example.org", "password": "a long phrase of hers", "name": "Olga",
         "workspaceName": "Acme"},
    )  # fmt: skip

    assert {entry.action for entry in entries()} == {"account.created", "workspace.created", "session.started"}
    assert {entry.actor["name"] for entry in entries()} == {"Olga"}
    assert token not in orjson.dumps([entry.details for entry in entries()]).decode()


@pytest.mark.parametrize(("name", "status"), [("vic", 403), ("mia", 403), ("adam", 200), ("olga", 200), ("eve", 404)])
def test_administrators_read_it(browser: Browsers, cast: Cast, path: str, name: str, status: int) -> None:
    note(cast, "source.changed")

    answer = browser(name).get(path)

    assert answer.status_code == status
    if status == 200:
        [item] = answer.json["items"]
        assert item == {
            "id": item["id"], "at": "2026-11-21T09:00:00.000Z", "actor": {"type": "system", "id": "", "name": ""},
            "action": "source.changed",
            "target": {"type": "source", "id": typeid("src", cast.source.id), "name": "Prometheus"},
            "workspaceId": typeid("wsp", cast.workspace.id), "ip": "", "requestId": "", "details": {},
        }  # fmt: skip
    if status == 403:
        assert answer.json["requiredRole"] == "admin"


def test_nobody_without_a_session_reads_it(anonymous: Browser, cast: Cast, path: str) -> None:
    assert anonymous.get(path).status_code == 401
    assert anonymous.get(path, headers={"Authorization": f"Bearer {cast.key}"}).status_code == 401


def test_a_workspace_reads_its_own_entries_only(browser: Browsers, cast: Cast) -> None:
    note(cast, "source.changed")
    foreign = f"/v1/workspaces/{typeid('wsp', cast.foreign.id)}/audit-log"

    assert browser("eve").get(foreign).json["items"] == []


def test_it_is_filtered_by_action_actor_and_time(browser: Browsers, cast: Cast, path: str) -> None:
    for minutes, action in enumerate(("source.created", "source.changed", "key.created", "source_x.made")):
        note(cast, action, minutes)
    olga = browser("olga")
    olga.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"name": "By Olga"})

    def found(query: str) -> list[str]:
        return [item["action"] for item in olga.get(f"{path}?order=asc&{query}").json["items"]]

    assert found("action=source.created") == ["source.created"]
    assert sorted(found("action=source")) == ["source.changed", "source.changed", "source.created"]
    assert found(f"actorId={typeid('usr', cast.users['olga'].id)}") == ["source.changed"]
    assert found(f"actorId={typeid('usr', cast.users['eve'].id)}") == []
    assert found("since=2026-11-21T09:01:00Z&until=2026-11-21T09:03:00Z") == ["source.changed", "key.created"]
    for bad in ("action=%25", "action=a.b.c", "actorId=olga", "since=now", "sort=action"):
        assert olga.get(f"{path}?{bad}").status_code == 422


def test_it_is_paged_newest_first(browser: Browsers, cast: Cast, path: str) -> None:
    for minutes in range(5):
        note(cast, f"source.made_{'abcde'[minutes]}", minutes)
    adam, found, cursor = browser("adam"), [], ""
    while True:
        page = adam.get(f"{path}?limit=2{cursor}").json
        found += [item["action"][-1] for item in page["items"]]
        if page["nextCursor"] is None:
            break
        cursor = f"&cursor={page['nextCursor']}"

    assert found == list("edcba")
    assert adam.get(f"{path}?offset=4").json["total"] == 5


def test_pages_of_rare_entries_are_short_and_the_last_one_is_not_partial(
    browser: Browsers, cast: Cast, path: str
) -> None:
    """Four thousand entries, of which three have the action. A page examines fewer than that."""
    AuditEntry.insert_many(
        {
            "id": new_id(NOW + timedelta(seconds=place)), "workspace_id": cast.workspace.id, "actor": {"type": "system"}, "target": {},
            "action": "rule.changed" if place in (5, 2_000, 3_990) else "source.changed", "at": NOW + timedelta(seconds=place),
        }
        for place in range(4_000)
    ).execute()  # fmt: skip

    pages = list(_pages(browser("olga"), f"{path}?action=rule&limit=2"))

    assert sum(len(page["items"]) for page in pages) == 3
    assert len(pages) > 2
    assert [page["partial"] for page in pages] == [True] * (len(pages) - 1) + [False]
    assert next(_pages(browser("olga"), f"{path}?action=nothing.like_it&limit=2&until=2026-11-20T00:00:00Z")) == {
        "items": [], "nextCursor": None, "partial": False, "total": None,
    }  # fmt: skip


def _pages(browser: Browser, path: str) -> Iterator[dict[str, Any]]:
    cursor: str | None = ""
    while cursor is not None:
        page = browser.get(path + (f"&cursor={cursor}" if cursor else "")).json
        yield page
        cursor = page["nextCursor"]


def test_entries_of_one_act_are_in_the_order_in_which_they_were_written(cast: Cast) -> None:
    with work():
        for number in range(40):
            about = audit.target("source", cast.source.id, str(number))
            audit.record("source.changed", target=about, now=NOW + timedelta(microseconds=number // 4))

    by_id = AuditEntry.select().order_by(AuditEntry.id)
    assert [entry.target["name"] for entry in by_id] == [str(number) for number in range(40)]


def test_entries_outlive_what_they_report_of(browser: Browsers, cast: Cast, path: str) -> None:
    note(cast, "source.changed")
    Source.delete().where(Source.id == cast.source.id).execute()

    assert [item["target"]["name"] for item in browser("olga").get(path).json["items"]] == ["Prometheus"]


def test_the_log_only_grows(app: Flask, cast: Cast) -> None:
    import peewee

    note(cast, "source.changed")
    for statement in ("UPDATE audit_log SET action = 'x'", "DELETE FROM audit_log", "TRUNCATE audit_log"):
        with pytest.raises(peewee.ProgrammingError), db.atomic():
            db.execute_sql(statement)
