"""The audit log: every act writes its entry in its transaction, without any secret."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import orjson
import pytest

from app import create_app
from inbox.config.settings import Settings
from inbox.flow.unit_of_work import work
from inbox.models.records.audit import AuditEntry
from inbox.services.records import audit
from tests.api.audit.audit_steps import (
    Browsers,
    note,
    path,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import NOW, Cast, present, typeid

SECRET = "whsec_" + "A" * 43 + "="


def entries() -> list[AuditEntry]:
    return list(AuditEntry.select().order_by(AuditEntry.at, AuditEntry.id))


def test_each_act_of_an_administrator_writes_an_audit_entry(browser: Browsers, cast: Cast, workspace: str) -> None:
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


def test_audit_entries_name_changed_fields_without_secret_values(browser: Browsers, workspace: str) -> None:
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


def test_a_service_key_in_a_name_is_masked(cast: Cast) -> None:
    with work():
        audit.record(
            "source.created", target=audit.target("source", cast.source.id, f"x {cast.key}"), now=NOW,
            details={"deep": [{"er": f"https://olga:pass@host/ {SECRET}"}]},
        )  # fmt: skip

    [entry] = entries()
    assert entry.target["name"] == "x svc_[REDACTED]"
    assert entry.details == {"deep": [{"er": "https://[REDACTED]@host/ whsec_[REDACTED]"}]}


def test_refused_and_failed_requests_leave_no_audit_entry(browser: Browsers, cast: Cast) -> None:
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


def test_an_act_outside_a_request_is_recorded_with_the_system_as_actor(browser: Browsers, cast: Cast) -> None:
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
def test_a_failed_sign_in_leaves_an_audit_entry_without_the_submitted_text(
    anonymous: Browser, cast: Cast, email: str
) -> None:
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
    from inbox.services.instance import setup

    token = str(setup.setup_link(present())).partition("token=")[2]
    anonymous.post(
        "/v1/setup",
        {"token": token, "email": "olga@example.org", "password": "a long phrase of hers", "name": "Olga",
         "workspaceName": "Acme"},
    )  # fmt: skip

    assert {entry.action for entry in entries()} == {"account.created", "workspace.created", "session.started"}
    assert {entry.actor["name"] for entry in entries()} == {"Olga"}
    assert token not in orjson.dumps([entry.details for entry in entries()]).decode()
