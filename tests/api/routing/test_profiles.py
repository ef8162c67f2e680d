"""Routing profiles over HTTP: permissions, the limits of each field, and users of a profile (specification 6.7)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.services.routing import profiles
from tests.api.routing.profiles_steps import (
    ALL,
    NOWHERE,
    Browsers,
    a_step,
    destination,  # noqa: F401
    path,  # noqa: F401
    pointers,
    profile,  # noqa: F401
    to,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.stand_ins.outgoing_posts import make_destination, make_profile


def test_an_administrator_makes_a_profile_and_a_viewer_reads_it(browser: Browsers, workspace: str, to: str) -> None:
    steps = [a_step(to, to, after=15, minSeverity="crit"), a_step(to)]
    made = browser("adam").post(ALL, {"workspaceId": workspace, "name": " On call ", "steps": steps})

    assert made.status_code == 201
    assert made.json == {
        "id": made.json["id"], "workspaceId": workspace, "name": "On call", "delaySeconds": 0,
        "steps": [
            {"afterMinutes": 0, "minSeverity": None, "destinationIds": [to], "people": []},
            {"afterMinutes": 15, "minSeverity": "CRITICAL", "destinationIds": [to], "people": []},
        ],
        "repeat": 0, "renotifyMinutes": None, "renotifyMax": None, "ackTimeoutMinutes": None,
        "autoResolveMinutes": None, "reopenWindowMinutes": None, "quietHours": "inherit",
        "fallbackDestinationId": None, "text": made.json["text"], "deletedAt": None, "createdAt": made.json["createdAt"], "rev": 1,
        "usedBy": {"defaultRoute": False, "rules": [], "rulesTotal": 0, "sources": [], "sourcesTotal": 0},
    }  # fmt: skip
    assert made.headers["ETag"] == '"1"'
    assert browser("vic").get(made.headers["Location"]).json == made.json
    assert browser("vic").get(f"{ALL}?workspaceId={workspace}").json["items"] == [made.json]


@pytest.mark.parametrize("who", ["vic", "mia"])
def test_only_administrators_change_routing_profiles(
    who: str, browser: Browsers, workspace: str, to: str, path: str
) -> None:
    made = {"workspaceId": workspace, "name": "On call", "steps": [a_step(to)]}
    answers = [browser(who).post(ALL, made), browser(who).patch(path, {"name": "x"}), browser(who).delete(path)]

    assert [(each.status_code, each.json["requiredRole"]) for each in answers] == [(403, "admin")] * 3


def test_routing_profiles_are_hidden_from_other_workspaces(browser: Browsers, path: str) -> None:
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
    adam, usual = browser("adam"), {"afterMinutes": 0, "minSeverity": None, "destinationIds": [to], "people": []}

    assert adam.patch(path, {"steps": [usual | good]}).json["steps"] == [usual | good]
    assert pointers(adam.patch(path, {"steps": [usual | bad]})) == [pointer]


@pytest.mark.parametrize("odd", [[], "x", 5, None])
def test_a_step_that_is_no_object_is_refused(browser: Browsers, path: str, odd: object) -> None:
    [pointer] = pointers(browser("adam").patch(path, {"steps": [odd]}))

    assert pointer.startswith("/steps/0")


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


def test_foreign_and_deleted_destinations_are_refused_with_their_pointers(
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
