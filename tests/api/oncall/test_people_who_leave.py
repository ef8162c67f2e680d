"""People whom schedules name are removed or disabled only on an explicit choice (specification 23.8)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.people.members import Member
from tests.api.oncall.test_schedules import (
    Browsers,
    path,  # noqa: F401
    schedule,  # noqa: F401
    workspace,  # noqa: F401
)
from tests.browser import Browser
from tests.cast import Cast, join, make_workspace, present, typeid
from tests.oncall import make_override, make_schedule

NO_ROUTES = {"defaultRoute": False, "rules": [], "rulesTotal": 0, "routingProfiles": [], "routingProfilesTotal": 0}
"""No route names a person."""

Way = Callable[[Browser, bool], Any]


def removed(cast: Cast, name: str) -> Callable[[Browser, bool], Any]:
    of_workspace = f"/v1/workspaces/{typeid('wsp', cast.workspace.id)}/members/{typeid('usr', cast.users[name].id)}"
    return lambda browser, leave_gaps: browser.delete(of_workspace + ("?leaveGaps=true" if leave_gaps else ""))


def is_member(cast: Cast, name: str) -> bool:
    return Member.select().where(Member.workspace == cast.workspace, Member.user == cast.users[name]).exists()


def test_a_member_of_a_schedule_is_removed_only_with_gaps(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    remove = removed(cast, "mia")

    refused = remove(browser("olga"), False)

    assert (refused.status_code, refused.json["code"]) == (409, "conflict")
    named = {"id": typeid("sch", schedule.id), "name": schedule.name}
    assert refused.json["usedBy"] == {"schedules": [named], "schedulesTotal": 1, **NO_ROUTES}
    assert "Mia" in refused.json["detail"] and schedule.name in refused.json["detail"]
    assert is_member(cast, "mia")
    assert remove(browser("olga"), True).status_code == 204
    assert not is_member(cast, "mia")
    absent = {"kind": "absent_member", "userId": typeid("usr", cast.users["mia"].id)}
    problems = [
        each for each in browser("vic").get(path).json["problems"] if each["kind"] in ("absent_member", "single_member")
    ]
    assert problems == [{**absent, "startsAt": None, "endsAt": None, "layerId": None}]


def test_a_person_of_no_schedule_is_removed_at_once(browser: Browsers, cast: Cast, schedule: OnCallSchedule) -> None:
    assert removed(cast, "vic")(browser("olga"), False).status_code == 204


@pytest.mark.parametrize(("hours", "status"), [(1, 409), (-1, 204)])
def test_an_override_names_its_people_until_it_ends(
    hours: int, status: int, browser: Browsers, cast: Cast, schedule: OnCallSchedule
) -> None:
    now = present()
    make_override(schedule, cast.users["vic"], starts_at=now - timedelta(hours=2), ends_at=now + timedelta(hours=hours))

    assert removed(cast, "vic")(browser("olga"), False).status_code == status


def test_a_deleted_schedule_names_nobody(browser: Browsers, cast: Cast, path: str) -> None:
    assert browser("adam").delete(path).status_code == 204

    assert removed(cast, "mia")(browser("olga"), False).status_code == 204


def test_a_schedule_of_another_workspace_names_nobody_here(browser: Browsers, cast: Cast) -> None:
    make_schedule(make_workspace("Foreign"), cast.users["mia"])

    assert removed(cast, "mia")(browser("olga"), False).status_code == 204


@pytest.mark.parametrize("number", [19, 20, 21])
def test_at_most_20_schedules_are_named(number: int, browser: Browsers, cast: Cast) -> None:
    for _ in range(number):
        make_schedule(cast.workspace, cast.users["mia"])

    used_by = removed(cast, "mia")(browser("olga"), False).json["usedBy"]

    assert (len(used_by["schedules"]), used_by["schedulesTotal"]) == (min(number, 20), number)


def test_a_person_leaves_a_workspace_only_with_gaps(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, workspace: str
) -> None:
    leave = f"/v1/workspaces/{workspace}/members/me"

    sent = [browser("mia").delete(leave).status_code, browser("mia").delete(f"{leave}?leaveGaps=true").status_code]

    assert sent == [409, 204]
    assert not is_member(cast, "mia")


def test_an_account_is_disabled_only_with_gaps_and_no_schedule_is_shown(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule
) -> None:
    User.update(is_instance_admin=True).where(User.id == cast.users["eve"].id).execute()
    join(elsewhere := make_workspace("Foreign"), cast.users["mia"], "member")
    make_schedule(elsewhere, cast.users["mia"])
    mia = f"/v1/admin/users/{typeid('usr', cast.users['mia'].id)}"

    refused = browser("eve").patch(mia, {"disabled": True})

    assert refused.status_code == 409, refused.json
    assert refused.json["usedBy"] == {"schedules": [], "schedulesTotal": 2, "routesTotal": 0}
    assert schedule.name not in refused.json["detail"]
    assert User.get_by_id(cast.users["mia"].id).disabled_at is None
    assert browser("eve").patch(mia, {"disabled": True, "leaveGaps": True}).status_code == 200
    assert browser("eve").patch(mia, {"disabled": False}).status_code == 200


def test_turns_have_a_person_again_who_returns(
    browser: Browsers, cast: Cast, schedule: OnCallSchedule, path: str
) -> None:
    assert removed(cast, "mia")(browser("olga"), True).status_code == 204
    join(cast.workspace, cast.users["mia"], "member")

    found = {each["kind"] for each in browser("vic").get(path).json["problems"]}
    assert found == {"unreachable_member", "unused"}  # without a mail server
