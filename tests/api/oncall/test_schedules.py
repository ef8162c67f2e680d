"""On-call schedules over HTTP: permissions, bounds, versions, and edits that keep who is on call (specification 23)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.members import Member
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.versions import ConfigurationVersion
from inbox.services.oncall import schedules
from tests.browser import Browser
from tests.cast import Cast, present, typeid
from tests.oncall import a_layer, make_schedule

Browsers = Callable[[str], Browser]

ALL = "/v1/schedules"


@pytest.fixture
def workspace(cast: Cast) -> str:
    return typeid("wsp", cast.workspace.id)


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Olga, Adam and Mia take weekly turns from January on."""
    return make_schedule(cast.workspace, *(cast.users[name] for name in ("olga", "adam", "mia")))


@pytest.fixture
def path(schedule: OnCallSchedule) -> str:
    return f"{ALL}/{typeid('sch', schedule.id)}"


def pointers(answer: Any) -> list[str]:
    assert answer.status_code == 422, answer.json
    return [each["pointer"] for each in answer.json["errors"]]


def on_call(browser: Browser, workspace: str) -> dict[str, Any]:
    """Who is on call now by the only schedule."""
    [found] = browser.get(f"{ALL}/on-call-now?workspaceId={workspace}").json["items"]
    return dict(found)


def test_an_administrator_makes_a_schedule_and_a_viewer_reads_it(browser: Browsers, cast: Cast, workspace: str) -> None:
    layer = a_layer(cast.users["olga"], cast.users["mia"])
    body = {"workspaceId": workspace, "name": " Backend ", "timezone": "Europe/Berlin", "layers": [layer]}

    made = browser("adam").post(ALL, body)

    assert made.status_code == 201, made.json
    record = made.json
    [shown] = record.pop("layers")
    assert shown == {
        **layer, "id": shown["id"], "level": 1, "timezone": None, "windows": [], "from": None, "until": None,
        "counts": "all",
    }  # fmt: skip
    assert record == {
        "id": record["id"], "workspaceId": workspace, "name": "Backend", "description": "",
        "timezone": "Europe/Berlin", "noticeDestinationId": None, "calendar": None, "slack": None, "problems": record["problems"], "createdAt": record["createdAt"],
        "deletedAt": None, "rev": 1,
    }  # fmt: skip
    assert [each["kind"] for each in record["problems"]] == ["unused", *["unreachable_member"] * 2]
    assert browser("vic").get(made.headers["Location"]).json["layers"] == [shown]
    assert [each["id"] for each in browser("vic").get(f"{ALL}?workspaceId={workspace}").json["items"]] == [record["id"]]


@pytest.mark.parametrize("who", ["vic", "mia"])
def test_only_administrators_change_schedules(
    who: str, browser: Browsers, cast: Cast, workspace: str, path: str
) -> None:
    body = {"workspaceId": workspace, "name": "x", "timezone": "UTC", "layers": [a_layer(cast.users["mia"])]}
    answers = [browser(who).post(ALL, body), browser(who).patch(path, {"name": "x"}), browser(who).delete(path)]

    assert [(each.status_code, each.json["requiredRole"]) for each in answers] == [(403, "admin")] * 3


def test_schedules_are_hidden_from_other_workspaces(browser: Browsers, path: str) -> None:
    eve = browser("eve")
    period = "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z"
    answers = [eve.get(path), eve.patch(path, {"name": "x"}), eve.delete(path), eve.get(f"{path}/shifts?{period}")]
    answers += [eve.get(f"{path}/overrides"), eve.get(f"{path}/versions")]

    assert {each.status_code for each in answers} == {404}
    assert eve.get(ALL).json["items"] == eve.get(f"{ALL}/on-call-now").json["items"] == []


@pytest.mark.parametrize(
    ("field", "good", "bad", "pointer"),
    [
        ("name", "x" * 100, "x" * 101, "/name"),
        ("name", "x", " ", "/name"),
        ("description", "x" * 500, "x" * 501, "/description"),
        ("timezone", "Asia/Tokyo", "Mars/Olympus", "/timezone"),
    ],
)
def test_each_field_has_its_bounds(browser: Browsers, path: str, field: str, good: Any, bad: Any, pointer: str) -> None:
    taken = browser("adam").patch(path, {field: good})

    assert (taken.status_code, taken.json[field]) == (200, good)
    assert pointers(browser("adam").patch(path, {field: bad})) == [pointer]


@pytest.mark.parametrize(
    ("good", "bad", "pointer"),
    [
        ({"level": 20}, {"level": 21}, "level"),
        ({"level": 1}, {"level": 0}, "level"),
        ({"every": 366}, {"every": 367}, "every"),
        ({"every": 1}, {"every": 0}, "every"),
        ({"unit": "month"}, {"unit": "decade"}, "unit"),
        ({"start": "1970-01-01T00:00"}, {"start": "1969-12-31T23:59"}, "start"),
        ({"start": "2100-12-31T23:59"}, {"start": "2101-01-01T00:00"}, "start"),
        ({"start": "2026-02-28T09:00"}, {"start": "2026-02-29T09:00"}, "start"),
        ({"start": "2026-01-05T09:00"}, {"start": "2026-01-05T09:00Z"}, "start"),
        ({"timezone": "Europe/Berlin"}, {"timezone": "Europe/Berlin", "start": "2027-03-28T02:30"}, "start"),
        ({"timezone": None}, {"timezone": "Europe/Berlin", "start": "2026-10-25T02:30"}, "start"),
        ({"windows": []}, {"windows": [{"days": [], "start": "09:00", "end": "17:00"}]}, "windows/0/days"),
        ({"from": None}, {"from": "2026-01-02T00:00:00Z", "until": "2026-01-02T00:00:00Z"}, "until"),
        ({"counts": "all"}, {"counts": "covered"}, "counts"),
        ({}, {"id": "lay_01j0000000e008000000000001"}, "id"),
        ({}, {"members": []}, "members"),
        ({}, {"somethingElse": 1}, "somethingElse"),
    ],
)
def test_each_field_of_a_layer_has_its_bounds(
    browser: Browsers, cast: Cast, path: str, good: dict[str, Any], bad: dict[str, Any], pointer: str
) -> None:
    layer = a_layer(cast.users["mia"])

    assert browser("adam").patch(path, {"layers": [{**layer, **good}]}).status_code == 200
    assert pointers(browser("adam").patch(path, {"layers": [{**layer, **bad}]})) == [f"/layers/0/{pointer}"]


@pytest.mark.parametrize(
    ("most", "fields"),
    [
        (20, lambda number, who: {"layers": [a_layer(who, name=f"Layer {n}") for n in range(number)]}),
        (50, lambda number, who: {"layers": [{**a_layer(who), "members": [[]] * number}]}),
    ],
)
def test_a_schedule_has_at_most_20_layers_of_50_turns(
    most: int, fields: Callable[[int, Any], dict[str, Any]], browser: Browsers, cast: Cast, path: str
) -> None:
    sent = [browser("adam").patch(path, fields(number, cast.users["mia"])) for number in (most - 1, most, most + 1)]

    assert [each.status_code for each in sent] == [200, 200, 422]


def test_a_turn_has_at_most_10_people_of_the_workspace(browser: Browsers, cast: Cast, path: str) -> None:
    stranger, layer = cast.users["eve"], a_layer(cast.users["mia"])
    crowd = [typeid("usr", UUID(int=number)) for number in range(11)]

    assert pointers(browser("adam").patch(path, {"layers": [a_layer(stranger)]})) == ["/layers/0/members/0/0"]
    assert pointers(browser("adam").patch(path, {"layers": [{**layer, "members": [crowd]}]})) == ["/layers/0/members/0"]


def test_a_name_is_unique_in_a_workspace(browser: Browsers, cast: Cast, workspace: str, path: str) -> None:
    make_schedule(cast.workspace, cast.users["mia"], name="Taken")
    body = {"workspaceId": workspace, "name": "Taken", "timezone": "UTC", "layers": [a_layer(cast.users["mia"])]}

    assert browser("adam").post(ALL, body).status_code == 409
    assert browser("adam").patch(path, {"name": "Taken"}).status_code == 409
    assert browser("adam").patch(path, {"name": "Free"}).status_code == 200
    assert browser("adam").patch(path, {"name": "Free"}).status_code == 200


def test_a_workspace_has_at_most_200_schedules(
    browser: Browsers, cast: Cast, workspace: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedules, "MAX_SCHEDULES", 2)
    body = {"workspaceId": workspace, "timezone": "UTC", "layers": [a_layer(cast.users["mia"])]}

    made = [browser("adam").post(ALL, {**body, "name": name}).status_code for name in "ab"]

    assert made == [201, 409]


def test_an_edit_keeps_who_is_on_call_now(browser: Browsers, workspace: str, path: str) -> None:
    adam = browser("adam")
    before, [layer] = on_call(adam, workspace), adam.get(path).json["layers"]

    reordered = adam.patch(path, {"layers": [{**layer, "members": layer["members"][::-1]}]})

    after = on_call(adam, workspace)
    assert reordered.status_code == 200
    assert sorted(reordered.json["layers"][0]["members"]) == sorted(layer["members"])
    assert (after["people"], after["until"]) == (before["people"], before["until"])
    assert after["nextPeople"] != before["nextPeople"]


def test_the_past_keeps_the_version_of_its_time(browser: Browsers, cast: Cast, workspace: str, path: str) -> None:
    adam, now = browser("adam"), present()
    [layer] = adam.get(path).json["layers"]
    span = f"from={(now - timedelta(days=60)):%Y-%m-%dT%H:%M:%SZ}&to={now:%Y-%m-%dT%H:%M:%SZ}"
    before = adam.get(f"{path}/shifts?{span}").json["items"]

    adam.patch(path, {"layers": [a_layer(cast.users["vic"], id=layer["id"])]})

    assert len(before) > 7
    assert adam.get(f"{path}/shifts?{span}").json["items"] == before
    assert [each["name"] for each in on_call(adam, workspace)["people"]] == ["Vic"]


def test_nobody_was_on_call_before_the_schedule_existed(browser: Browsers, cast: Cast, workspace: str) -> None:
    body = {"workspaceId": workspace, "name": "New", "timezone": "UTC", "layers": [a_layer(cast.users["mia"])]}
    made = browser("adam").post(ALL, body).json
    day = timedelta(days=1)
    span = f"from={present() - 2 * day:%Y-%m-%dT%H:%M:%SZ}&to={present() + day:%Y-%m-%dT%H:%M:%SZ}"

    items = browser("vic").get(f"{ALL}/{made['id']}/shifts?{span}").json["items"]

    assert [[each["name"] for each in item["people"]] for item in items] == [[], ["Mia"]]
    assert items[1]["startsAt"] == made["createdAt"]


def test_a_schedule_is_reverted_to_a_version(browser: Browsers, schedule: OnCallSchedule, path: str) -> None:
    adam = browser("adam")
    adam.patch(path, {"name": "Renamed", "timezone": "Asia/Tokyo"})

    shown = adam.get(f"{path}/versions").json["items"]
    reverted = adam.post(f"{path}/revert", {"rev": 1})

    assert [(each["rev"], each["schedule"]["timezone"]) for each in shown] == [(2, "Asia/Tokyo"), (1, "UTC")]
    assert (reverted.json["name"], reverted.json["timezone"], reverted.json["rev"]) == (schedule.name, "UTC", 3)
    assert adam.post(f"{path}/revert", {"rev": 9}).status_code == 404


def test_a_deleted_schedule_is_restored_with_its_versions(
    browser: Browsers, schedule: OnCallSchedule, path: str
) -> None:
    adam = browser("adam")
    gone = [adam.delete(path).status_code, adam.get(path).status_code]
    listed = adam.get(f"{ALL}?deleted=true").json["items"]

    restored = adam.post(f"{path}/restore", {})

    assert (gone, [each["name"] for each in listed]) == ([204, 404], [schedule.name])
    assert (restored.status_code, restored.json["deletedAt"]) == (200, None)
    assert adam.post(f"{path}/restore", {}).status_code == 409
    assert ConfigurationVersion.select().where(ConfigurationVersion.record_id == schedule.id).count() == 2


def test_an_edit_of_an_old_revision_is_refused(browser: Browsers, path: str) -> None:
    browser("adam").patch(path, {"name": "Renamed"})

    assert browser("adam").patch(path, {"name": "x"}, headers={"If-Match": '"1"'}).status_code == 412


def test_a_member_who_left_is_a_gap_and_a_problem(browser: Browsers, cast: Cast, workspace: str) -> None:
    mia = cast.users["mia"]
    made = make_schedule(cast.workspace, mia)
    Member.delete().where(Member.user == mia).execute()

    shown = browser("adam").get(f"{ALL}/{typeid('sch', made.id)}").json

    assert on_call(browser("adam"), workspace)["people"] == []
    assert [each["kind"] for each in shown["problems"]] == [
        *("gap", "absent_member", "layer_never_active"),
        "unused",
    ]


def test_the_audit_log_shows_what_changed(browser: Browsers, path: str) -> None:
    browser("adam").patch(path, {"timezone": "Atlantic/Reykjavik"})

    [entry] = AuditEntry.select().where(AuditEntry.action == "schedule.changed")
    assert {each["field"] for each in entry.details["changes"]} == {"timezone"}
