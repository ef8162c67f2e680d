"""References to a destination or a source, and their state after its deletion (specification 9.3)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions
from inbox.domain.values import ids
from inbox.models.deliveries.destinations import Destination
from inbox.models.records.audit import AuditEntry
from inbox.models.routing import references as reference_queries
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.senders.sources import Source
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import Cast, make_source, present, typeid

Browsers = Callable[[str], Browser]


@pytest.fixture
def adam(browser: Browsers) -> Browser:
    return browser("adam")


def destination(workspace: Workspace, name: str = "Pager") -> Destination:
    return Destination.create(id=new_id(), workspace=workspace, name=name, kind="webhook", created_at=present())


def rule(workspace: Workspace, name: str, *to: Destination, then: RuleActions | None = None, **more: Any) -> Rule:
    outcome = then or RuleActions(RuleAction.INCIDENT, destination_ids=tuple(each.id for each in to))
    place = Rule.select().where(Rule.workspace_id == workspace.id).count() + 1
    return Rule.create(
        id=new_id(), workspace_id=workspace.id, name=name, position=place, match={"all": []},
        actions=outcome.record(), created_at=present(), **more,
    )  # fmt: skip


def profile(workspace: Workspace, name: str, *steps: list[Destination], **more: Any) -> RoutingProfile:
    stored = [
        {"afterMinutes": 5 * n, "minSeverity": None, "destinationIds": [typeid("dst", each.id) for each in step]}
        for n, step in enumerate(steps)
    ]
    return RoutingProfile.create(
        id=new_id(), workspace_id=workspace.id, name=name, steps=stored, created_at=present(), **more
    )


def path(row: Destination | Source) -> str:
    kind, prefix = ("destinations", "dst") if isinstance(row, Destination) else ("sources", "src")
    return f"/v1/{kind}/{typeid(prefix, row.id)}"


def destinations_of(rule_id: UUID) -> tuple[UUID, ...]:
    return RuleActions.of(Rule.get_by_id(rule_id).actions).destination_ids


def test_a_destination_names_the_records_that_use_it(cast: Cast, adam: Browser) -> None:
    pager, chat = destination(cast.workspace), destination(cast.workspace, "Chat")
    one, off = rule(cast.workspace, "One", pager, chat), rule(cast.workspace, "Off", pager, enabled=False)
    rule(cast.workspace, "Gone", pager, deleted_at=present())
    rule(cast.foreign, "Theirs", pager)
    steps = profile(cast.workspace, "Steps", [chat], [pager], [pager])
    last = profile(cast.workspace, "Last resort", [chat], fallback_destination_id=pager.id)
    profile(cast.workspace, "Gone", [pager], deleted_at=present())
    Workspace.update(default_route={"destinationIds": [str(chat.id)]}).execute()

    used_by = adam.get(path(pager)).json["usedBy"]
    listed = {item["name"]: item["usedBy"] for item in adam.get("/v1/destinations").json["items"]}

    assert used_by == {
        "defaultRoute": False,
        "rules": [{"id": typeid("rul", one.id), "name": "One"}, {"id": typeid("rul", off.id), "name": "Off"}],
        "rulesTotal": 2,
        "routingProfiles": [
            {"id": typeid("prf", steps.id), "name": "Steps"},
            {"id": typeid("prf", last.id), "name": "Last resort"},
        ],
        "routingProfilesTotal": 2,
    }
    assert listed["Pager"] == used_by
    assert (listed["Chat"]["defaultRoute"], listed["Chat"]["rulesTotal"]) == (True, 1)
    assert listed["Chat"]["routingProfilesTotal"] == 2


@pytest.mark.parametrize("number", [19, 20, 21])
def test_at_most_twenty_of_a_kind_are_named_and_all_are_counted(number: int, cast: Cast) -> None:
    pager = destination(cast.workspace)
    names = [f"{n:02}" for n in range(number)]
    for name in names:
        rule(cast.workspace, name, pager)
        profile(cast.workspace, name, [pager])

    used = reference_queries.of_destinations([pager.id])[pager.id]

    assert [each.name for each in used.rules] == [each.name for each in used.routing_profiles] == names[:20]
    assert (used.rules_total, used.routing_profiles_total) == (number, number)


def test_a_profile_names_the_records_that_use_it(cast: Cast) -> None:
    on_call, idle = profile(cast.workspace, "On-call"), profile(cast.workspace, "Idle")
    named = rule(cast.workspace, "Named", then=RuleActions(RuleAction.INCIDENT, routing_profile_id=on_call.id))
    Source.update(routing_profile_id=on_call.id).where(Source.id == cast.source.id).execute()
    Workspace.update(default_route={"routingProfileId": str(on_call.id)}).execute()

    used = reference_queries.of_profiles([on_call.id, idle.id])

    assert used[on_call.id] == reference_queries.ProfileUsage(
        True, [(named.id, "Named")], 1, [(cast.source.id, "Prometheus")], 1
    )
    assert used[idle.id] == reference_queries.ProfileUsage(False, [], 0, [], 0)
    assert (bool(used[on_call.id]), bool(used[idle.id])) == (True, False)


def test_a_deleted_destination_is_taken_off_rules_and_profiles(cast: Cast, adam: Browser) -> None:
    pager, chat = destination(cast.workspace), destination(cast.workspace, "Chat")
    both, alone = rule(cast.workspace, "Both", pager, chat), rule(cast.workspace, "Alone", pager)
    other = rule(cast.workspace, "Other", chat)
    steps = profile(cast.workspace, "Steps", [chat], [pager, chat], fallback_destination_id=pager.id)
    before = Workspace.get_by_id(cast.workspace.id).config_rev

    assert adam.delete(path(pager)).status_code == 204

    assert (destinations_of(both.id), destinations_of(alone.id), destinations_of(other.id)) == (
        (chat.id,),
        (),
        (chat.id,),
    )
    left = RoutingProfile.get_by_id(steps.id)
    assert [step["destinationIds"] for step in left.steps] == [[typeid("dst", chat.id)]] * 2
    assert (left.fallback_destination_id, left.rev) == (None, 2)
    assert [Rule.get_by_id(each.id).rev for each in (both, alone, other)] == [2, 2, 1]
    entries = AuditEntry.select().where(AuditEntry.action != "destination.deleted").order_by(AuditEntry.id)
    reported = sorted((entry.action, entry.target["name"]) for entry in entries)
    assert reported == [("routing_profile.changed", "Steps"), ("rule.changed", "Alone"), ("rule.changed", "Both")]
    assert Workspace.get_by_id(cast.workspace.id).config_rev > before


def test_a_deleted_destination_is_off_the_default_route_and_no_fallback_and_the_audit_log_says_so(
    cast: Cast, adam: Browser
) -> None:
    pager, chat = destination(cast.workspace), destination(cast.workspace, "Chat")
    route = {"destinationIds": [str(chat.id), str(pager.id)]}
    Workspace.update(default_route=route, settings={"fallbackDestinationId": str(pager.id), "renotifyMax": 2}).execute()

    assert adam.delete(path(pager)).status_code == 204

    left = Workspace.get_by_id(cast.workspace.id)
    assert (left.default_route, left.settings) == ({"destinationIds": [str(chat.id)]}, {"renotifyMax": 2})
    changed = AuditEntry.get(AuditEntry.action == "workspace.changed")
    one, other = typeid("dst", chat.id), typeid("dst", pager.id)
    assert changed.details["changes"] == [
        {"field": "settings.fallbackDestinationId", "before": other, "after": None},
        {"field": "defaultRoute.destinationIds", "before": [one, other], "after": [one]},
    ]
    assert Workspace.get_by_id(cast.foreign.id).default_route == route


def test_a_destination_that_is_all_a_step_has_is_not_deleted(cast: Cast, adam: Browser) -> None:
    pager, chat = destination(cast.workspace), destination(cast.workspace, "Chat")
    named = rule(cast.workspace, "Named", pager)
    steps = profile(cast.workspace, "Steps", [chat], [pager])
    profile(cast.workspace, "Others", [chat, pager])

    refused = adam.delete(path(pager))

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    assert refused.json["routingProfiles"] == [{"id": typeid("prf", steps.id), "name": "Steps"}]
    assert "“Steps”" in refused.json["detail"]
    assert destinations_of(named.id) == (pager.id,)
    assert adam.get(path(pager)).status_code == 200


def test_a_deleted_source_is_taken_off_rules_and_a_rule_for_it_alone_is_switched_off(cast: Cast, adam: Browser) -> None:
    other, _ = make_source(cast.workspace, "Other")
    both = rule(cast.workspace, "Both", source_ids=[cast.source.id, other.id])
    alone = rule(cast.workspace, "Alone", source_ids=[cast.source.id])
    every = rule(cast.workspace, "Every")
    before = Workspace.get_by_id(cast.workspace.id).config_rev

    assert adam.delete(path(cast.source)).status_code == 204

    shown = {item["name"]: item for item in adam.get("/v1/rules").json["items"]}
    assert (shown["Both"]["sourceIds"], shown["Both"]["enabled"]) == ([typeid("src", other.id)], True)
    assert (shown["Alone"]["sourceIds"], shown["Alone"]["enabled"]) == ([], False)
    assert [shown[name]["rev"] for name in ("Both", "Alone", "Every")] == [2, 2, every.rev]
    changed = AuditEntry.get(AuditEntry.action == "rule.changed", AuditEntry.target["id"] == typeid("rul", alone.id))
    assert [each["field"] for each in changed.details["changes"]] == ["enabled", "sourceIds"]
    assert Workspace.get_by_id(cast.workspace.id).config_rev > before
    assert ids.decode("rul", shown["Both"]["id"]) == both.id


def test_no_rule_names_a_destination_that_is_deleted_at_the_same_moment(
    app: Flask, cast: Cast, settings: Settings
) -> None:
    pagers, workspace = [destination(cast.workspace, str(n)) for n in range(8)], typeid("wsp", cast.workspace.id)
    cookie = cast.cookie("adam")

    def act(number: int) -> int:
        browser, pager = Browser(app, settings.base_url, cookie=cookie), pagers[number // 2]
        if number % 2:
            return int(browser.delete(path(pager)).status_code)
        then = {"disposition": "incident", "destinationIds": [typeid("dst", pager.id)]}
        new = {"workspaceId": workspace, "name": pager.name, "matchText": "any event", "then": then}
        return int(browser.post("/v1/rules", new).status_code)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(act, range(16)))

    assert set(answers[1::2]) == {204} and set(answers[::2]) <= {201, 422}
    assert [destinations_of(each.id) for each in Rule.select()] == [()] * answers.count(201)
