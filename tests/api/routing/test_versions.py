"""Versions of rules and routing profiles, and deleted ones that are restored (specification 6.11)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.flow.upkeep.purge import purge
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.versions import MAX_VERSIONS, ConfigurationVersion
from tests.browser import Browser
from tests.cast import Cast, make_source, present, typeid
from tests.stand_ins.outgoing_posts import make_destination

Browsers = Callable[[str], Browser]


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def pager(cast: Cast) -> str:
    return typeid("dst", make_destination(cast.workspace, "http://127.0.0.1:9/", name="Pager").id)


@pytest.fixture
def chat(cast: Cast) -> str:
    return typeid("dst", make_destination(cast.workspace, "http://127.0.0.1:9/", name="Chat").id)


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def made(browser: Browser, path: str, **body: Any) -> str:
    answer = browser.post(path, body)
    assert answer.status_code == 201, answer.json
    return str(answer.headers["Location"])


def new_rule(browser: Browser, workspace: str, name: str = "Disks", **more: Any) -> str:
    fields = {"matchText": "any event", "then": {"disposition": "incident"}, **more}
    return made(browser, "/v1/rules", workspaceId=workspace, name=name, **fields)


def new_profile(browser: Browser, workspace: str, *destinations: str, **more: Any) -> str:
    each = [{"afterMinutes": 0, "destinationIds": list(destinations)}]
    return made(browser, "/v1/routing-profiles", workspaceId=workspace, name="On call", steps=each, **more)


def names(browser: Browser, query: str = "") -> list[str]:
    return [each["name"] for each in browser.get(f"/v1/rules?sort=position{query}").json["items"]]


def test_each_revision_of_a_rule_is_stored_as_a_version_with_its_author(
    adam: Browser, browser: Browsers, workspace: str
) -> None:
    rule = new_rule(adam, workspace)
    browser("olga").patch(rule, {"name": "All disks", "matchText": "severity >= ERROR"})

    items = browser("vic").get(f"{rule}/versions").json["items"]

    assert [(each["rev"], each["actor"]["name"], each["rule"]["name"]) for each in items] == [
        (2, "Olga", "All disks"), (1, "Adam", "Disks"),
    ]  # fmt: skip
    assert items[0]["rule"]["matchText"] == "severity >= ERROR"
    assert items[1]["rule"]["text"] == "Every event: open an incident."
    current = browser("vic").get(rule).json
    assert {name: current[name] for name in items[0]["rule"]} == items[0]["rule"]


def test_a_rule_is_reverted_as_its_next_revision(adam: Browser, workspace: str, pager: str) -> None:
    rule = new_rule(adam, workspace, then={"disposition": "incident", "destinationIds": [pager]}, name="First")
    before = adam.get(rule).json
    adam.patch(rule, {"name": "Second", "enabled": False, "then": {"disposition": "log", "destinationIds": []}})

    stale = adam.post(f"{rule}/revert", {"rev": 1}, headers={"If-Match": '"1"'})
    reverted = adam.post(f"{rule}/revert", {"rev": 1}, headers={"If-Match": '"2"'})

    assert stale.status_code == 412
    assert (reverted.status_code, reverted.headers["ETag"]) == (200, '"3"')
    assert {**reverted.json, "rev": 1} == before
    entry = AuditEntry.select().order_by(AuditEntry.id.desc()).first()
    assert entry.action == "rule.changed"
    assert {"field": "name", "before": "Second", "after": "First"} in entry.details["changes"]


@pytest.mark.parametrize(("body", "status"), [({"rev": 9}, 404), ({"rev": 0}, 422), ({}, 422), ({"rev": "1"}, 422)])
def test_an_unknown_version_is_refused(adam: Browser, workspace: str, body: dict[str, Any], status: int) -> None:
    rule = new_rule(adam, workspace)

    assert adam.post(f"{rule}/revert", body).status_code == status
    assert adam.get(rule).json["rev"] == 1


def test_the_last_fifty_versions_stay(adam: Browser, workspace: str) -> None:
    rule = new_rule(adam, workspace)
    for number in range(MAX_VERSIONS + 1):
        adam.patch(rule, {"name": f"Rule {number}"})

    revs = [each["rev"] for each in adam.get(f"{rule}/versions").json["items"]]

    assert revs == list(range(MAX_VERSIONS + 2, 2, -1))


def test_a_deleted_rule_is_listed_and_restored_at_its_place(adam: Browser, browser: Browsers, workspace: str) -> None:
    rules = [new_rule(adam, workspace, name) for name in ("A", "B", "C")]
    adam.delete(rules[1])

    assert (names(adam), names(browser("vic"), "&deleted=true")) == (["A", "C"], ["B"])
    assert adam.get("/v1/rules?deleted=true").json["items"][0]["deletedAt"] is not None
    restored = adam.post(f"{rules[1]}/restore")

    assert (restored.status_code, restored.json["position"], restored.json["rev"]) == (200, 2, 3)
    assert restored.json["deletedAt"] is None
    assert (names(adam), names(adam, "&deleted=true")) == (["A", "B", "C"], [])
    assert [each["position"] for each in adam.get("/v1/rules").json["items"]] == [1, 2, 3]
    assert adam.post(f"{rules[1]}/restore").status_code == 409
    [entry] = AuditEntry.select().where(AuditEntry.action == "rule.restored")
    assert entry.details["name"] == "B"


def test_a_restored_rule_names_no_deleted_record(
    adam: Browser, cast: Cast, workspace: str, pager: str, chat: str
) -> None:
    profile = new_profile(adam, workspace, chat)
    source = typeid("src", make_source(cast.workspace, "Jobs")[0].id)
    then = {"disposition": "incident", "destinationIds": [pager, chat], "routingProfileId": profile.rpartition("/")[2]}
    rule = new_rule(adam, workspace, then=then, sourceIds=[source])
    for path in (rule, profile, f"/v1/destinations/{pager}", f"/v1/sources/{source}"):
        assert adam.delete(path).status_code == 204

    restored = adam.post(f"{rule}/restore").json

    assert (restored["then"]["destinationIds"], restored["then"]["routingProfileId"]) == ([chat], None)
    assert (restored["sourceIds"], restored["enabled"]) == ([], False)


def test_a_profile_is_reverted_and_restored(adam: Browser, workspace: str, pager: str, chat: str) -> None:
    profile = new_profile(adam, workspace, pager, chat, fallbackDestinationId=pager)
    before = adam.get(profile).json
    adam.patch(profile, {"name": "Night", "repeat": 2, "fallbackDestinationId": None})

    reverted = adam.post(f"{profile}/revert", {"rev": 1})
    adam.delete(profile)
    restored = adam.post(f"{profile}/restore")

    assert {**reverted.json, "rev": 1} == before
    assert (restored.status_code, {**restored.json, "rev": 1}) == (200, before)
    versions = adam.get(f"{profile}/versions").json["items"]
    assert [each["routingProfile"]["name"] for each in versions] == ["On call", "On call", "Night", "On call"]
    assert versions[0]["routingProfile"]["text"].startswith("At once: Pager and Chat.")


def test_a_step_whose_destinations_are_all_deleted_is_a_conflict(
    adam: Browser, workspace: str, pager: str, chat: str
) -> None:
    profile = new_profile(adam, workspace, pager)
    adam.patch(profile, {"steps": [{"afterMinutes": 0, "destinationIds": [chat]}]})
    assert adam.delete(f"/v1/destinations/{pager}").status_code == 204

    refused = adam.post(f"{profile}/revert", {"rev": 1})

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert "step 1" in refused.json["detail"]
    assert adam.get(profile).json["rev"] == 2


@pytest.mark.parametrize("who", ["mia", "vic", "eve"])
def test_administrators_of_the_workspace_alone_go_back(
    adam: Browser, browser: Browsers, workspace: str, pager: str, who: str
) -> None:
    status = 404 if who == "eve" else 403
    deleted_rule, deleted_profile = new_rule(adam, workspace), new_profile(adam, workspace, pager)
    adam.delete(deleted_rule)
    adam.delete(deleted_profile)
    for path in (new_rule(adam, workspace), new_profile(adam, workspace, pager)):
        assert browser(who).post(f"{path}/revert", {"rev": 1}).status_code == status
        assert browser(who).get(f"{path}/versions").status_code == (404 if who == "eve" else 200)
    for path in (deleted_rule, deleted_profile):
        assert browser(who).post(f"{path}/restore").status_code == status
    if who == "eve":
        assert browser(who).get("/v1/rules?deleted=true").json["items"] == []
        assert browser(who).get("/v1/routing-profiles?deleted=true").json["items"] == []


def test_the_purge_of_a_deleted_record_removes_its_versions(adam: Browser, workspace: str, pager: str) -> None:
    rule, profile = new_rule(adam, workspace), new_profile(adam, workspace, pager)
    adam.delete(rule)
    adam.delete(profile)
    removed = purge(present() + timedelta(days=8))

    assert removed["configuration_versions"] == 2
    assert not ConfigurationVersion.select().exists()
    assert adam.post(f"{rule}/restore").status_code == 404
