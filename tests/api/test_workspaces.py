"""Workspaces: made, listed, changed; settings member by member; the default route as a whole (specification 12.1)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from flask import Flask

from inbox.domain.windows import DAYS
from inbox.models.sql.base import new_id
from inbox.models.tables.accounts import User
from inbox.models.tables.change_feed import Change
from inbox.models.tables.destinations import Destination
from inbox.models.tables.workspaces import Member, Workspace, WorkspaceCounter
from inbox.settings import Settings
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.proving import App

Browsers = Callable[[str], Browser]


@pytest.fixture
def path(cast: Cast) -> str:
    return f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}"


def destination(workspace: Workspace, **more: Any) -> str:
    row = Destination.create(
        id=new_id(), workspace=workspace, name="Hook", kind="webhook", config={}, created_at=present(), **more
    )
    return typeid("dst", row.id)


def test_who_makes_a_workspace_owns_it(browser: Browsers, cast: Cast) -> None:
    vic = browser("vic")
    answer = vic.post("/v1/workspaces", {"name": "  Night Shift ", "timezone": "Europe/Berlin"})

    assert answer.status_code == 201
    made = answer.json
    assert (made["name"], made["slug"], made["timezone"], made["role"], made["rev"]) == (
        "Night Shift",
        "night-shift",
        "Europe/Berlin",
        "owner",
        1,
    )
    assert answer.headers["Location"] == f"/v1/workspaces/{made['id']}" and answer.headers["ETag"] == '"1"'
    assert vic.get(answer.headers["Location"]).json == made
    assert browser("olga").get(answer.headers["Location"]).status_code == 404
    assert WorkspaceCounter.select().where(WorkspaceCounter.incidents == 0).count() == 3


def test_names_may_repeat_and_addresses_do_not(browser: Browsers) -> None:
    olga = browser("olga")
    slugs = [olga.post("/v1/workspaces", {"name": name}).json["slug"] for name in ["Acme"] * 5 + ["日本", "!!"]]

    assert slugs[:3] == ["acme-2", "acme-3", "acme-4"] and slugs[3].startswith("acme-")
    assert slugs[5:] == ["workspace", "workspace-2"]
    assert len(set(slugs)) == 7


def test_the_same_name_at_once_is_no_conflict(cast: Cast, app: Flask, settings: Settings) -> None:
    def make(cookie: str) -> str:
        return str(Browser(app, settings.base_url, cookie=cookie).post("/v1/workspaces", {"name": "Twin"}).json["slug"])

    with ThreadPoolExecutor(4) as pool:
        slugs = list(pool.map(make, [cast.cookie("olga") for _ in range(4)]))

    assert len(set(slugs)) == 4


@pytest.mark.parametrize(
    ("chosen", "name", "status"),
    [
        ("everybody", "vic", 201),
        ("administrators", "vic", 403),
        ("administrators", "olga", 403),
        ("administrators", "root", 201),
    ],
)
def test_workspaces_are_created_by_whom_the_settings_name(
    browser: Browsers, cast: Cast, in_settings: Callable[..., Settings], chosen: str, name: str, status: int
) -> None:
    in_settings(workspace_creation=chosen)
    if name == "root":
        User.update(is_instance_admin=True).where(User.id == cast.users["vic"].id).execute()
    who = browser("vic" if name == "root" else name)

    answer = who.post("/v1/workspaces", {"name": "New", "timezone": "UTC"})

    assert answer.status_code == status
    assert Workspace.select().where(Workspace.name == "New").exists() is (status == 201)
    assert who.get("/v1/info").json["workspaceCreation"] == chosen


def test_a_list_holds_the_callers_workspaces_with_the_role_in_each(browser: Browsers, cast: Cast) -> None:
    Member.create(id=new_id(), workspace=cast.foreign, user=cast.users["mia"], role="viewer", joined_at=present())
    found = browser("mia").get("/v1/workspaces?sort=name&order=asc").json["items"]

    assert [(each["name"], each["role"]) for each in found] == [("Acme", "member"), ("Elsewhere", "viewer")]
    assert [each["name"] for each in browser("eve").get("/v1/workspaces").json["items"]] == ["Elsewhere"]


def test_settings_are_shown_whole_and_changed_in_part(browser: Browsers, cast: Cast, path: str) -> None:
    adam = browser("adam")
    shipped = adam.get(path).json["settings"]
    changed = adam.patch(path, {"settings": {"retention": {"eventDays": 7}, "reopenWindowMinutes": 60}}).json[
        "settings"
    ]

    assert shipped["retention"] == {"eventDays": 90, "incidentDays": 365, "deliveryDays": 30, "auditDays": 730}
    assert changed == shipped | {"retention": shipped["retention"] | {"eventDays": 7}}
    assert Workspace.get_by_id(cast.workspace.id).settings == {"retention": {"eventDays": 7}}

    back = adam.patch(path, {"settings": {"retention": {"eventDays": 90}}}).json["settings"]
    assert back == shipped and Workspace.get_by_id(cast.workspace.id).settings == {}


def test_every_setting_can_be_set_and_is_answered_as_it_was_sent(browser: Browsers, cast: Cast, path: str) -> None:
    required = {
        "quietHours": {
            "enabled": True,
            "timezone": "Asia/Tokyo",
            "windows": [{"days": ["mon", "sun"], "start": "22:00", "end": "07:30"}],
            "holidays": ["2026-12-25"],
        },
        "reopenWindowMinutes": 0,
        "reoccurQuietMinutes": 1,
        "autoResolveMinutes": 43200,
        "ackTimeoutMinutes": 5,
        "renotifyMinutes": {"CRITICAL": 5, "ERROR": 0, "WARNING": 10},
        "renotifyMax": 0,
        "fallbackDestinationId": destination(cast.workspace),
        "retention": {"eventDays": 1, "incidentDays": 3650, "deliveryDays": 2, "auditDays": 3},
        "requireMfa": True,
    }
    App.of(cast.users["adam"])
    adam = browser("adam")

    assert adam.patch(path, {"settings": required}).json["settings"] == required
    assert adam.get(path).json["settings"] == required


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": ""}, "/name"),
        ({"name": None}, "/name"),
        ({"name": "a" * 101}, "/name"),
        ({"timezone": "Mars/Olympus"}, "/timezone"),
        ({"timezone": "../../etc/passwd"}, "/timezone"),
        ({"timezone": "/etc/localtime"}, "/timezone"),
        ({"timezone": ""}, "/timezone"),
        ({"slug": "mine"}, "/slug"),
        ({"rev": 9}, "/rev"),
        ({"settings": []}, "/settings"),
        ({"settings": {"colour": "red"}}, "/settings/colour"),
        ({"settings": {"reopenWindowMinutes": -1}}, "/settings/reopenWindowMinutes"),
        ({"settings": {"reopenWindowMinutes": 10081}}, "/settings/reopenWindowMinutes"),
        ({"settings": {"reopenWindowMinutes": "60"}}, "/settings/reopenWindowMinutes"),
        ({"settings": {"reopenWindowMinutes": 1.5}}, "/settings/reopenWindowMinutes"),
        ({"settings": {"reopenWindowMinutes": True}}, "/settings/reopenWindowMinutes"),
        ({"settings": {"requireMfa": "yes"}}, "/settings/requireMfa"),
        ({"settings": {"renotifyMinutes": {"INFO": 5}}}, "/settings/renotifyMinutes/INFO"),
        ({"settings": {"retention": {"eventDays": 0}}}, "/settings/retention/eventDays"),
        ({"settings": {"retention": {"eventDays": 2**62}}}, "/settings/retention/eventDays"),
        ({"settings": {"fallbackDestinationId": "src_01j0000000e008000000000001"}}, "/settings/fallbackDestinationId"),
        ({"settings": {"fallbackDestinationId": "dst_01j0000000e008000000000001"}}, "/settings/fallbackDestinationId"),
        ({"settings": {"quietHours": {"windows": [{"days": ["mon"], "start": "24:00", "end": "07:00"}]}}},
         "/settings/quietHours/windows/0/start"),
        ({"settings": {"quietHours": {"windows": [{"days": ["mon"], "start": "22:00", "end": "07:00:30"}]}}},
         "/settings/quietHours/windows/0/end"),
        ({"settings": {"quietHours": {"windows": [{"days": ["mon"], "start": "22:00\n", "end": "07:00"}]}}},
         "/settings/quietHours/windows/0/start"),
        ({"settings": {"quietHours": {"windows": [{"days": [], "start": "22:00", "end": "07:00"}]}}},
         "/settings/quietHours/windows/0/days"),
        ({"settings": {"quietHours": {"windows": [{"days": list(DAYS), "start": "22:00", "end": "22:00"}]}}},
         "/settings/quietHours/windows"),
        ({"settings": {"quietHours": {"holidays": ["25.12.2026"]}}}, "/settings/quietHours/holidays/0"),
    ],
    ids=str,
)  # fmt: skip
def test_a_bad_field_is_reported_and_nothing_changes(
    body: Any, pointer: str, browser: Browsers, cast: Cast, path: str
) -> None:
    answer = browser("adam").patch(path, body)

    assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
    assert [each["pointer"] for each in answer.json["errors"]] == [pointer]
    row = Workspace.get_by_id(cast.workspace.id)
    assert (row.name, row.settings, row.rev) == ("Acme", {}, 1)


def test_a_change_counts_a_revision_and_is_reported_to_the_stream(browser: Browsers, cast: Cast, path: str) -> None:
    answer = browser("adam").patch(path, {"name": "Acme Ltd"})

    assert (answer.json["name"], answer.json["rev"], answer.headers["ETag"]) == ("Acme Ltd", 2, '"2"')
    assert answer.json["slug"] == "acme"
    [reported] = [ref for row in Change.select() for ref in row.refs]
    assert (reported["type"], reported["id"], reported["op"], reported["rev"]) == (
        "workspace",
        typeid("wsp", cast.workspace.id),
        "changed",
        2,
    )
    assert "Acme" not in str(reported)


@pytest.mark.parametrize(
    ("method", "end", "body"), [("PATCH", "", {"name": "Renamed"}), ("PUT", "/default-route", {"destinationIds": []})]
)
@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        ('"1"', 200),
        ('W/"1"', 200),
        ("1", 200),
        ("*", 200),
        ("", 200),
        ('"2"', 412),
        ('"0"', 412),
        ('"1", "2"', 412),
        ('"01x"', 412),
        ("x", 412),
        ('"99999999999999999999"', 412),
    ],
)
def test_a_stale_revision_is_not_overwritten(
    if_match: str, status: int, method: str, end: str, body: Any, browser: Browsers, path: str
) -> None:
    answer = browser("adam").call(method, path + end, body, headers={"If-Match": if_match})

    assert answer.status_code == status
    if status == 412:
        assert answer.json["code"] == "rev_mismatch"


def test_of_two_editors_with_one_revision_one_is_refused(cast: Cast, app: Flask, settings: Settings, path: str) -> None:
    cookie = cast.cookie("adam")

    def edit(name: str) -> int:
        browser = Browser(app, settings.base_url, cookie=cookie)
        return browser.patch(path, {"name": name}, headers={"If-Match": '"1"'}).status_code

    with ThreadPoolExecutor(5) as pool:
        statuses = list(pool.map(edit, ["a", "b", "c", "d", "e"]))

    assert sorted(statuses) == [200, 412, 412, 412, 412]


def test_the_shipped_default_route(browser: Browsers, path: str) -> None:
    answer = browser("vic").get(f"{path}/default-route")

    assert answer.json == {
        "destinationIds": [],
        "routingProfileId": None,
        "dispositions": {
            "DEBUG": "log",
            "INFO": "log",
            "SUCCESS": "log",
            "WARNING": "incident",
            "ERROR": "incident",
            "CRITICAL": "incident",
        },
    }
    assert answer.headers["ETag"].startswith('"1.')


def test_a_default_route_is_replaced_as_a_whole(browser: Browsers, cast: Cast, path: str) -> None:
    first, second = destination(cast.workspace), destination(cast.workspace)
    adam = browser("adam")
    chosen = {"destinationIds": [second, first, second], "dispositions": {"INFO": "incident", "WARNING": "incident"}}
    answer = adam.put(f"{path}/default-route", chosen)

    assert answer.status_code == 200 and answer.json["destinationIds"] == [second, first]
    assert answer.json["dispositions"]["INFO"] == "incident" and answer.headers["ETag"] == '"2"'
    stored = Workspace.get_by_id(cast.workspace.id).default_route
    assert stored["dispositions"] == {"INFO": "incident"} and len(stored["destinationIds"]) == 2
    assert adam.get(f"{path}/default-route").json == answer.json

    repeated = adam.put(f"{path}/default-route", {"destinationIds": []})
    assert repeated.json["destinationIds"] == [] and repeated.json["dispositions"]["INFO"] == "log"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/destinationIds"),
        ({"destinationIds": ["dst_01j0000000e008000000000001"]}, "/destinationIds/0"),
        ({"destinationIds": ["nonsense"]}, "/destinationIds/0"),
        ({"destinationIds": "dst_01j0000000e008000000000001"}, "/destinationIds"),
        ({"destinationIds": [], "routingProfileId": "prf_01j0000000e008000000000001"}, "/routingProfileId"),
        ({"destinationIds": [], "dispositions": {"ERROR": "drop"}}, "/dispositions/ERROR"),
        ({"destinationIds": [], "dispositions": {"error": "log"}}, "/dispositions/error"),
        ({"destinationIds": [], "dispositions": None}, "/dispositions"),
    ],
    ids=str,
)
def test_a_bad_route_is_reported_and_nothing_changes(
    body: Any, pointer: str, browser: Browsers, cast: Cast, path: str
) -> None:
    answer = browser("adam").put(f"{path}/default-route", body)

    assert (answer.status_code, [each["pointer"] for each in answer.json["errors"]]) == (422, [pointer])
    assert Workspace.get_by_id(cast.workspace.id).default_route == {}


def test_destinations_of_elsewhere_and_deleted_ones_are_unknown_alike(browser: Browsers, cast: Cast, path: str) -> None:
    foreign, gone = destination(cast.foreign), destination(cast.workspace, deleted_at=present())
    unknown = "dst_01j0000000e008000000000001"
    adam = browser("adam")
    answers = [adam.put(f"{path}/default-route", {"destinationIds": [each]}) for each in (foreign, gone, unknown)]
    answers += [adam.patch(path, {"settings": {"fallbackDestinationId": each}}) for each in (foreign, gone, unknown)]

    assert {answer.status_code for answer in answers} == {422}
    assert len({str(answer.json["errors"]) for answer in answers}) == 2
