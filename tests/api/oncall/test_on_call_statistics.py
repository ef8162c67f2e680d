"""Statistics of people on call over HTTP (specification 23.15)."""

from __future__ import annotations

import csv
from datetime import datetime, timedelta
from io import StringIO
from typing import Any
from uuid import UUID

import pytest

from inbox.database.base import new_id
from inbox.models.deliveries.pages import PageRow
from inbox.models.incidents.tables import Incident
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.services.oncall import statistics
from tests.api.oncall.test_schedules import (
    Browsers,
    pointers,
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, make_workspace, present, typeid
from tests.oncall import HOUR, make_schedule
from tests.stand_ins.outgoing_posts import make_incident

ALL = "/v1/schedules/statistics"
MONDAY = datetime.fromisoformat("2026-01-05T08:00:00+00:00")
PERIOD = "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z"


def log(schedule: OnCallSchedule, person: User, starts_at: datetime, ends_at: datetime | None = None) -> None:
    OnCallLog.create(
        id=new_id(), workspace_id=schedule.workspace_id, schedule_id=schedule.id, user_id=person.id,
        starts_at=starts_at, ends_at=ends_at,
    )  # fmt: skip


def test_a_viewer_reads_how_much_each_person_was_on_call(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    other = make_schedule(cast.workspace, cast.users["olga"])
    log(schedule, cast.users["olga"], MONDAY, MONDAY + HOUR)
    log(other, cast.users["olga"], MONDAY, MONDAY + HOUR)
    log(schedule, cast.users["mia"], MONDAY + HOUR, MONDAY + timedelta(days=7))
    log(make_schedule(make_workspace("Foreign"), cast.users["eve"]), cast.users["eve"], MONDAY, MONDAY + HOUR)

    first, second = browser("vic").get(f"{ALL}?workspaceId={workspace}&{PERIOD}").json["items"]

    assert first == {
        "userId": typeid("usr", cast.users["mia"].id), "name": "Mia", "onCallSeconds": (7 * 24 - 1) * 3600,
        "weekendSeconds": 48 * 3600, "nights": 7, "shifts": 1, "pages": 0, "acknowledgedIncidents": 0,
        "medianResponseSeconds": None,
    }  # fmt: skip
    assert (second["name"], second["onCallSeconds"], second["shifts"]) == ("Olga", 3600, 2)
    one = browser("vic").get(f"{ALL}?workspaceId={workspace}&scheduleId={typeid('sch', other.id)}&{PERIOD}")
    assert [(each["name"], each["shifts"]) for each in one.json["items"]] == [("Olga", 1)]


def test_the_figures_are_a_file(browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule) -> None:
    User.update(name="=1+1").where(User.id == cast.users["mia"].id).execute()
    log(schedule, cast.users["mia"], MONDAY, MONDAY + HOUR)

    answer = browser("vic").get(f"{ALL}/export?workspaceId={workspace}&{PERIOD}")

    assert answer.headers["Content-Type"].startswith("text/csv")
    head, row = csv.reader(StringIO(answer.text))
    assert head == [
        *("name", "onCallSeconds", "weekendSeconds", "nights", "shifts"),
        *("pages", "acknowledgedIncidents", "medianResponseSeconds"),
        "userId",
    ]
    assert row == ["'=1+1", "3600", "0", "0", "1", "0", "0", "", typeid("usr", cast.users["mia"].id)]


def test_a_time_that_lasts_counts_until_now(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    log(schedule, cast.users["mia"], present() - HOUR)

    [found] = browser("mia").get(
        f"{ALL}?workspaceId={workspace}&to=2090-01-01T00:00:00Z&from=2089-12-01T00:00:00Z"
    ).json["items"] or [None]
    assert found is None
    [found] = browser("mia").get(f"{ALL}?workspaceId={workspace}").json["items"]
    assert 3600 <= found["onCallSeconds"] < 3700


def test_people_of_another_workspace_get_nothing(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    log(schedule, cast.users["mia"], MONDAY, MONDAY + HOUR)

    assert browser("eve").get(f"{ALL}?workspaceId={workspace}&{PERIOD}").json["items"] == []
    foreign = typeid("wsp", cast.foreign.id)
    own = browser("eve").get(f"{ALL}?workspaceId={foreign}&scheduleId={typeid('sch', schedule.id)}&{PERIOD}")
    assert own.json["items"] == []


@pytest.mark.parametrize(("end", "found"), [("2027-01-02T00:00:00Z", None), ("2027-01-02T00:00:01Z", ["/query/to"])])
def test_a_period_has_at_most_366_days(
    browser: Browsers, cast: Cast, workspace: str, end: str, found: list[str] | None
) -> None:
    answer = browser("mia").get(f"{ALL}?workspaceId={workspace}&from=2026-01-01T00:00:00Z&to={end}")

    assert (None if answer.status_code == 200 else pointers(answer)) == found


@pytest.mark.parametrize(("beyond", "status"), [(-1, 200), (0, 200), (1, 422)])
def test_an_answer_reads_twenty_thousand_rows(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule, beyond: int, status: int
) -> None:
    rows = [
        {
            "id": new_id(), "workspace_id": cast.workspace.id, "schedule_id": schedule.id,
            "user_id": cast.users["mia"].id, "starts_at": MONDAY + timedelta(minutes=number),
            "ends_at": MONDAY + timedelta(minutes=number + 1),
        }
        for number in range(statistics.MAX_ROWS + beyond)
    ]  # fmt: skip
    for place in range(0, len(rows), 1_000):
        OnCallLog.insert_many(rows[place : place + 1_000]).execute()

    answer = browser("mia").get(f"{ALL}?workspaceId={workspace}&{PERIOD}")

    assert answer.status_code == status
    assert status == 200 or answer.json["code"] == "too_costly"


def page(incident_id: UUID, person: User, at: datetime, **fields: Any) -> None:
    values = {"notice_id": new_id(), "opened_at": at, "step": 1, "round": 0, "user_id": person.id, "created_at": at}
    PageRow.create(id=new_id(), incident_id=incident_id, **{**values, **fields})


def test_pages_and_the_time_until_the_acknowledgement_are_counted(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    incident = make_incident(cast)
    Incident.update(acknowledged_by=cast.users["mia"].id, acknowledged_at=MONDAY + HOUR).execute()
    page(incident.id, cast.users["mia"], MONDAY, schedule_id=schedule.id)
    page(incident.id, cast.users["mia"], MONDAY + 2 * HOUR)
    page(incident.id, cast.users["olga"], MONDAY)
    page(incident.id, cast.users["adam"], MONDAY, cause="unreachable")
    page(incident.id, cast.users["vic"], MONDAY - timedelta(days=30))

    query = f"{ALL}?workspaceId={workspace}&{PERIOD}"
    found = {each["name"]: each for each in browser("vic").get(query).json["items"]}
    [by_schedule] = browser("vic").get(f"{query}&scheduleId={typeid('sch', schedule.id)}").json["items"]

    assert found.keys() == {"Mia", "Olga"}
    answers = ("pages", "acknowledgedIncidents", "medianResponseSeconds")
    assert [found["Mia"][each] for each in answers] == [2, 1, 3600]
    assert [found["Olga"][each] for each in answers] == [1, 0, None]
    assert by_schedule["pages"] == 1
