"""Schedules that follow an external calendar, over HTTP (specification 23.20)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
import pytest

from inbox.config.settings import Settings
from inbox.domain.values.addresses import LONGEST_URL
from inbox.flow.oncall.calendar_reading import read_due
from inbox.models.oncall.calendars import OnCallCalendar
from inbox.models.oncall.schedules import OnCallCalendarShift, OnCallSchedule
from inbox.models.records.audit import AuditEntry
from inbox.models.routing.versions import ConfigurationVersion
from inbox.services.oncall.calendars import PREVIEWS_A_MINUTE
from tests.api.oncall.test_schedules import (
    ALL,
    Browsers,
    on_call,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.intake.calendars.ics import event, ics
from tests.oncall import HOUR, a_layer
from tests.stand_ins.receivers import Answer, Receiver

PREVIEW = f"{ALL}/preview"
SECRET = "private-1234567890abcdef"


def shift(*names: str) -> bytes:
    """A calendar with an event from an hour ago until a day later."""
    now = present()
    times = [f"{at:%Y%m%dT%H%M%SZ}" for at in (now - HOUR, now + timedelta(days=1))]
    return ics(*event(f"SUMMARY:{','.join(names)}", f"DTSTART:{times[0]}", f"DTEND:{times[1]}"))


@pytest.fixture
def url(receiver: Receiver) -> str:
    """The secret address of a calendar in which Mia and somebody else are on call."""
    content = shift("Mia", "Zoe")
    receiver.answer = lambda request: Answer(200, content)
    return f"{receiver.url}/{SECRET}/basic.ics"


def new(workspace: str, url: str | None, **fields: Any) -> dict[str, Any]:
    return {"workspaceId": workspace, "name": "Backend", "timezone": "UTC", "calendarUrl": url, **fields}


def test_a_schedule_follows_a_calendar(browser: Browsers, workspace: str, url: str) -> None:
    made = browser("adam").post(ALL, new(workspace, url))
    assert made.status_code == 201, made.json
    calendar = made.json["calendar"]
    assert calendar == {
        "hint": "127.0.0.1", "isFollowed": False, "readAt": None, "failingSince": None, "failure": None,
        "unmatchedTotal": 0,
    }  # fmt: skip

    read_due(present)

    shown = browser("vic").get(made.headers["Location"]).json
    assert (shown["calendar"]["isFollowed"], shown["calendar"]["unmatchedTotal"]) == (True, 1)
    assert {"calendar_unmatched", "gap"} <= {each["kind"] for each in shown["problems"]}
    [person] = on_call(browser("vic"), workspace)["people"]
    assert (person["name"], person["origin"]) == ("Mia", {"kind": "calendar", "id": made.json["id"]})


def test_the_address_leaves_no_trace(browser: Browsers, workspace: str, url: str, path: str) -> None:
    adam = browser("adam")
    answers = [adam.patch(path, {"calendarUrl": url}), adam.post(ALL, new(workspace, url))]
    read_due(present)
    answers += [adam.get(path), adam.get(f"{path}/versions"), adam.get(f"{ALL}?workspaceId={workspace}")]
    answers += [adam.get(f"/v1/audit?workspaceId={workspace}")]

    assert all(SECRET not in each.get_data(as_text=True) for each in answers)
    stored = [[row.__data__ for row in table.select()] for table in (AuditEntry, ConfigurationVersion, OnCallSchedule)]
    assert SECRET not in str(stored)
    assert all(SECRET.encode() not in bytes(row.sealed) for row in OnCallCalendar.select())


@pytest.mark.parametrize(
    "given",
    [
        "ftp://example.com/a.ics", "example.com", "", "https://user:secret@example.com/a.ics", "http://169.254.169.254/",
        "https://example.com/" + "x" * LONGEST_URL,
    ],
)  # fmt: skip
def test_an_address_that_is_not_called_is_refused(browser: Browsers, workspace: str, path: str, given: str) -> None:
    adam = browser("adam")
    answers = [adam.patch(path, {"calendarUrl": given}), adam.post(ALL, new(workspace, given))]
    answers += [adam.post(PREVIEW, {"workspaceId": workspace, "timezone": "UTC", "calendarUrl": given})]

    assert [pointers(each) for each in answers] == [["/calendarUrl"]] * 3
    assert OnCallCalendar.select().count() == 0


def test_webcal_is_https(browser: Browsers, path: str) -> None:
    answer = browser("adam").patch(path, {"calendarUrl": "webcal://calendar.example.com/team.ics"})

    assert answer.json["calendar"]["hint"] == "calendar.example.com"


def test_layers_are_needed_without_a_calendar(
    browser: Browsers, cast: Cast, workspace: str, url: str, path: str
) -> None:
    adam = browser("adam")
    assert pointers(adam.post(ALL, new(workspace, None))) == ["/layers"]
    assert pointers(adam.patch(path, {"layers": []})) == ["/layers"]
    made = adam.post(ALL, new(workspace, url)).json
    read_due(present)

    own = f"{ALL}/{made['id']}"
    assert pointers(adam.patch(own, {"calendarUrl": None})) == ["/layers"]
    answer = adam.patch(own, {"calendarUrl": None, "layers": [a_layer(cast.users["olga"])]})
    assert (answer.status_code, answer.json["calendar"]) == (200, None)
    assert [each["name"] for each in on_call_of(browser, workspace, made["id"])] == ["Olga"]


def on_call_of(browser: Browsers, workspace: str, schedule_id: str) -> list[dict[str, Any]]:
    items = browser("vic").get(f"{ALL}/on-call-now?workspaceId={workspace}").json["items"]
    return next(each["people"] for each in items if each["scheduleId"] == schedule_id)


def test_an_edit_of_other_fields_keeps_the_calendar_and_its_layers(browser: Browsers, url: str, path: str) -> None:
    adam = browser("adam")
    layers = adam.get(path).json["layers"]
    adam.patch(path, {"calendarUrl": url})
    read_due(present)

    answer = adam.patch(path, {"name": "Renamed", "layers": layers})

    assert (answer.status_code, answer.json["calendar"]["isFollowed"]) == (200, True)
    assert answer.json["layers"] == layers
    reverted = adam.post(f"{path}/revert", {"rev": 1}).json
    assert (reverted["calendar"]["isFollowed"], reverted["rev"]) == (True, 5)


def test_a_preview_shows_the_calendar_and_names_that_match_nobody(
    browser: Browsers, cast: Cast, workspace: str, url: str, schedule: OnCallSchedule, path: str
) -> None:
    adam = browser("adam")
    draft = {"workspaceId": workspace, "timezone": "UTC", "scheduleId": typeid("sch", schedule.id)}

    shown = adam.post(PREVIEW, {**draft, "calendarUrl": url}).json

    assert shown["unmatched"] == ["Zoe"]
    assert [each["name"] for each in shown["after"][0]["people"]] == ["Mia"]
    assert shown["after"][1]["people"] == []
    assert shown["before"][0]["people"][0]["origin"]["kind"] == "layer"
    assert (OnCallCalendar.select().count(), OnCallCalendarShift.select().count()) == (0, 0)

    adam.patch(path, {"calendarUrl": url})
    read_due(present)
    again = adam.post(PREVIEW, {**draft, "layers": []}).json
    assert (again["changes"], again["unmatched"]) == ([], ["Zoe"])
    layers = adam.post(PREVIEW, {**draft, "layers": schedule.layers, "calendarUrl": None}).json
    assert layers["after"][0]["people"][0]["origin"]["kind"] == "layer"


def test_a_preview_says_why_a_calendar_cannot_be_read(
    browser: Browsers, workspace: str, url: str, receiver: Receiver
) -> None:
    receiver.answer = lambda request: Answer(404, SECRET.encode())

    answer = browser("adam").post(PREVIEW, {"workspaceId": workspace, "timezone": "UTC", "calendarUrl": url})

    assert answer.json["errors"] == [{"pointer": "/calendarUrl", "detail": "The server answered 404."}]
    assert SECRET not in answer.get_data(as_text=True)


def test_previews_of_calendars_are_limited(
    browser: Browsers, workspace: str, url: str, receiver: Receiver, in_settings: Callable[..., Settings]
) -> None:
    in_settings(rate_limits=True)
    receiver.answer = lambda request: Answer(404)
    draft = {"workspaceId": workspace, "timezone": "UTC", "calendarUrl": url}

    found = [browser("adam").post(PREVIEW, draft).status_code for _ in range(PREVIEWS_A_MINUTE + 1)]

    assert found == [422] * PREVIEWS_A_MINUTE + [429]


def test_a_member_of_a_calendar_is_named_before_they_are_removed(
    browser: Browsers, cast: Cast, workspace: str, url: str
) -> None:
    browser("adam").post(ALL, new(workspace, url))
    read_due(present)

    answer = browser("olga").delete(f"/v1/workspaces/{workspace}/members/{typeid('usr', cast.users['mia'].id)}")

    assert answer.status_code == 409
    assert [each["name"] for each in answer.json["usedBy"]["schedules"]] == ["Backend"]


def test_an_export_has_the_shifts_and_not_the_address(browser: Browsers, workspace: str, url: str) -> None:
    browser("adam").post(ALL, new(workspace, url))
    read_due(present)

    text = browser("olga").get(f"/v1/workspaces/{workspace}/export").get_data(as_text=True)

    assert SECRET not in text
    found = orjson.loads(text)
    assert len(found["onCallCalendarShifts"]) == 1
    assert found["onCallCalendars"][0]["hint"] == "127.0.0.1"
