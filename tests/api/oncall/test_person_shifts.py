"""The shifts of a person in all schedules, over HTTP (specification 23.3)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.api.oncall import person_shifts
from tests.api.oncall.test_overrides import user
from tests.api.oncall.test_schedules import (
    Browsers,
    pointers,
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, join, make_workspace, present, typeid
from tests.oncall import make_override, make_schedule

OWN = "/v1/schedules/person-shifts"


def names(browser: Browser, query: str) -> list[str]:
    answer = browser.get(f"{OWN}?{query}")
    assert answer.status_code == 200, answer.json
    return [each["scheduleName"] for each in answer.json["items"]]


def test_a_person_sees_their_shifts_in_all_schedules(browser: Browsers, cast: Cast, workspace: str) -> None:
    later = make_schedule(cast.workspace, cast.users["olga"], name="Backend")
    always = make_schedule(cast.workspace, cast.users["mia"], name="Frontend")
    make_schedule(cast.workspace, cast.users["olga"], name="Others")
    tomorrow = present() + timedelta(days=1)
    cover = make_override(later, cast.users["mia"], starts_at=tomorrow, ends_at=tomorrow + timedelta(hours=2))

    [first, second] = browser("mia").get(f"{OWN}?workspaceId={workspace}").json["items"]

    assert (first["scheduleId"], first["scheduleName"]) == (typeid("sch", always.id), "Frontend")
    assert (second["scheduleId"], second["scheduleName"]) == (typeid("sch", later.id), "Backend")
    assert second["startsAt"] == cover.starts_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert second["endsAt"] == cover.ends_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def test_adjoining_shifts_of_a_schedule_are_one(browser: Browsers, cast: Cast, workspace: str) -> None:
    alone = make_schedule(cast.workspace, cast.users["mia"], name="Backend")
    make_override(alone, cast.users["mia"])

    assert names(browser("mia"), f"workspaceId={workspace}") == ["Backend"]


def test_everybody_sees_the_shifts_of_another_person(browser: Browsers, cast: Cast, workspace: str) -> None:
    make_schedule(cast.workspace, cast.users["mia"], name="Backend")

    assert names(browser("vic"), f"workspaceId={workspace}") == []
    assert names(browser("vic"), f"workspaceId={workspace}&userId={user(cast, 'mia')}") == ["Backend"]


def test_shifts_of_another_workspace_are_hidden(browser: Browsers, cast: Cast, workspace: str) -> None:
    make_schedule(make_workspace("Foreign"), cast.users["mia"])
    make_schedule(cast.workspace, cast.users["eve"])

    assert names(browser("mia"), f"workspaceId={workspace}") == []
    assert browser("eve").get(f"{OWN}?workspaceId={workspace}").json.get("items", []) == []


def test_a_period_in_the_past_begins_now(browser: Browsers, cast: Cast, workspace: str) -> None:
    make_schedule(cast.workspace, cast.users["mia"])
    before = present()

    [shown] = browser("mia").get(f"{OWN}?workspaceId={workspace}&from=2026-02-10T00:00:00Z").json["items"]

    assert shown["startsAt"] >= before.isoformat(timespec="milliseconds")[:23]


@pytest.mark.parametrize(
    ("start", "end", "pointer"),
    [
        ("2090-01-01T00:00:00Z", "2090-03-01T23:59:59Z", None),
        ("2090-01-01T00:00:00Z", "2090-03-02T00:00:00Z", None),
        ("2090-01-01T00:00:00Z", "2090-03-02T00:00:01Z", "/query/to"),
        ("2090-01-01T00:00:00Z", "2090-01-01T00:00:00Z", "/query/to"),
        ("2101-01-01T00:00:00Z", "2101-01-02T00:00:00Z", "/query/from"),
    ],
)
def test_a_period_has_at_most_60_days(
    start: str, end: str, pointer: str | None, browser: Browsers, workspace: str
) -> None:
    answer = browser("mia").get(f"{OWN}?workspaceId={workspace}&from={start}&to={end}")

    assert answer.status_code == 200 if pointer is None else pointers(answer) == [pointer]


def test_without_a_workspace_all_own_ones_are_read(browser: Browsers, cast: Cast, workspace: str) -> None:
    make_schedule(cast.workspace, cast.users["mia"], name="Here")
    join(elsewhere := make_workspace("Foreign"), cast.users["mia"], "member")
    make_schedule(elsewhere, cast.users["mia"], name="There")

    assert names(browser("mia"), "") == ["Here", "There"]


@pytest.mark.parametrize(("most", "status"), [(1, 422), (2, 200), (3, 200)])
def test_at_most_400_schedules_are_computed(
    most: int, status: int, browser: Browsers, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_shifts, "MOST", most)
    for name in ("One", "Two"):
        make_schedule(cast.workspace, cast.users["mia"], name=name)

    assert browser("mia").get(OWN).status_code == status


@pytest.mark.parametrize(("steps", "status"), [(400, 200), (100, 422)])
def test_a_computation_is_divided_among_the_schedules(
    steps: int, status: int, browser: Browsers, cast: Cast, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer: dict[str, Any] = make_schedule(cast.workspace, cast.users["mia"], cast.users["adam"]).layers[0]
    for name in ("One", "Two", "Three"):
        make_schedule(cast.workspace, cast.users["mia"], name=name, layers=[{**layer, "unit": "hour"}])
    monkeypatch.setattr(person_shifts, "MAX_STEPS", 4 * steps)

    answer = browser("mia").get(f"{OWN}?workspaceId={workspace}")

    assert answer.status_code == status
