"""The rulebook: compiled once per revision, and dropped at once when anything it depends on changes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.database.base import db, new_id
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import RuleActions
from inbox.domain.values import ids
from inbox.flow.routing.routing_config import SILENCE_GRACE, RoutingConfig, RoutingConfigCache
from inbox.models.deliveries.destinations import Destination
from inbox.models.routing import routing_config
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.routing.rules import Rule
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from tests.browser import Browser
from tests.cast import NOW, Cast, make_workspace, typeid
from tests.flow.routing_fixtures import routed

Browsers = Callable[[str], Browser]
ANY: dict[str, Any] = {"all": []}


def put_rule(workspace: Workspace, position: int = 1, **more: Any) -> Rule:
    made = {
        "id": new_id(), "workspace_id": workspace.id, "name": f"Rule {position}", "position": position, "match": ANY,
        "actions": RuleActions(RuleAction.LOG).record(), "created_at": NOW, **more,
    }  # fmt: skip
    return Rule.create(**made)


def put_silence(workspace: Workspace, **more: Any) -> Silence:
    times = {"starts_at": NOW - timedelta(days=30), "ends_at": NOW + timedelta(hours=1), "created_at": NOW}
    return Silence.create(**{"id": new_id(), "workspace_id": workspace.id, "match": ANY, **times, **more})


def look_up(shelf: RoutingConfigCache, workspace_id: UUID) -> RoutingConfig:
    """As routing does: the revision first, then the book of that revision."""
    rev = Workspace.get_by_id(workspace_id).config_rev
    return shelf.configs({workspace_id: rev}, NOW)[workspace_id]


def test_a_routing_configuration_holds_enabled_rules_in_order_and_the_settings(cast: Cast) -> None:
    here = cast.workspace
    second, first = put_rule(here, 2), put_rule(here, 1, match={"field": "body", "op": "exists", "value": True})
    put_rule(here, 3, enabled=False)
    put_rule(here, 4, deleted_at=NOW)
    put_rule(cast.foreign, 1)
    profile = RoutingProfile.create(id=new_id(), workspace_id=here.id, name="On-call", steps=[], created_at=NOW)
    RoutingProfile.create(id=new_id(), workspace_id=here.id, name="Gone", steps=[], created_at=NOW, deleted_at=NOW)
    holds = put_silence(here, match={"field": "url", "op": "exists", "value": True})
    just = put_silence(here, ends_at=NOW - SILENCE_GRACE + timedelta(seconds=1))
    put_silence(here, ends_at=NOW - SILENCE_GRACE)
    put_silence(here, deleted_at=NOW)
    route = {"destinationIds": [str(holds.id)]}
    Workspace.update(settings={"renotifyMax": 3}, default_route=route, timezone="Europe/Berlin").where(
        Workspace.id == here.id
    ).execute()

    book = look_up(RoutingConfigCache(), here.id)

    assert [rule.id for rule in book.rules.rules] == [first.id, second.id]
    assert book.profiles.keys() == {profile.id}
    assert {model_silence.id for model_silence in book.silences} == {holds.id, just.id}
    assert (book.settings.renotify_max, book.route.destination_ids) == (3, (holds.id,))
    assert (book.timezone, book.quiet.until(NOW), book.needs) == ("Europe/Berlin", None, {"body", "url"})


def test_a_rulebook_is_cached_until_routing_changes(cast: Cast) -> None:
    shelf = RoutingConfigCache()
    book = look_up(shelf, cast.workspace.id)

    Workspace.update(name="Renamed without a change of routing").where(Workspace.id == cast.workspace.id).execute()

    assert look_up(shelf, cast.workspace.id) is book


def test_a_rule_changed_over_the_api_decides_the_next_event_in_every_process(browser: Browsers, cast: Cast) -> None:
    adam, processes = browser("adam"), [RoutingConfigCache(), RoutingConfigCache()]
    workspace = typeid("wsp", cast.workspace.id)

    def dispositions() -> list[list[RuleAction | None]]:
        books = [look_up(shelf, cast.workspace.id) for shelf in processes]
        return [[rule.actions.disposition for rule in book.rules.rules] for book in books]

    before = dispositions()
    new = {"workspaceId": workspace, "name": "All", "matchText": "any event", "then": {"disposition": "drop"}}
    made = adam.post("/v1/rules", new).json
    created = dispositions()
    adam.patch(f"/v1/rules/{made['id']}", {"then": {"disposition": "log"}})
    changed = dispositions()
    adam.patch(f"/v1/rules/{made['id']}", {"enabled": False})
    switched_off = dispositions()
    adam.delete(f"/v1/rules/{made['id']}")

    assert (before, created, changed) == ([[], []], [[RuleAction.DROP]] * 2, [[RuleAction.LOG]] * 2)
    assert (switched_off, dispositions()) == ([[], []], [[], []])


def test_a_configuration_change_between_two_events_decides_the_second(browser: Browsers, cast: Cast) -> None:
    adam, workspace = browser("adam"), typeid("wsp", cast.workspace.id)
    new = {"workspaceId": workspace, "name": "All", "matchText": "any event", "then": {"disposition": "drop"}}

    first = routed(cast.source)
    made = adam.post("/v1/rules", new).json
    second = routed(cast.source)
    adam.patch(f"/v1/rules/{made['id']}", {"matchText": 'title contains "network"'})
    third = routed(cast.source)

    assert [event.disposition for event in (first, second, third)] == ["opened", "dropped", "updated"]
    assert second.routing["ruleId"] == made["id"]


CHANGES: dict[str, tuple[str, str, dict[str, Any] | None]] = {
    "settings": ("PATCH", "/v1/workspaces/{workspace}", {"settings": {"renotifyMax": 1}}),
    "time zone": ("PATCH", "/v1/workspaces/{workspace}", {"timezone": "Europe/Berlin"}),
    "default route": ("PUT", "/v1/workspaces/{workspace}/default-route", {"destinationIds": ["{destination}"]}),
    "source": ("PATCH", "/v1/sources/{source}", {"resolveBy": "fingerprint"}),
    "source removed": ("DELETE", "/v1/sources/{source}", None),
    "destination removed": ("DELETE", "/v1/destinations/{destination}", None),
    "profile removed": ("DELETE", "/v1/routing-profiles/{profile}", None),
    "rule removed": ("DELETE", "/v1/rules/{rule}", None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_every_dependency_of_routing_makes_a_new_revision(change: str, browser: Browsers, cast: Cast) -> None:
    here = cast.workspace
    destination = Destination.create(id=new_id(), workspace=here, name="Pager", kind="webhook", created_at=NOW)
    profile = RoutingProfile.create(id=new_id(), workspace_id=here.id, name="On-call", steps=[], created_at=NOW)
    names = {
        "workspace": typeid("wsp", here.id), "destination": typeid("dst", destination.id),
        "source": typeid("src", cast.source.id), "profile": typeid("prf", profile.id),
        "rule": typeid("rul", put_rule(here).id),
    }  # fmt: skip
    before = rulebooks_of(here.id)
    method, path, body = CHANGES[change]
    sent = {"destinationIds": [names["destination"]]} if change == "default route" else body

    answer = browser("adam").call(method, path.format(**names), sent)

    assert answer.status_code in (200, 204), answer.json
    assert rulebooks_of(here.id) > before


def rulebooks_of(workspace_id: UUID) -> int:
    return int(Workspace.get_by_id(workspace_id).config_rev)


def test_a_rolled_back_change_makes_no_new_revision(cast: Cast) -> None:
    before = rulebooks_of(cast.workspace.id)

    with pytest.raises(ZeroDivisionError), db.atomic():
        routing_config.bump_revision(cast.workspace.id)
        assert rulebooks_of(cast.workspace.id) == before + 1
        _ = 1 / 0

    assert rulebooks_of(cast.workspace.id) == before


def test_an_unreadable_rule_or_silence_is_skipped_and_the_others_apply(cast: Cast) -> None:
    broken = put_rule(cast.workspace, 1, match={"no": "match"}, actions=RuleActions(RuleAction.DROP).record())
    put_rule(cast.workspace, 2)
    silent = put_silence(cast.workspace, match={"no": "match"})

    book = look_up(RoutingConfigCache(), cast.workspace.id)
    event = routed(cast.source)

    assert [rule.id for rule in book.rules.invalid] == [broken.id]
    assert [model_silence.id for model_silence in book.silences if model_silence.error] == [silent.id]
    assert event.disposition == "logged"
    assert ids.encode("rul", broken.id) in {each["ruleId"] for each in event.routing["rules"]}


def test_the_least_recently_used_rulebooks_are_evicted(cast: Cast) -> None:
    shelf = RoutingConfigCache(size=2)
    first, second, third = cast.workspace, cast.foreign, make_workspace("Third")
    retained = look_up(shelf, first.id)
    dropped = look_up(shelf, second.id)
    assert look_up(shelf, first.id) is retained

    look_up(shelf, third.id)

    assert look_up(shelf, first.id) is retained
    assert look_up(shelf, second.id) is not dropped


def test_threads_that_evict_each_others_configurations_all_get_theirs(cast: Cast) -> None:
    shelf, required = RoutingConfigCache(size=1), [cast.workspace.id, cast.foreign.id]

    def read(number: int) -> bool:
        with db.connection_context():
            both = {id: rulebooks_of(id) for id in required}
            return all(
                shelf.configs(both, NOW).keys() == set(required) and look_up(shelf, required[number % 2])
                for _ in range(10)
            )

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(4)))
