"""Forecasts and simulations name whom steps would page at their times (specification 6.10, 7.7)."""

from __future__ import annotations

from typing import Any

import pytest

from inbox.domain.explaining.forecast import NO_DESTINATION
from inbox.domain.values.severity import Severity
from inbox.models.deliveries.destinations import Destination
from inbox.models.insight.reachability import that_notify
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.workspaces.tables import Workspace
from inbox.services.explaining.forecasts import forecast
from inbox.services.explaining.simulations import simulate
from tests.cast import NOW, Cast
from tests.flow.notices.paging_steps import mailing, paging, schedule  # noqa: F401
from tests.flow.notices.test_pages import gap, override
from tests.flow.plans import MINUTE, follow, minutes, pass_to, step
from tests.flow.routing_fixtures import incident, listen, routed

pytestmark = pytest.mark.usefixtures("mailing")


def coming(existing: Any, at: float = 0) -> list[tuple[str, float, str]]:
    upcoming = forecast(existing, NOW + at * MINUTE)["upcoming"]
    return [(each["kind"], minutes(each["at"]), each["text"]) for each in upcoming]


def simulated(cast: Cast, *steps: dict[str, Any], **more: Any) -> list[tuple[float, str, list[tuple[str, str]]]]:
    """The time, the reason and the people of each notice, and their decisions."""
    profile = follow(cast.workspace, *steps, **{"renotify_max": 0, **more})
    found = simulate(profile, Severity.ERROR, NOW)
    return [
        (minutes(each["at"]), each["reason"], [(one["name"], one["decision"]) for one in each["people"]])
        for each in found
    ]


def test_a_forecast_names_whoever_is_on_call_when_the_step_is_due(cast: Cast, schedule: OnCallSchedule) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), paging(10, schedule, to=(pager,)), renotify_max=0)
    override(schedule, cast.users["adam"], 5)
    opened = incident(routed(cast.source).id)

    assert coming(opened) == [("step", 10, "Step 2 notifies Adam and Pager, unless acknowledged.")]
    assert not Destination.select().where(Destination.owner_id.is_null(False)).exists()


def test_a_forecast_passes_a_step_that_would_page_nobody_to_the_next_at_its_time(
    cast: Cast, schedule: OnCallSchedule
) -> None:
    steps = step(0, listen(cast.workspace, routed=False)), paging(10, schedule), paging(30, cast.users["adam"])
    follow(cast.workspace, *steps, renotify_max=0)
    gap(schedule, 5)
    opened = incident(routed(cast.source).id)
    assert coming(opened) == [("step", 10, "Step 3 notifies Adam, unless acknowledged.")]

    pass_to(10)

    assert coming(incident(routed(cast.source, NOW + 10 * MINUTE).id), 10) == []


def test_a_reminder_is_forecast_for_whoever_was_paged(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule), renotify_minutes={"ERROR": 30}, renotify_max=1)
    override(schedule, cast.users["adam"], 5)
    opened = incident(routed(cast.source).id)

    assert coming(opened, 10) == [("renotify", 30, "Reminder 1 of 1 to Mia, unless acknowledged.")]


def test_a_route_to_people_alone_notifies_somebody(cast: Cast, schedule: OnCallSchedule) -> None:
    follow(cast.workspace, paging(0, schedule))
    workspace = Workspace.get_by_id(cast.workspace.id)

    assert that_notify([workspace, Workspace.get_by_id(cast.foreign.id)]) == {workspace.id}
    assert NO_DESTINATION not in forecast(incident(routed(cast.source).id), NOW)["text"]


def test_a_simulation_names_the_people_of_each_step_at_its_time(cast: Cast, schedule: OnCallSchedule) -> None:
    override(schedule, cast.users["adam"], 5)

    found = simulated(cast, paging(0, schedule), paging(10, schedule, cast.users["olga"]))

    assert found == [
        (0, "opened", [("Mia", "notify")]),
        (10, "escalated", [("Adam", "notify"), ("Olga", "notify")]),
    ]


def test_a_simulation_equals_what_happens_while_nobody_is_on_call(cast: Cast, schedule: OnCallSchedule) -> None:
    gap(schedule, 0)
    steps = paging(0, schedule), paging(15, cast.users["adam"]), paging(20, cast.users["olga"])

    found = simulated(cast, *steps)

    assert found == [
        (0, "opened", [("Backend", "nobody_on_call")]),
        (0, "escalated", [("Adam", "notify")]),
        (5, "escalated", [("Olga", "notify")]),
    ]


def test_a_simulated_step_whose_destination_is_notified_is_not_hastened(cast: Cast, schedule: OnCallSchedule) -> None:
    gap(schedule, 0)
    pager = listen(cast.workspace, routed=False)

    found = simulated(cast, paging(0, schedule, to=(pager,)), paging(15, cast.users["adam"]))

    assert found == [(0, "opened", [("Backend", "nobody_on_call")]), (15, "escalated", [("Adam", "notify")])]


def test_a_simulated_fallback_follows_when_all_steps_are_empty(cast: Cast, schedule: OnCallSchedule) -> None:
    gap(schedule, 0)

    found = simulated(cast, paging(0, schedule), paging(15, schedule))

    assert [(at, reason) for at, reason, _ in found] == [(0, "opened"), (0, "escalated"), (0, "fallback")]


def test_a_simulated_schedule_is_named_by_its_id(cast: Cast, schedule: OnCallSchedule) -> None:
    profile = follow(cast.workspace, paging(0, schedule))

    [opened, *_] = simulate(profile, Severity.ERROR, NOW)

    assert opened["people"] == [
        {"user_id": cast.users["mia"].id, "schedule_id": schedule.id, "name": "Mia", "decision": "notify"}
    ]
    assert "Mia" in opened["text"]
