"""Workspaces: created, listed and changed; settings member by member (specification 12.1)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask

from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values.windows import DAYS
from inbox.live.feed import Change
from inbox.models.people.accounts import Session, User
from inbox.models.people.members import Member
from inbox.models.workspaces.tables import Workspace, WorkspaceCounter
from tests.api.people.devices_steps import (
    Phones,
    phone,  # noqa: F401
)
from tests.api.workspaces.workspaces_steps import (
    Browsers,
    destination,
    path,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, present, sign_in, typeid
from tests.proving import App

STALE = timedelta(minutes=16)


def test_the_creator_of_a_workspace_is_its_owner(browser: Browsers, cast: Cast) -> None:
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


def test_names_of_workspaces_may_repeat_and_slugs_may_not(browser: Browsers) -> None:
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
def test_workspaces_are_created_by_the_people_that_the_settings_allow(
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


def test_every_setting_can_be_set_and_is_answered_unchanged(browser: Browsers, cast: Cast, path: str) -> None:
    required = {
        "quietHours": {
            "enabled": True,
            "timezone": "Asia/Tokyo",
            "windows": [{"days": ["mon", "sun"], "start": "22:00", "end": "07:30"}],
            "holidays": ["2026-12-25"],
        },
        "reopenWindowMinutes": 0,
        "reoccurQuietMinutes": 1,
        "joinedQuietMinutes": 0,
        "autoResolveMinutes": 43200,
        "ackTimeoutMinutes": 5,
        "renotifyMinutes": {"CRITICAL": 5, "ERROR": 0, "WARNING": 10},
        "renotifyMax": 0,
        "fallbackDestinationId": destination(cast.workspace),
        "retention": {"eventDays": 1, "incidentDays": 3650, "deliveryDays": 2, "auditDays": 3},
        "requireMfa": True,
        "dailyMessages": {"smsPerPerson": 0, "smsPerWorkspace": 10000, "callsPerPerson": 1, "callsPerWorkspace": 2},
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
        ({"settings": {"dailyMessages": {"smsPerPerson": -1}}}, "/settings/dailyMessages/smsPerPerson"),
        ({"settings": {"dailyMessages": {"callsPerWorkspace": 10001}}}, "/settings/dailyMessages/callsPerWorkspace"),
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


def test_concurrent_edits_of_one_revision_let_one_win(cast: Cast, app: Flask, settings: Settings, path: str) -> None:
    cookie = cast.cookie("adam")

    def edit(name: str) -> int:
        browser = Browser(app, settings.base_url, cookie=cookie)
        return browser.patch(path, {"name": name}, headers={"If-Match": '"1"'}).status_code

    with ThreadPoolExecutor(5) as pool:
        statuses = list(pool.map(edit, ["a", "b", "c", "d", "e"]))

    assert sorted(statuses) == [200, 412, 412, 412, 412]


@pytest.mark.parametrize("name", ["eventDays", "incidentDays", "deliveryDays", "auditDays"])
def test_a_shorter_retention_needs_a_recent_proof(
    app: Flask, settings: Settings, cast: Cast, path: str, name: str
) -> None:
    adam = Browser(app, settings.base_url, cookie=sign_in(cast.users["adam"], proved_at=present() - STALE))
    shorter = {"name": "Erased", "settings": {"retention": {name: 1}}}

    refused = adam.patch(path, shorter)

    assert (refused.status_code, refused.json["code"], type(refused.json["factors"])) == (403, "reauth_required", list)
    workspace = Workspace.get_by_id(cast.workspace.id)
    assert (workspace.name, workspace.settings) == ("Acme", {})
    assert adam.patch(path, {"settings": {"retention": {name: 3000}}}).status_code == 200
    assert adam.patch(path, {"settings": {"retention": {name: 2999}}}).status_code == 403
    assert adam.patch(path, {"settings": {"retention": {name: 3000}, "renotifyMax": 1}}).status_code == 200
    Session.update(proved_at=present()).execute()
    assert adam.patch(path, shorter).status_code == 200


def test_a_device_does_not_shorten_the_retention(phone: Phones, path: str) -> None:
    device = phone("adam")

    refused = device.patch(path, {"settings": {"retention": {"auditDays": 1}}})

    assert (refused.status_code, refused.json["code"], refused.json["factors"]) == (403, "reauth_required", [])
    assert device.patch(path, {"settings": {"retention": {"auditDays": 1000}}}).status_code == 200
