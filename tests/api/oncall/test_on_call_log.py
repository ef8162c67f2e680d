"""The log of who was on call, over HTTP (specification 23.10)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from inbox.database.base import new_id
from inbox.flow.timers.run import run_due
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from tests.api.oncall.test_overrides import order
from tests.api.oncall.test_schedules import (
    ALL,
    Browsers,
    path,  # noqa: F401
    pointers,
    workspace,  # noqa: F401
)
from tests.cast import Cast, present, typeid
from tests.oncall import HOUR, a_layer, make_schedule


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Mia is always on call. The log has nobody yet."""
    return make_schedule(cast.workspace, cast.users["mia"])


def write(schedule: OnCallSchedule, person: User, starts_at: datetime, ends_at: datetime | None) -> None:
    OnCallLog.create(
        id=new_id(), workspace_id=schedule.workspace_id, schedule_id=schedule.id, user_id=person.id,
        starts_at=starts_at, ends_at=ends_at,
    )  # fmt: skip


def items(browser: Browsers, path: str, query: str = "") -> list[dict[str, Any]]:
    answer = browser("vic").get(f"{path}/log{query}")
    assert answer.status_code == 200, answer.json
    return list(answer.json["items"])


def test_the_log_follows_what_people_do(browser: Browsers, cast: Cast, workspace: str) -> None:
    body = {"workspaceId": workspace, "name": "x", "timezone": "UTC", "layers": [a_layer(cast.users["adam"])]}
    of_new = f"{ALL}/{browser('adam').post(ALL, body).json['id']}"
    run_due(present)
    made = browser("mia").post(f"{of_new}/overrides", order(cast, "mia")).json
    run_due(present)

    shown = items(browser, of_new)

    assert [(each["name"], each["endsAt"]) for each in shown] == [("Adam", made["startsAt"]), ("Mia", None)]
    assert shown[1]["startsAt"] == made["startsAt"]
    assert shown[1]["userId"] == typeid("usr", cast.users["mia"].id)


def test_a_disabled_person_is_not_on_call_until_the_account_is_enabled(
    browser: Browsers, cast: Cast, workspace: str
) -> None:
    User.update(is_instance_admin=True).where(User.id == cast.users["olga"].id).execute()
    body = {"workspaceId": workspace, "name": "x", "timezone": "UTC", "layers": [a_layer(cast.users["mia"])]}
    of_new = f"{ALL}/{browser('adam').post(ALL, body).json['id']}"
    run_due(present)
    lasting = []
    for is_disabled in (True, False):
        change = {"disabled": is_disabled, "leaveGaps": True}
        account = f"/v1/admin/users/{typeid('usr', cast.users['mia'].id)}"
        assert browser("olga").patch(account, change).status_code == 200
        run_due(present)
        lasting.append([each["name"] for each in items(browser, of_new) if each["endsAt"] is None])

    assert lasting == [[], ["Mia"]]


def test_the_log_answers_the_times_that_overlap_a_period(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    first = datetime.fromisoformat("2026-03-01T00:00:00+00:00")
    for hour in range(4):
        write(schedule, cast.users["mia"], first + hour * HOUR, first + (hour + 1) * HOUR)
    write(schedule, cast.users["adam"], first + 4 * HOUR, None)

    shown = items(browser, path, "?from=2026-03-01T01:00:00Z&to=2026-03-01T03:00:00Z")

    assert [each["startsAt"] for each in shown] == ["2026-03-01T01:00:00.000Z", "2026-03-01T02:00:00.000Z"]
    until_now = items(browser, path, "?from=2026-03-01T03:30:00Z&to=2026-03-02T00:00:00Z")
    assert [(each["name"], each["endsAt"]) for each in until_now] == [
        ("Mia", "2026-03-01T04:00:00.000Z"),
        ("Adam", None),
    ]


def test_without_times_the_log_is_that_of_14_days_until_now(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    now = present()
    for days in (15, 13):
        write(schedule, cast.users["mia"], now - timedelta(days=days, hours=1), now - timedelta(days=days))

    assert len(items(browser, path)) == 1


@pytest.mark.parametrize(
    ("start", "end", "pointer"),
    [
        ("2027-01-01T00:00:00Z", "2028-01-02T00:00:00Z", None),
        ("2027-01-01T00:00:00Z", "2028-01-02T00:00:01Z", "/query/to"),
        ("2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "/query/to"),
        ("2101-01-01T00:00:00Z", "2101-01-02T00:00:00Z", "/query/from"),
    ],
)
def test_a_period_of_the_log_has_at_most_366_days(
    browser: Browsers, path: str, start: str, end: str, pointer: str | None
) -> None:
    answer = browser("vic").get(f"{path}/log?from={start}&to={end}")

    assert answer.status_code == 200 if pointer is None else pointers(answer) == [pointer]


@pytest.mark.parametrize(("rows", "status"), [(2, 200), (3, 200), (4, 422)])
def test_a_period_of_the_log_has_at_most_5000_rows(
    rows: int,
    status: int,
    browser: Browsers,
    cast: Cast,
    schedule: OnCallSchedule,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("inbox.api.oncall.log.MAX_SHIFTS", 3)
    first = datetime.fromisoformat("2026-03-01T00:00:00+00:00")
    for hour in range(rows):
        write(schedule, cast.users["mia"], first + hour * HOUR, first + (hour + 1) * HOUR)

    answer = browser("vic").get(f"{path}/log?from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z")

    assert answer.status_code == status, answer.json


def test_the_log_is_hidden_from_other_workspaces(browser: Browsers, path: str) -> None:
    assert browser("eve").get(f"{path}/log").status_code == 404
