"""Shifts over HTTP, who is on call now, and the bounds of a request (specification 23.3)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from tests.api.oncall.test_schedules import (
    Browsers,
    path,  # noqa: F401
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.oncall import make_override, make_schedule

SOON = "2083-01-04T09:00:00.000Z"


def shifts(browser: Any, path: str, start: str, end: str) -> Any:
    return browser.get(f"{path}/shifts?from={start}&to={end}")


def test_shifts_are_cut_at_the_period_and_name_their_origin(browser: Browsers, cast: Cast, path: str) -> None:
    [layer] = browser("vic").get(path).json["layers"]

    answer = shifts(browser("vic"), path, "2083-01-04T00:00:00Z", "2083-01-12T00:00:00Z").json["items"]

    origin = {"kind": "layer", "id": layer["id"]}
    assert [(each["startsAt"], each["endsAt"]) for each in answer] == [
        ("2083-01-04T00:00:00.000Z", SOON), (SOON, "2083-01-11T09:00:00.000Z"),
        ("2083-01-11T09:00:00.000Z", "2083-01-12T00:00:00.000Z"),
    ]  # fmt: skip
    assert answer[1]["people"] == [{"userId": typeid("usr", cast.users["adam"].id), "name": "Adam", "origin": origin}]


def test_without_times_the_period_is_two_weeks_from_now(browser: Browsers, path: str) -> None:
    items = browser("vic").get(f"{path}/shifts").json["items"]

    begins, ends = (datetime.fromisoformat(each) for each in (items[0]["startsAt"], items[-1]["endsAt"]))
    assert ends - begins == timedelta(days=14)
    assert abs(begins - present()) < timedelta(minutes=5)


def test_the_turns_of_a_layer_are_not_hidden_by_other_layers_and_overrides(browser: Browsers, cast: Cast) -> None:
    olga, adam, mia = (cast.users[name] for name in ("olga", "adam", "mia"))
    low, high = (make_schedule(cast.workspace, person).layers[0] for person in (olga, adam))
    made = make_schedule(cast.workspace, olga, layers=[low, {**high, "level": 2}])
    make_override(made, mia)
    path, soon = f"/v1/schedules/{typeid('sch', made.id)}", present() + timedelta(minutes=1)
    period = f"from={soon:%Y-%m-%dT%H:%M:%SZ}&to={soon + timedelta(minutes=30):%Y-%m-%dT%H:%M:%SZ}"

    answer = browser("vic").get(f"{path}/shifts?{period}&layers=true").json

    def people(items: list[Any]) -> list[str]:
        return [person["name"] for shift in items for person in shift["people"]]

    assert people(answer["items"]) == ["Mia"]
    assert [(each["layerId"], people(each["items"])) for each in answer["layers"]] == [
        (low["id"], ["Olga"]), (high["id"], ["Adam"]),
    ]  # fmt: skip
    assert browser("vic").get(f"{path}/shifts?{period}").json["layers"] == []


@pytest.mark.parametrize(("hours", "status"), [(2_499, 200), (2_500, 200), (2_501, 422)])
def test_all_layers_together_have_at_most_5000_turns(browser: Browsers, cast: Cast, hours: int, status: int) -> None:
    two = [typeid("usr", cast.users[name].id) for name in ("mia", "vic")]
    layer = make_schedule(cast.workspace, cast.users["mia"]).layers[0]
    hourly = {**layer, "unit": "hour", "members": [[each] for each in two]}
    other = {**hourly, "id": make_schedule(cast.workspace, cast.users["vic"]).layers[0]["id"]}
    made: OnCallSchedule = make_schedule(cast.workspace, cast.users["mia"], layers=[hourly, other])
    start = datetime(2083, 1, 1, tzinfo=UTC)
    period = f"from=2083-01-01T00:00:00Z&to={start + timedelta(hours=hours):%Y-%m-%dT%H:%M:%SZ}"

    answer = browser("vic").get(f"/v1/schedules/{typeid('sch', made.id)}/shifts?{period}&layers=true")

    assert answer.status_code == status
    assert pointers(answer) == ["/query/to"] if status == 422 else len(answer.json["layers"][1]["items"]) == hours


@pytest.mark.parametrize(
    ("start", "end", "pointer"),
    [
        ("2083-01-01T00:00:00Z", "2084-01-02T00:00:00Z", None),
        ("2083-01-01T00:00:00Z", "2084-01-01T23:59:59Z", None),
        ("2083-01-01T00:00:00Z", "2084-01-02T00:00:01Z", "/query/to"),
        ("2083-01-01T00:00:00Z", "2083-01-01T00:00:00Z", "/query/to"),
        ("1969-12-31T23:59:59Z", "1970-01-02T00:00:00Z", "/query/from"),
        ("2101-01-01T00:00:00Z", "2101-01-02T00:00:00Z", "/query/from"),
        ("2100-12-31T00:00:00Z", "2101-01-02T00:00:00Z", None),
        ("yesterday", "2083-01-01T00:00:00Z", "/query/from"),
    ],
)
def test_a_period_has_at_most_366_days(browser: Browsers, path: str, start: str, end: str, pointer: str | None) -> None:
    answer = shifts(browser("vic"), path, start, end)

    assert answer.status_code == 200 if pointer is None else pointers(answer) == [pointer]


def test_a_period_has_at_most_5000_shifts(browser: Browsers, cast: Cast) -> None:
    two = [typeid("usr", cast.users[name].id) for name in ("mia", "vic")]
    layer = make_schedule(cast.workspace, cast.users["mia"]).layers[0]
    hourly = {**layer, "unit": "hour", "members": [[each] for each in two]}
    made: OnCallSchedule = make_schedule(cast.workspace, cast.users["mia"], layers=[hourly])
    of_hours = f"/v1/schedules/{typeid('sch', made.id)}"

    answers = [
        shifts(browser("vic"), of_hours, "2083-01-01T00:00:00Z", f"2083-07-28T{hour}:00:00Z")
        for hour in ("07", "08", "09")
    ]

    assert [each.status_code for each in answers] == [200, 200, 422]
    assert len(answers[1].json["items"]) == 5_000
    assert pointers(answers[2]) == ["/query/to"]


def test_now_names_the_people_until_when_and_who_is_next(browser: Browsers, cast: Cast, workspace: str) -> None:
    make_schedule(cast.workspace, cast.users["mia"], cast.users["vic"], name="Frontend")
    make_schedule(cast.workspace, cast.users["mia"], name="Always")

    answer = browser("vic").get(f"/v1/schedules/on-call-now?workspaceId={workspace}&sort=name&order=asc").json["items"]

    assert [each["name"] for each in answer] == ["Always", "Frontend"]
    assert (answer[0]["until"], answer[0]["nextPeople"]) == (None, [])
    assert {answer[1][which][0]["name"] for which in ("people", "nextPeople")} == {"Mia", "Vic"}
    assert answer[1]["until"].endswith("T09:00:00.000Z")


def test_a_layer_of_an_unknown_time_zone_has_nobody(browser: Browsers, cast: Cast, workspace: str) -> None:
    """A newer version of the time zone database may have named it."""
    layer = make_schedule(cast.workspace, cast.users["mia"]).layers[0]
    made = make_schedule(cast.workspace, cast.users["mia"], layers=[{**layer, "timezone": "Mars/Olympus"}])

    answer = browser("vic").get(f"/v1/schedules/{typeid('sch', made.id)}")

    assert [each["kind"] for each in answer.json["problems"]] == ["gap", "unused"]


def test_a_cover_of_the_own_shift_is_no_handoff(browser: Browsers, cast: Cast, workspace: str) -> None:
    alone = make_schedule(cast.workspace, cast.users["mia"])
    make_override(alone, cast.users["mia"])

    [shown] = browser("vic").get(f"/v1/schedules/on-call-now?workspaceId={workspace}").json["items"]

    assert (shown["until"], shown["nextPeople"]) == (None, [])
