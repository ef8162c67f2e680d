"""Users of a routing profile, deletions, audit entries and concurrent edits."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions
from inbox.live.feed import Change
from inbox.models.deliveries.destinations import Destination
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from inbox.services.routing import profiles
from tests.api.routing.profiles_steps import (
    ALL,
    Browsers,
    a_step,
    destination,  # noqa: F401
    path,  # noqa: F401
    pointers,
    profile,  # noqa: F401
    to,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, make_source, present, typeid
from tests.stand_ins.outgoing_posts import fresh, make_profile


def a_rule(cast: Cast, profile: RoutingProfile, name: str = "Databases", **more: Any) -> Rule:
    then = RuleActions(RuleAction.INCIDENT, routing_profile_id=profile.id).record()
    values = {"workspace_id": cast.workspace.id, "position": 1, "match": {"all": []}, "created_at": present()}
    return Rule.create(id=new_id(), name=name, actions=then, **{**values, **more})


def routed_by_default(cast: Cast, profile: RoutingProfile) -> None:
    Workspace.update(default_route={"routingProfileId": str(profile.id)}).where(
        Workspace.id == cast.workspace.id
    ).execute()


def test_rules_and_sources_that_use_a_profile_are_listed_and_counted(
    browser: Browsers, cast: Cast, profile: RoutingProfile, path: str
) -> None:
    rules = [a_rule(cast, profile, f"Rule {number:02}", position=number) for number in range(21)]
    a_rule(cast, profile, "Gone", deleted_at=present())
    source = make_source(cast.workspace, "Cron", routing_profile_id=profile.id)[0]
    make_source(cast.workspace, "Gone", routing_profile_id=profile.id, deleted_at=present())
    routed_by_default(cast, profile)

    found = browser("vic").get(path).json["usedBy"]
    assert found == {
        "defaultRoute": True,
        "rules": [{"id": typeid("rul", rule.id), "name": rule.name} for rule in rules[:20]],
        "rulesTotal": 21,
        "sources": [{"id": typeid("src", source.id), "name": "Cron"}],
        "sourcesTotal": 1,
    }


@pytest.mark.parametrize("user", ["rule", "source", "default route"])
def test_a_used_profile_is_not_deleted_and_the_refusal_names_its_users(
    browser: Browsers, cast: Cast, profile: RoutingProfile, path: str, user: str
) -> None:
    match user:
        case "rule":
            a_rule(cast, profile, "Databases")
        case "source":
            Source.update(routing_profile_id=profile.id).where(Source.id == cast.source.id).execute()
        case _:
            routed_by_default(cast, profile)

    refused = browser("adam").delete(path)
    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert {"rule": "Databases", "source": "Prometheus", "default route": "default route"}[user] in refused.json[
        "detail"
    ]
    assert refused.json["usedBy"] == browser("adam").get(path).json["usedBy"]
    assert fresh(profile).deleted_at is None


def test_a_profile_that_nothing_uses_is_deleted(browser: Browsers, profile: RoutingProfile, path: str) -> None:
    adam = browser("adam")

    assert adam.delete(path).status_code == 204
    assert adam.get(path).status_code == 404
    assert adam.delete(path).status_code == 404
    assert adam.get(ALL).json["items"] == []


def test_a_stale_revision_is_not_overwritten(browser: Browsers, path: str) -> None:
    adam = browser("adam")
    assert adam.patch(path, {"name": "First"}, headers={"If-Match": '"1"'}).json["rev"] == 2

    assert adam.patch(path, {"name": "Second"}, headers={"If-Match": '"1"'}).status_code == 412
    assert adam.delete(path, headers={"If-Match": '"1"'}).status_code == 412
    assert adam.get(path).json["name"] == "First"


def test_every_change_is_on_record_is_reported_and_is_routed_by(
    browser: Browsers, cast: Cast, workspace: str, to: str, destination: Destination
) -> None:
    adam = browser("adam")

    def rev() -> int:
        return Workspace.get_by_id(cast.workspace.id).config_rev

    revs = [rev()]
    made = adam.post(ALL, {"workspaceId": workspace, "name": "On call", "steps": [a_step(to)]})
    revs.append(rev())
    adam.patch(made.headers["Location"], {"fallbackDestinationId": to})
    revs.append(rev())
    adam.delete(made.headers["Location"])
    revs.append(rev())

    assert revs == sorted(set(revs))
    entries = AuditEntry.select().where(AuditEntry.action.startswith("routing_profile.")).order_by(AuditEntry.id)
    assert [entry.action.split(".")[1] for entry in entries] == ["created", "changed", "deleted"]
    assert entries[1].details == {"changes": [{"field": "fallbackDestinationId", "before": None, "after": to}]}
    assert {entry.target["id"] for entry in entries} == {made.json["id"]}
    reported = [ref for row in Change.select() for ref in row.refs if ref["type"] == "routingProfile"]
    assert {(each["id"], each["op"]) for each in reported} == {
        (made.json["id"], op) for op in ("created", "changed", "deleted")
    }


@pytest.mark.parametrize("of", ["own_one", "foreign", "deleted", "unknown"])
def test_sources_and_the_default_route_take_profiles_of_their_workspace(
    browser: Browsers, cast: Cast, workspace: str, profile: RoutingProfile, of: str
) -> None:
    required = {
        "own_one": lambda: profile.id,
        "foreign": lambda: make_profile(cast.foreign).id,
        "deleted": lambda: make_profile(cast.workspace, deleted_at=present()).id,
        "unknown": new_id,
    }[of]()  # fmt: skip
    adam, chosen = browser("adam"), {"routingProfileId": typeid("prf", required)}
    before = Workspace.get_by_id(cast.workspace.id).config_rev

    answers = [
        adam.patch(f"/v1/sources/{typeid('src', cast.source.id)}", chosen),
        adam.post("/v1/sources", {"workspaceId": workspace, "name": "Cron", **chosen}),
        adam.put(f"/v1/workspaces/{workspace}/default-route", {"destinationIds": [], **chosen}),
    ]
    if of == "own_one":
        assert [each.json["routingProfileId"] for each in answers] == [chosen["routingProfileId"]] * 3
        assert Workspace.get_by_id(cast.workspace.id).config_rev == before + 3
        assert adam.get(f"/v1/workspaces/{workspace}/default-route").json["routingProfileId"] == typeid("prf", required)
    else:
        assert [pointers(each) for each in answers] == [["/routingProfileId"]] * 3
    cleared = adam.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"routingProfileId": None})
    assert cleared.json["routingProfileId"] is None


def test_an_edit_of_a_profile_changes_the_current_row_and_not_a_stale_copy(profile: RoutingProfile) -> None:
    stale = RoutingProfile.get_by_id(profile.id)
    profiles.edit(profile, {"name": "First"}, expected_rev=None, now=present())
    edited = profiles.edit(stale, {"repeat": 2}, expected_rev=None, now=present())

    assert (edited.name, edited.repeat, edited.rev) == ("First", 2, 3)


def test_deleting_a_profile_and_assigning_it_at_once_refuses_one_of_them(
    cast: Cast, app: Flask, settings: Settings, destination: Destination
) -> None:
    cookie, source = cast.cookie("adam"), f"/v1/sources/{typeid('src', cast.source.id)}"

    def call(order: tuple[str, str, dict[str, str]]) -> int:
        method, path, body = order
        return Browser(app, settings.base_url, cookie=cookie).call(method, path, body).status_code

    for _ in range(10):
        profile = make_profile(cast.workspace, destination)
        name = typeid("prf", profile.id)
        orders = [("DELETE", f"{ALL}/{name}", {}), ("PATCH", source, {"routingProfileId": name})]
        with ThreadPoolExecutor(2) as pool:
            statuses = tuple(pool.map(call, orders))

        assert statuses in {(204, 422), (409, 200)}
        assert (fresh(profile).deleted_at is None) is (fresh(cast.source).routing_profile_id == profile.id)
