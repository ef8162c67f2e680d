"""People of rules and of the default route over HTTP, and what names a member or a schedule (specification 6.2, 6.6, 23.12)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.routing.people import MAX_PEOPLE
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.members import Member
from tests.api.routing.profiles_steps import (
    ALL,
    Browsers,
    a_step,
    destination,  # noqa: F401
    pointers,
    to,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.api.routing.test_people_of_steps import on_call, person, schedule  # noqa: F401
from tests.cast import Cast, typeid
from tests.oncall import make_schedule

RULES = "/v1/rules"
MATCH = {"all": [{"field": "severity", "op": "gte", "value": "ERROR"}]}


def make_rule(browser: Browsers, workspace: str, people: list[dict[str, str]], **then: Any) -> Any:
    actions = {"disposition": "incident", **then, "people": people}
    rule = {"workspaceId": workspace, "name": "Disks", "match": MATCH, "then": actions}
    return browser("adam").post(RULES, rule)


def set_route(browser: Browsers, workspace: str, people: list[dict[str, str]]) -> Any:
    route = {"destinationIds": [], "people": people}
    return browser("adam").put(f"/v1/workspaces/{workspace}/default-route", route)


def test_a_rule_names_people_and_its_sentence_says_so(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    people = [on_call(schedule), person(cast, "adam")]

    made = make_rule(browser, workspace, [*people, *people])

    assert made.status_code == 201, made.json
    assert made.json["then"]["people"] == people
    assert made.json["text"] == (
        "When all (severity >= ERROR): open an incident and page whoever is on call by Backend and Adam."
    )


def test_the_default_route_names_people(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    people = [on_call(schedule), person(cast, "adam")]

    changed = set_route(browser, workspace, people)

    assert changed.status_code == 200, changed.json
    path = f"/v1/workspaces/{workspace}"
    assert browser("vic").get(f"{path}/default-route").json["people"] == people
    assert browser("olga").get(f"{path}/export").json["workspace"]["defaultRoute"]["people"] == people
    assert browser("vic").get(path).json["notifiesNobody"] is False


def test_a_default_route_without_people_keeps_them_and_an_empty_list_removes_them(
    browser: Browsers, cast: Cast, workspace: str, schedule: OnCallSchedule
) -> None:
    people = [on_call(schedule)]
    path = f"/v1/workspaces/{workspace}/default-route"
    set_route(browser, workspace, people)

    kept = browser("adam").put(path, {"destinationIds": [], "dispositions": {"INFO": "incident"}})
    assert (kept.json["people"], kept.json["dispositions"]["INFO"]) == (people, "incident")
    assert browser("vic").get(path).json["people"] == people

    assert set_route(browser, workspace, []).json.get("people", []) == []


def test_people_of_others_are_refused_with_their_pointers(browser: Browsers, cast: Cast, workspace: str) -> None:
    people = [person(cast, "mia"), person(cast, "eve")]

    assert pointers(make_rule(browser, workspace, people)) == ["/then/people/1/userId"]
    assert pointers(set_route(browser, workspace, people)) == ["/people/1/userId"]


@pytest.mark.parametrize("disposition", ["log", "drop", "notify"])
def test_a_rule_without_an_incident_pages_nobody(
    browser: Browsers, cast: Cast, workspace: str, disposition: str
) -> None:
    refused = make_rule(browser, workspace, [person(cast, "mia")], disposition=disposition)

    assert pointers(refused) == ["/then/people"]


@pytest.mark.parametrize(("number", "status"), [(MAX_PEOPLE - 1, 201), (MAX_PEOPLE, 201), (MAX_PEOPLE + 1, 422)])
def test_a_rule_has_at_most_twenty_entries(
    browser: Browsers, cast: Cast, workspace: str, number: int, status: int
) -> None:
    schedules = [on_call(make_schedule(cast.workspace, cast.users["mia"])) for _ in range(number)]

    assert make_rule(browser, workspace, schedules).status_code == status


def test_an_earlier_version_of_a_rule_returns_without_people_who_are_gone(
    browser: Browsers, cast: Cast, workspace: str
) -> None:
    made = make_rule(browser, workspace, [person(cast, "mia"), person(cast, "adam")])
    browser("adam").patch(f"{RULES}/{made.json['id']}", {"then": {"people": []}})
    Member.delete().where(Member.user == cast.users["mia"].id).execute()

    reverted = browser("adam").post(f"{RULES}/{made.json['id']}/revert", {"rev": 1})

    assert reverted.status_code == 200, reverted.json
    assert reverted.json["then"]["people"] == [person(cast, "adam")]


def test_what_names_a_schedule_keeps_it(
    browser: Browsers, cast: Cast, workspace: str, to: str, schedule: OnCallSchedule
) -> None:
    rule = make_rule(browser, workspace, [on_call(schedule)]).json["id"]
    set_route(browser, workspace, [on_call(schedule)])
    path = f"/v1/schedules/{typeid('sch', schedule.id)}"

    refused = browser("adam").delete(path)

    assert refused.status_code == 409
    assert refused.json["detail"].startswith("Still used by the default route and the rule “Disks”.")
    assert refused.json["usedBy"] == {
        "defaultRoute": True,
        "rules": [{"id": rule, "name": "Disks"}],
        "rulesTotal": 1,
        "routingProfiles": [],
        "routingProfilesTotal": 0,
    }


def test_a_member_whom_routes_name_is_removed_only_on_an_explicit_choice(
    browser: Browsers, cast: Cast, workspace: str, to: str
) -> None:
    mia = person(cast, "mia")
    rule = make_rule(browser, workspace, [mia]).json["id"]
    profile = browser("adam").post(
        ALL, {"workspaceId": workspace, "name": "On call", "steps": [a_step(to, people=[mia])]}
    )
    set_route(browser, workspace, [mia])
    path = f"/v1/workspaces/{workspace}/members/{mia['userId']}"

    refused = browser("olga").delete(path)

    assert refused.status_code == 409
    assert refused.json["usedBy"] == {
        "schedules": [],
        "schedulesTotal": 0,
        "defaultRoute": True,
        "rules": [{"id": rule, "name": "Disks"}],
        "rulesTotal": 1,
        "routingProfiles": [{"id": profile.json["id"], "name": "On call"}],
        "routingProfilesTotal": 1,
    }
    assert "the rule “Disks” and the routing profile “On call”" in refused.json["detail"]
    assert browser("olga").delete(f"{path}?leaveGaps=true").status_code == 204
