"""Routing profiles over HTTP: who may keep them, each field's bounds, and what uses one (specification 6.7)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from inbox.domain.rule_action import RuleAction
from inbox.domain.rules import RuleActions
from inbox.models.sql.base import new_id
from inbox.models.tables.audit import AuditEntry
from inbox.models.tables.change_feed import Change
from inbox.models.tables.destinations import Destination
from inbox.models.tables.profiles import RoutingProfile
from inbox.models.tables.rules import Rule
from inbox.models.tables.sources import Source
from inbox.models.tables.workspaces import Workspace
from inbox.services import profiles
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, make_source, present, typeid
from tests.outgoing_posts import fresh, make_destination, make_profile

Browsers = Callable[[str], Browser]
NOWHERE = "http://127.0.0.1:9/"
ALL = "/v1/routing-profiles"


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def destination(cast: Cast) -> Destination:
    return make_destination(cast.workspace, NOWHERE, name="Pager")


@pytest.fixture
def to(destination: Destination) -> str:
    return typeid("dst", destination.id)


@pytest.fixture
def profile(cast: Cast, destination: Destination) -> RoutingProfile:
    return make_profile(cast.workspace, destination)


@pytest.fixture
def path(profile: RoutingProfile) -> str:
    return f"{ALL}/{typeid('prf', profile.id)}"


def a_step(*to: str, after: Any = 0, **more: Any) -> dict[str, Any]:
    return {"afterMinutes": after, "destinationIds": list(to), **more}


def a_rule(cast: Cast, profile: RoutingProfile, name: str = "Databases", **more: Any) -> Rule:
    then = RuleActions(RuleAction.INCIDENT, routing_profile_id=profile.id).record()
    values = {"workspace_id": cast.workspace.id, "position": 1, "match": {"all": []}, "created_at": present()}
    return Rule.create(id=new_id(), name=name, actions=then, **{**values, **more})


def routed_by_default(cast: Cast, profile: RoutingProfile) -> None:
    Workspace.update(default_route={"routingProfileId": str(profile.id)}).where(
        Workspace.id == cast.workspace.id
    ).execute()


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [each["pointer"] for each in answer.json["errors"]]


def test_an_administrator_makes_a_profile_and_a_viewer_reads_it(browser: Browsers, workspace: str, to: str) -> None:
    steps = [a_step(to, to, after=15, minSeverity="crit"), a_step(to)]
    made = browser("adam").post(ALL, {"workspaceId": workspace, "name": " On call ", "steps": steps})

    assert made.status_code == 201
    assert made.json == {
        "id": made.json["id"], "workspaceId": workspace, "name": "On call", "delaySeconds": 0,
        "steps": [
            {"afterMinutes": 0, "minSeverity": None, "destinationIds": [to]},
            {"afterMinutes": 15, "minSeverity": "CRITICAL", "destinationIds": [to]},
        ],
        "repeat": 0, "renotifyMinutes": None, "renotifyMax": None, "ackTimeoutMinutes": None,
        "autoResolveMinutes": None, "reopenWindowMinutes": None, "quietHours": "inherit",
        "fallbackDestinationId": None, "createdAt": made.json["createdAt"], "rev": 1,
        "usedBy": {"defaultRoute": False, "rules": [], "rulesTotal": 0, "sources": [], "sourcesTotal": 0},
    }  # fmt: skip
    assert made.headers["ETag"] == '"1"'
    assert browser("vic").get(made.headers["Location"]).json == made.json
    assert browser("vic").get(f"{ALL}?workspaceId={workspace}").json["items"] == [made.json]


@pytest.mark.parametrize("who", ["vic", "mia"])
def test_who_does_not_administer_keeps_no_profiles(
    who: str, browser: Browsers, workspace: str, to: str, path: str
) -> None:
    made = {"workspaceId": workspace, "name": "On call", "steps": [a_step(to)]}
    answers = [browser(who).post(ALL, made), browser(who).patch(path, {"name": "x"}), browser(who).delete(path)]

    assert [(each.status_code, each.json["requiredRole"]) for each in answers] == [(403, "admin")] * 3


def test_of_elsewhere_there_is_nothing(browser: Browsers, path: str) -> None:
    eve = browser("eve")
    orders = [eve.get(path), eve.patch(path, {"name": "x"}), eve.delete(path)]
    orders.append(eve.post(f"{path}/simulate", {"severity": "ERROR"}))

    assert {each.status_code for each in orders} == {404}
    assert eve.get(ALL).json["items"] == []


@pytest.mark.parametrize(
    ("field", "good", "bad", "pointer"),
    [
        ("name", "x" * 100, "x" * 101, "/name"),
        ("name", "x", " ", "/name"),
        ("delaySeconds", 0, -1, "/delaySeconds"),
        ("delaySeconds", 86_400, 86_401, "/delaySeconds"),
        ("delaySeconds", 1, 1.5, "/delaySeconds"),
        ("repeat", 0, -1, "/repeat"),
        ("repeat", 5, 6, "/repeat"),
        ("renotifyMinutes", {"CRITICAL": 0, "WARNING": 10_080}, {"ERROR": 10_081}, "/renotifyMinutes/ERROR"),
        ("renotifyMinutes", None, {"INFO": 5}, "/renotifyMinutes/INFO"),
        ("renotifyMinutes", {}, {"CRITICAL": -1}, "/renotifyMinutes/CRITICAL"),
        ("renotifyMax", 100, 101, "/renotifyMax"),
        ("renotifyMax", 0, -1, "/renotifyMax"),
        ("ackTimeoutMinutes", 43_200, 43_201, "/ackTimeoutMinutes"),
        ("ackTimeoutMinutes", 0, -1, "/ackTimeoutMinutes"),
        ("autoResolveMinutes", 43_200, 43_201, "/autoResolveMinutes"),
        ("autoResolveMinutes", None, True, "/autoResolveMinutes"),
        ("reopenWindowMinutes", 10_080, 10_081, "/reopenWindowMinutes"),
        ("quietHours", "ignore", "never", "/quietHours"),
        ("quietHours", "inherit", None, "/quietHours"),
    ],
)
def test_each_field_has_its_bounds(browser: Browsers, path: str, field: str, good: Any, bad: Any, pointer: str) -> None:
    adam = browser("adam")

    taken = adam.patch(path, {field: good})
    assert (taken.status_code, taken.json[field]) == (200, good)
    assert pointers(adam.patch(path, {field: bad})) == [pointer]


@pytest.mark.parametrize(
    ("good", "bad", "pointer"),
    [
        ({"afterMinutes": 0}, {"afterMinutes": -1}, "/steps/0/afterMinutes"),
        ({"afterMinutes": 10_080}, {"afterMinutes": 10_081}, "/steps/0/afterMinutes"),
        ({"afterMinutes": 1}, {"afterMinutes": "1"}, "/steps/0/afterMinutes"),
        ({"minSeverity": "CRITICAL"}, {"minSeverity": "loud"}, "/steps/0/minSeverity"),
        ({"minSeverity": None}, {"destinationIds": []}, "/steps/0/destinationIds"),
        ({}, {"destinationIds": ["dst_x"]}, "/steps/0/destinationIds/0"),
        ({}, {"somethingElse": 1}, "/steps/0/somethingElse"),
    ],
)
def test_each_field_of_a_step_has_its_bounds(
    browser: Browsers, path: str, to: str, good: dict[str, Any], bad: dict[str, Any], pointer: str
) -> None:
    adam, usual = browser("adam"), {"afterMinutes": 0, "minSeverity": None, "destinationIds": [to]}

    assert adam.patch(path, {"steps": [usual | good]}).json["steps"] == [usual | good]
    assert pointers(adam.patch(path, {"steps": [usual | bad]})) == [pointer]


@pytest.mark.parametrize(("count", "is_taken"), [(0, False), (1, True), (10, True), (11, False)])
def test_a_profile_has_one_to_ten_steps(browser: Browsers, path: str, to: str, count: int, is_taken: bool) -> None:
    answer = browser("adam").patch(path, {"steps": [a_step(to, after=minute) for minute in range(count)]})

    assert answer.status_code == 200 if is_taken else pointers(answer) == ["/steps"]


@pytest.mark.parametrize(("count", "is_taken"), [(50, True), (51, False)])
def test_a_step_has_at_most_fifty_destinations(
    browser: Browsers, cast: Cast, path: str, count: int, is_taken: bool
) -> None:
    to = [typeid("dst", make_destination(cast.workspace, NOWHERE).id) for _ in range(count)]
    answer = browser("adam").patch(path, {"steps": [a_step(*to)]})

    assert answer.status_code == 200 if is_taken else pointers(answer) == ["/steps/0/destinationIds"]


@pytest.mark.parametrize("missing", ["name", "steps", "workspaceId"])
def test_a_new_profile_needs_its_name_its_steps_and_its_workspace(
    browser: Browsers, workspace: str, to: str, missing: str
) -> None:
    whole = {"workspaceId": workspace, "name": "On call", "steps": [a_step(to)]}
    del whole[missing]

    assert pointers(browser("adam").post(ALL, whole)) == [f"/{missing}"]


def test_destinations_of_elsewhere_and_deleted_ones_are_refused_where_they_stand(
    browser: Browsers, cast: Cast, workspace: str, to: str, path: str
) -> None:
    foreign = typeid("dst", make_destination(cast.foreign, NOWHERE).id)
    gone = typeid("dst", make_destination(cast.workspace, NOWHERE, deleted_at=present()).id)
    steps = [a_step(to, foreign, after=9), a_step(gone)]
    bad = {"name": "On call", "steps": steps, "fallbackDestinationId": foreign}
    at = ["/steps/0/destinationIds/1", "/steps/1/destinationIds/0", "/fallbackDestinationId"]
    adam = browser("adam")

    assert pointers(adam.post(ALL, {"workspaceId": workspace, **bad})) == at
    assert pointers(adam.patch(path, bad)) == at
    drafted = adam.post(f"{ALL}/simulate", {"workspaceId": workspace, "profile": bad, "severity": "ERROR"})
    assert pointers(drafted) == [f"/profile{pointer}" for pointer in at]
    assert adam.patch(path, {"fallbackDestinationId": to}).json["fallbackDestinationId"] == to


@pytest.mark.parametrize(("standing", "status"), [(profiles.MAX_PROFILES - 1, 201), (profiles.MAX_PROFILES, 409)])
def test_a_workspace_has_so_many_profiles_and_no_more(
    browser: Browsers, cast: Cast, workspace: str, to: str, standing: int, status: int
) -> None:
    for _ in range(standing):
        make_profile(cast.workspace)
    make_profile(cast.workspace, deleted_at=present())
    make_profile(cast.foreign)

    made = browser("adam").post(ALL, {"workspaceId": workspace, "name": "One more", "steps": [a_step(to)]})
    assert made.status_code == status


def test_what_uses_a_profile_is_named_and_counted(
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
def test_a_profile_that_is_used_is_not_deleted_and_by_what_is_said(
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


def test_every_change_is_on_record_is_told_and_is_routed_by(
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
    told = [ref for row in Change.select() for ref in row.refs if ref["type"] == "routingProfile"]
    assert {(each["id"], each["op"]) for each in told} == {
        (made.json["id"], op) for op in ("created", "changed", "deleted")
    }


@pytest.mark.parametrize("of", ["mine", "foreign", "deleted", "unknown"])
def test_sources_and_the_default_route_take_profiles_of_their_workspace(
    browser: Browsers, cast: Cast, workspace: str, profile: RoutingProfile, of: str
) -> None:
    wanted = {
        "mine": lambda: profile.id,
        "foreign": lambda: make_profile(cast.foreign).id,
        "deleted": lambda: make_profile(cast.workspace, deleted_at=present()).id,
        "unknown": new_id,
    }[of]()  # fmt: skip
    adam, chosen = browser("adam"), {"routingProfileId": typeid("prf", wanted)}
    before = Workspace.get_by_id(cast.workspace.id).config_rev

    answers = [
        adam.patch(f"/v1/sources/{typeid('src', cast.source.id)}", chosen),
        adam.post("/v1/sources", {"workspaceId": workspace, "name": "Cron", **chosen}),
        adam.put(f"/v1/workspaces/{workspace}/default-route", {"destinationIds": [], **chosen}),
    ]
    if of == "mine":
        assert [each.json["routingProfileId"] for each in answers] == [chosen["routingProfileId"]] * 3
        assert Workspace.get_by_id(cast.workspace.id).config_rev == before + 3
        assert adam.get(f"/v1/workspaces/{workspace}/default-route").json["routingProfileId"] == typeid("prf", wanted)
    else:
        assert [pointers(each) for each in answers] == [["/routingProfileId"]] * 3
    cleared = adam.patch(f"/v1/sources/{typeid('src', cast.source.id)}", {"routingProfileId": None})
    assert cleared.json["routingProfileId"] is None


def test_an_edit_changes_what_is_there_and_not_what_was_read_before(profile: RoutingProfile) -> None:
    stale = RoutingProfile.get_by_id(profile.id)
    profiles.edit(profile, {"name": "First"}, expected_rev=None, now=present())
    edited = profiles.edit(stale, {"repeat": 2}, expected_rev=None, now=present())

    assert (edited.name, edited.repeat, edited.rev) == ("First", 2, 3)


def test_of_who_deletes_a_profile_and_who_names_it_at_the_same_time_one_is_refused(
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
