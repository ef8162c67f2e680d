"""Problems of schedules that depend on their use and on the contacts of their people (specification 23.6)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from inbox.config import settings as settings_module
from inbox.config.settings import Settings
from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.oncall import problems_of_use
from inbox.flow.oncall.problems_of_use import MAX_PAIRS, Uses
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.people.accounts import User
from inbox.models.routing.profiles import RoutingProfile
from inbox.models.workspaces.tables import Workspace
from inbox.services.people import notification_rules
from tests.cast import NOW, Cast, make_workspace, typeid
from tests.flow.rulemaking import profile, rule
from tests.oncall import make_override, make_schedule

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def mail_server(ground: object, settings: Settings) -> None:
    settings_module.use(replace(settings, smtp_url="smtp://127.0.0.1:1", mail_from="Inbox <inbox@example.org>"))


@pytest.fixture
def schedule(cast: Cast) -> OnCallSchedule:
    return make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"])


def kinds(*rows: OnCallSchedule) -> list[list[str]]:
    found = problems_of_use.of_schedules(rows, NOW)
    return [[str(each.kind) for each in found[row.id]] for row in rows]


def named(schedule: OnCallSchedule) -> list[dict[str, str]]:
    return [{"scheduleId": typeid("sch", schedule.id)}]


def in_steps(workspace: Workspace, *schedules: OnCallSchedule) -> None:
    """A profile with one step for each of these schedules."""
    made = profile(workspace)
    steps = [
        {"afterMinutes": minutes, "minSeverity": None, "destinationIds": [], "people": named(each)}
        for minutes, each in enumerate(schedules)
    ]
    RoutingProfile.update(steps=steps).where(RoutingProfile.id == made.id).execute()


def test_a_schedule_that_nothing_names_is_unused(cast: Cast, schedule: OnCallSchedule) -> None:
    other = make_schedule(make_workspace("Foreign", eve=cast.users["eve"]), cast.users["eve"])
    in_steps(cast.workspace, other)

    assert kinds(schedule, other) == [["unused"], ["unused"]]


def test_a_schedule_of_a_step_is_used(cast: Cast, schedule: OnCallSchedule) -> None:
    in_steps(cast.workspace, schedule)

    assert kinds(schedule) == [[]]


def test_a_schedule_of_a_rule_is_used(cast: Cast, schedule: OnCallSchedule) -> None:
    made = rule(cast.workspace)
    made.actions = {**made.actions, "people": named(schedule)}
    made.save()

    assert kinds(schedule) == [[]]


def test_a_schedule_of_the_default_route_is_used(cast: Cast, schedule: OnCallSchedule) -> None:
    route = {"destinationIds": [], "routingProfileId": None, "people": named(schedule)}
    Workspace.update(default_route=route).where(Workspace.id == cast.workspace.id).execute()

    assert kinds(schedule) == [[]]


def test_a_person_without_a_device_or_an_address_is_unreachable(cast: Cast, schedule: OnCallSchedule) -> None:
    in_steps(cast.workspace, schedule)
    only_push = {"default": [{"after_minutes": 0, "method": "push"}], "critical": []}
    notification_rules.replace(cast.users["mia"].id, only_push, expected_rev=None, now=NOW)

    [problem] = problems_of_use.of_schedules([schedule], NOW)[schedule.id]

    assert (str(problem.kind), problem.user_id) == ("unreachable_member", cast.users["mia"].id)


def test_a_disabled_person_is_absent_and_not_unreachable(cast: Cast, schedule: OnCallSchedule) -> None:
    in_steps(cast.workspace, schedule)
    User.update(disabled_at=NOW).where(User.id == cast.users["mia"].id).execute()

    assert kinds(schedule) == [[]]


def test_a_person_of_two_steps_at_one_time_is_found_in_both_schedules(cast: Cast, schedule: OnCallSchedule) -> None:
    second = make_schedule(cast.workspace, cast.users["mia"], cast.users["olga"])
    in_steps(cast.workspace, schedule, second)
    assert kinds(schedule, second) == [[], []]

    make_override(second, cast.users["mia"], starts_at=NOW + DAY, ends_at=NOW + 2 * DAY)
    third = make_schedule(cast.workspace, cast.users["mia"])
    in_steps(cast.workspace, third)

    assert kinds(schedule, second, third) == [["twice_on_call"], ["twice_on_call"], []]
    [found] = problems_of_use.of_schedules([schedule], NOW)[schedule.id]
    assert (found.starts_at, found.ends_at, found.user_id) == (NOW + DAY, NOW + 2 * DAY, cast.users["mia"].id)


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_an_answer_compares_a_thousand_pairs(cast: Cast, schedule: OnCallSchedule, beyond: int) -> None:
    """The last pair is that of the person who is on call twice."""
    second = make_schedule(cast.workspace, cast.users["olga"], cast.users["mia"])
    others = [[frozenset({schedule.id}), frozenset({new_id()})] for _ in range(MAX_PAIRS - 1 + beyond)]
    last = [frozenset({schedule.id}), frozenset({second.id})]

    found = list(problems_of_use.twice({schedule.id}, Uses(frozenset(), [*others, last]), NOW))

    assert bool(found) == (beyond < 1)


def test_ids_of_steps_that_cannot_be_read_are_no_use(cast: Cast, schedule: OnCallSchedule) -> None:
    made = profile(cast.workspace)
    steps = [
        {
            "afterMinutes": 0,
            "minSeverity": None,
            "destinationIds": [],
            "people": [{"teamId": ids.encode("sch", made.id)}],
        }
    ]
    RoutingProfile.update(steps=steps).where(RoutingProfile.id == made.id).execute()

    assert kinds(schedule) == [["unused"]]
