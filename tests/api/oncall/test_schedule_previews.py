"""The preview of an edit over HTTP: four weeks before and after (specification 23.4)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.records.audit import AuditEntry
from tests.api.oncall.test_schedules import (
    Browsers,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, make_workspace, typeid
from tests.oncall import a_layer, make_schedule

PREVIEW = "/v1/schedules/preview"


def edited(cast: Cast, schedule: OnCallSchedule, **fields: Any) -> dict[str, Any]:
    """The schedule in the shape of a preview, with other fields of its layer."""
    layer = {**schedule.layers[0], **fields}
    return {
        "workspaceId": typeid("wsp", cast.workspace.id), "scheduleId": typeid("sch", schedule.id), "timezone": "UTC",
        "layers": [layer],
    }  # fmt: skip


def people(shifts: list[dict[str, Any]]) -> list[list[str]]:
    return [[each["name"] for each in shift["people"]] for shift in shifts]


def test_an_unchanged_schedule_has_no_changes(browser: Browsers, cast: Cast, schedule: OnCallSchedule) -> None:
    answer = browser("adam").post(PREVIEW, edited(cast, schedule))

    assert answer.status_code == 200, answer.json
    shown = answer.json
    begins, ends = (datetime.fromisoformat(shown[name]) for name in ("startsAt", "endsAt"))
    assert ends - begins == timedelta(days=28)
    assert (shown["before"], shown["changes"], shown["problems"]) == (shown["after"], [], [])
    assert (shown["after"][0]["startsAt"], shown["after"][-1]["endsAt"]) == (shown["startsAt"], shown["endsAt"])


def test_a_preview_shows_what_the_edit_does(browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str) -> None:
    """The members lose the person who is next. The present person stays, and the next but one is next."""
    adam = browser("adam")
    now, following = (adam.get(f"{path}/shifts").json["items"][n]["people"][0]["userId"] for n in (0, 1))
    members = [each for each in schedule.layers[0]["members"] if each != [following]]

    preview = adam.post(PREVIEW, edited(cast, schedule, members=members)).json

    [left] = [each for [each] in members if each != now]
    assert [each["people"][0]["userId"] for each in preview["before"][:2]] == [now, following]
    assert [each["people"][0]["userId"] for each in preview["after"][:2]] == [now, left]
    assert preview["changes"][0]["startsAt"] == preview["after"][1]["startsAt"]
    saved = adam.patch(path, {"layers": [{**schedule.layers[0], "members": members}]})
    assert saved.json["layers"] == preview["layers"]
    assert people(adam.get(f"{path}/shifts").json["items"])[:2] == people(preview["after"])[:2]


def test_a_new_schedule_has_shifts_after_alone(browser: Browsers, cast: Cast, workspace: str) -> None:
    body = {"workspaceId": workspace, "timezone": "UTC", "layers": [a_layer(cast.users["mia"])]}

    preview = browser("adam").post(PREVIEW, body).json

    assert (preview["before"], people(preview["after"])) == ([], [["Mia"]])
    assert [each["kind"] for each in preview["problems"]] == ["single_member"]


def test_a_preview_stores_nothing(browser: Browsers, cast: Cast, schedule: OnCallSchedule) -> None:
    entries, before = AuditEntry.select().count(), OnCallSchedule.get_by_id(schedule.id)

    browser("adam").post(PREVIEW, edited(cast, schedule, every=2))

    assert (AuditEntry.select().count(), OnCallSchedule.select().count()) == (entries, 1)
    assert OnCallSchedule.get_by_id(schedule.id).__data__ == before.__data__


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"every": 0}, "/layers/0/every"),
        ({"members": [["usr_01j0000000e008000000000001"]]}, "/layers/0/members/0/0"),
        ({"timezone": "Europe/Berlin", "start": "2026-03-29T02:30"}, "/layers/0/start"),
        ({"id": "lay_01j0000000e008000000000001"}, "/layers/0/id"),
    ],
)
def test_a_preview_refuses_what_saving_refuses(
    fields: dict[str, Any], pointer: str, browser: Browsers, cast: Cast, schedule: OnCallSchedule
) -> None:
    assert pointers(browser("adam").post(PREVIEW, edited(cast, schedule, **fields))) == [pointer]


def test_a_preview_is_of_a_schedule_of_the_workspace(browser: Browsers, cast: Cast, schedule: OnCallSchedule) -> None:
    foreign = make_schedule(make_workspace("Foreign"), cast.users["eve"])
    body = edited(cast, schedule) | {"scheduleId": typeid("sch", foreign.id)}
    new = [{name: value for name, value in each.items() if name != "id"} for each in body["layers"]]

    assert pointers(browser("adam").post(PREVIEW, {**body, "layers": new})) == ["/scheduleId"]


def test_a_preview_requires_an_administrator(browser: Browsers, cast: Cast, schedule: OnCallSchedule) -> None:
    sent = [browser(who).post(PREVIEW, edited(cast, schedule)).status_code for who in ("eve", "vic", "mia", "adam")]

    assert sent == [422, 403, 403, 200]


def test_a_preview_that_is_too_much_to_compute_is_refused(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, monkeypatch: pytest.MonkeyPatch
) -> None:
    hourly = edited(cast, schedule, unit="hour", every=1)
    answers = []
    for limit in (673, 671):
        monkeypatch.setattr("inbox.domain.oncall.shifts.MAX_SHIFTS", limit)
        answers.append(browser("adam").post(PREVIEW, hourly))

    assert [each.status_code for each in answers] == [200, 422]
    assert answers[1].json["code"] == "too_costly"
