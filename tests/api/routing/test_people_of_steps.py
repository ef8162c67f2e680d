"""People of the steps of a routing profile over HTTP: their checks, their names, and what deletes them (specification 23.12)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.routing.people import MAX_PEOPLE
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.members import Member
from inbox.models.routing.profiles import RoutingProfile
from tests.api.routing.profiles_steps import (
    ALL,
    Browsers,
    a_step,
    destination,  # noqa: F401
    pointers,
    to,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.cast import Cast, make_workspace, present, typeid
from tests.oncall import make_schedule


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    """Mia is always on call."""
    return make_schedule(cast.workspace, cast.users["mia"], name="Backend")


def on_call(schedule: OnCallSchedule) -> dict[str, str]:
    return {"scheduleId": typeid("sch", schedule.id)}


def person(cast: Cast, name: str) -> dict[str, str]:
    return {"userId": typeid("usr", cast.users[name].id)}


def make(browser: Browsers, workspace: str, *steps: dict[str, Any]) -> Any:
    return browser("adam").post(ALL, {"workspaceId": workspace, "name": "On call", "steps": list(steps)})


def test_a_step_names_schedules_and_people_beside_destinations_or_alone(
    browser: Browsers, cast: Cast, workspace: str, to: str, schedule: OnCallSchedule
) -> None:
    people = [on_call(schedule), person(cast, "adam")]

    made = make(browser, workspace, a_step(to, people=people), a_step(after=5, people=[*people[:1], *people[:1]]))

    assert made.status_code == 201, made.json
    assert [each["people"] for each in made.json["steps"]] == [people, people[:1]]
    assert made.json["text"].startswith("At once: on call by Backend, Adam and ")
    assert made.json["text"].endswith("After 5 minutes: on call by Backend.")


def test_a_step_needs_a_destination_or_people(browser: Browsers, workspace: str) -> None:
    assert pointers(make(browser, workspace, a_step())) == ["/steps/0/destinationIds"]
    assert pointers(make(browser, workspace, a_step(people=[]))) == ["/steps/0/destinationIds"]


def test_an_entry_names_either_a_schedule_or_a_person(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    for entry in ({}, {**on_call(schedule), **person(cast, "mia")}):
        assert make(browser, workspace, a_step(people=[entry])).status_code == 422


def test_schedules_and_people_of_others_are_refused_with_their_pointers(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    foreign = make_schedule(make_workspace("Far", owner=cast.users["eve"]), cast.users["eve"])
    people = [on_call(schedule), on_call(foreign), person(cast, "mia"), person(cast, "eve")]

    refused = make(browser, workspace, a_step(people=people))

    assert pointers(refused) == ["/steps/0/people/1/scheduleId", "/steps/0/people/3/userId"]


@pytest.mark.parametrize(("number", "status"), [(MAX_PEOPLE - 1, 201), (MAX_PEOPLE, 201), (MAX_PEOPLE + 1, 422)])
def test_a_step_has_at_most_twenty_entries(
    browser: Browsers, cast: Cast, workspace: str, number: int, status: int
) -> None:
    schedules = [make_schedule(cast.workspace, cast.users["mia"]) for _ in range(number)]

    assert make(browser, workspace, a_step(people=[on_call(each) for each in schedules])).status_code == status


def test_a_schedule_that_a_step_names_is_not_deleted(
    browser: Browsers, workspace: str, to: str, schedule: OnCallSchedule
) -> None:
    made = make(browser, workspace, a_step(to, people=[on_call(schedule)]))
    path, profile = f"/v1/schedules/{typeid('sch', schedule.id)}", f"{ALL}/{made.json['id']}"

    refused = browser("adam").delete(path)

    assert refused.status_code == 409
    assert refused.json["usedBy"] == {
        "defaultRoute": False,
        "rules": [],
        "rulesTotal": 0,
        "routingProfiles": [{"id": made.json["id"], "name": "On call"}],
        "routingProfilesTotal": 1,
    }
    assert browser("adam").patch(profile, {"steps": [a_step(to)]}).status_code == 200
    assert browser("adam").delete(path).status_code == 204


def test_a_destination_beside_people_is_deleted_from_the_step(
    browser: Browsers, workspace: str, to: str, schedule: OnCallSchedule
) -> None:
    made = make(browser, workspace, a_step(to, people=[on_call(schedule)]))

    assert browser("adam").delete(f"/v1/destinations/{to}").status_code == 204

    [step] = browser("vic").get(f"{ALL}/{made.json['id']}").json["steps"]
    assert (step["destinationIds"], step["people"]) == ([], [on_call(schedule)])


def test_an_earlier_version_returns_without_people_who_are_gone(
    browser: Browsers, cast: Cast, workspace: str, to: str, schedule: OnCallSchedule
) -> None:
    made = make(browser, workspace, a_step(to, people=[on_call(schedule), person(cast, "mia"), person(cast, "adam")]))
    profile = f"{ALL}/{made.json['id']}"
    browser("adam").patch(profile, {"steps": [a_step(to)]})
    OnCallSchedule.update(deleted_at=present()).execute()
    Member.delete().where(Member.user == cast.users["mia"].id).execute()

    reverted = browser("adam").post(f"{profile}/revert", {"rev": 1})

    assert reverted.status_code == 200, reverted.json
    assert reverted.json["steps"][0]["people"] == [person(cast, "adam")]


def test_a_restored_profile_without_anybody_in_a_step_is_refused(
    browser: Browsers, workspace: str, schedule: OnCallSchedule
) -> None:
    made = make(browser, workspace, a_step(people=[on_call(schedule)]))
    RoutingProfile.update(deleted_at=present() - timedelta(hours=1)).execute()
    OnCallSchedule.update(deleted_at=present()).execute()

    refused = browser("adam").post(f"{ALL}/{made.json['id']}/restore")

    assert refused.status_code == 409 and "step 1" in refused.json["detail"]
