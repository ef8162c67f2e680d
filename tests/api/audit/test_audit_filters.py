"""The further filters of a workspace's audit log, its export as JSON lines, and the list of actions (specification 12.7)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
import pytest

from inbox.api.workspaces import audit as audit_api
from inbox.database.base import new_id
from inbox.domain.workspaces.audit_actions import ACTIONS, OF_WORKSPACES, SUBJECTS, subject
from inbox.flow.unit_of_work import work
from inbox.models.records.audit import AuditEntry
from inbox.services.records import audit
from tests.api.audit.audit_steps import (
    Browsers,
    path,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import NOW, Cast, typeid


def note(cast: Cast, action: str, target: audit.Target, **more: Any) -> None:
    with work():
        audit.record(action, target=target, now=NOW, workspace_id=more.pop("workspace_id", cast.workspace.id), **more)


def actions(browser: Browser, path: str, query: str) -> list[str]:
    return sorted(item["action"] for item in browser.get(f"{path}?{query}").json["items"])


@pytest.fixture
def entries(cast: Cast) -> None:
    """Three entries of this workspace, and one of another."""
    note(cast, "source.changed", audit.target("source", cast.source.id, "Prometheus"))
    note(cast, "key.created", audit.target("key", new_id(), "nightly 100% backup"), details={"hint": "x7Qd"})
    note(
        cast, "member.left", audit.target("member", cast.users["mia"].id, "Mia"), actor=audit.person(cast.users["mia"])
    )
    foreign = audit.target("source", cast.foreign_source.id, "Prometheus")
    note(cast, "source.deleted", foreign, workspace_id=cast.foreign.id)


@pytest.mark.usefixtures("entries")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ip=203.0.113.7", []),
        ("targetType=source", ["source.changed"]),
        ("targetType=key&q=backup", ["key.created"]),
        ("targetType=rule", []),
        ("q=PROMETHEUS", ["source.changed"]),
        ("q=mia", ["member.left"]),
        ("q=x7q", ["key.created"]),
        ("q=100%25", ["key.created"]),
        ("q=_", []),
        ("q=nobody", []),
    ],
)
def test_the_audit_log_is_filtered_by_target_type_and_by_text(
    browser: Browsers, path: str, query: str, found: list[str]
) -> None:
    assert actions(browser("adam"), path, query) == found


@pytest.mark.usefixtures("entries")
def test_the_target_filter_of_the_audit_log_finds_nothing_of_another_workspace(
    browser: Browsers, cast: Cast, path: str
) -> None:
    adam = browser("adam")

    assert actions(adam, path, f"targetId={typeid('src', cast.source.id)}") == ["source.changed"]
    assert actions(adam, path, f"targetId={typeid('src', cast.foreign_source.id)}") == []
    assert actions(adam, path, f"targetId={typeid('src', new_id())}") == []


def test_the_entries_of_one_request_are_found_by_its_id(browser: Browsers, cast: Cast, path: str) -> None:
    adam, source = browser("adam"), f"/v1/sources/{typeid('src', cast.source.id)}"
    first = adam.patch(source, {"name": "First"}).headers["X-Request-Id"]
    adam.patch(source, {"name": "Second"})

    [item] = adam.get(f"{path}?requestId={first}").json["items"]

    assert (item["requestId"], item["action"]) == (first, "source.changed")
    assert item["details"]["changes"][0]["after"] == "First"


@pytest.mark.parametrize(
    ("query", "pointer"),
    [
        ("targetType=banana", "/query/targetType"),
        ("targetId=Prometheus", "/query/targetId"),
        ("requestId=%25", "/query/requestId"),
        ("q=", "/query/q"),
        ("ip=prometheus", "/query/ip"),
    ],
)
def test_a_filter_that_cannot_match_is_refused(browser: Browsers, path: str, query: str, pointer: str) -> None:
    for address in (path, f"{path}/export"):
        refused = browser("adam").get(f"{address}?{query}")
        assert refused.status_code == 422
        assert [error["pointer"] for error in refused.json["errors"]] == [pointer]


@pytest.mark.usefixtures("entries")
def test_the_export_has_the_entries_of_the_list_line_by_line(browser: Browsers, path: str) -> None:
    adam = browser("adam")

    answer = adam.get(f"{path}/export")
    listed = adam.get(path).json["items"]

    assert answer.content_type == "application/x-ndjson"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="audit-log-')
    assert answer.headers["Cache-Control"] == "no-store"
    assert [orjson.loads(line) for line in answer.text.splitlines()] == listed
    assert len(listed) == 4
    one = adam.get(f"{path}/export?targetType=key").text.splitlines()
    assert [orjson.loads(line)["action"] for line in one] == ["key.created"]


def test_an_export_continues_to_the_oldest_entry(browser: Browsers, cast: Cast, path: str) -> None:
    count = audit_api.EXPORT_PAGE * 2 + 7
    AuditEntry.insert_many(
        {
            "id": new_id(NOW + timedelta(seconds=place)), "workspace_id": cast.workspace.id, "actor": {"type": "system"},
            "target": {}, "action": "rule.changed" if place == 0 else "source.changed", "at": NOW + timedelta(seconds=place),
        }
        for place in range(count)
    ).execute()  # fmt: skip

    lines = browser("adam").get(f"{path}/export").text.splitlines()
    rare = browser("adam").get(f"{path}/export?action=rule").text.splitlines()

    assert len({orjson.loads(line)["id"] for line in lines}) == len(lines) == count + 1
    assert len(rare) == 1


def test_an_export_without_entries_under_its_filters_is_empty(browser: Browsers, path: str) -> None:
    answer = browser("adam").get(f"{path}/export?targetType=rule")

    assert (answer.status_code, answer.text) == (200, "")


def test_an_export_is_an_entry_with_its_filters(browser: Browsers, cast: Cast, path: str) -> None:
    source = typeid("src", cast.source.id)
    adam = browser("adam")
    adam.get(f"{path}/export?action=source&targetId={source}&since=2026-03-01T00:00:00Z").get_data()

    [entry] = adam.get(f"{path}?action=audit_log.exported").json["items"]

    assert (entry["actor"]["name"], entry["target"]["type"], entry["target"]["name"]) == ("Adam", "workspace", "Acme")
    since = "2026-03-01T00:00:00.000Z"
    assert entry["details"] == {"filters": {"action": "source", "targetId": source, "since": since}}


@pytest.mark.parametrize("way", ["head", "cross-site", "a member", "another workspace"])
def test_a_request_that_exports_nothing_leaves_no_entry(browser: Browsers, cast: Cast, path: str, way: str) -> None:
    if way == "head":
        answer = browser("adam").call("HEAD", f"{path}/export", None)
        assert (answer.status_code, answer.text) == (200, "")
    elif way == "cross-site":
        headers = {"Sec-Fetch-Site": "cross-site"}
        assert browser("adam").get(f"{path}/export", headers=headers).status_code == 403
    else:
        name, status = ("mia", 403) if way == "a member" else ("eve", 404)
        assert browser(name).get(f"{path}/export").status_code == status

    assert not AuditEntry.select().where(AuditEntry.action == "audit_log.exported").exists()


@pytest.mark.usefixtures("entries")
def test_the_audit_log_is_filtered_by_the_address_of_the_request(browser: Browsers, path: str) -> None:
    adam = browser("adam")
    adam.get(f"{path}/export").get_data()

    assert actions(adam, path, "ip=127.0.0.1") == ["audit_log.exported"]
    assert actions(adam, path, "ip=::1") == []


@pytest.mark.parametrize(("name", "status"), [("vic", 403), ("mia", 403), ("olga", 200), ("eve", 404)])
def test_only_administrators_export_the_audit_log(browser: Browsers, path: str, name: str, status: int) -> None:
    assert browser(name).get(f"{path}/export").status_code == status


def test_every_action_is_listed_once_under_its_subject(browser: Browsers) -> None:
    items = browser("eve").get("/v1/audit-actions").json["items"]

    listed = [each["action"] for item in items for each in item["actions"]]
    assert sorted(listed) == sorted(ACTIONS)
    assert {item["subject"] for item in items} == {subject(action) for action in ACTIONS} == set(SUBJECTS)
    assert {item["subject"] for item in items if item["inWorkspaces"]} == OF_WORKSPACES
    labels = {each["action"]: each["label"] for item in items for each in item["actions"]}
    assert labels["routing_profile.created"] == "Routing profile: created"
