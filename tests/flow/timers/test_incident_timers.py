"""Timers of incidents: delays, steps, renotification and timeouts, each applied once however late."""

from __future__ import annotations

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.unit_of_work import work
from inbox.models.incidents.tables import Incident, Timer
from inbox.models.incidents.timers import CLOSED_WORKSPACE_DELAY
from inbox.models.workspaces.tables import Workspace
from tests.cast import NOW, Cast
from tests.flow.plans import MINUTE, follow, pass_to, step, timers
from tests.flow.routing_fixtures import (
    bodies,
    decisions,
    incident,
    listen,
    notices,
    reasons,
    reported,
    routed,
    settle,
    timeline,
)

MIA = Actor("user", "", "Mia")


def opened(cast: Cast, **fields: str) -> Incident:
    return incident(routed(cast.source, **fields).id)


def act(existing: Incident, what: Act, after: float, until: float | None = None) -> None:
    with work() as done:
        end = None if until is None else NOW + until * MINUTE
        incidents.act(existing.id, incidents.ActRequest(what, by=MIA, until=end), NOW + after * MINUTE, done)


def arrived(*destinations: object) -> list[list[str]]:
    return [[reason for reason, _, _ in reported(each)] for each in destinations]  # type: ignore[arg-type]


def test_the_steps_of_a_profile_are_notified_at_their_times(cast: Cast) -> None:
    pager, boss, chief = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss", "Chief"))
    follow(cast.workspace, step(0, pager), step(10, boss), step(30, chief))
    existing = opened(cast, severity="WARNING")
    assert arrived(pager, boss, chief) == [["opened"], [], []]

    assert pass_to(9.9) == 0
    pass_to(10)
    assert arrived(pager, boss, chief) == [["opened"], ["escalated"], []]
    pass_to(30)
    assert arrived(pager, boss, chief) == [["opened"], ["escalated"], ["escalated"]]
    assert [body["data"].get("escalation") for body in bodies(existing.id)] == [
        None,
        {"kind": "step", "from": 1, "to": 2},
        {"kind": "step", "from": 2, "to": 3},
    ]
    assert timers(existing.id) == {}
    assert timeline(existing.id) == ["opened", "escalated", "escalated"]


def test_a_step_that_fires_late_is_one_and_the_next_keeps_its_distance(cast: Cast) -> None:
    pager, boss, chief = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss", "Chief"))
    follow(cast.workspace, step(0, pager), step(10, boss), step(30, chief))
    existing = opened(cast, severity="WARNING")

    assert pass_to(60) == 1
    assert arrived(pager, boss, chief) == [["opened"], ["escalated"], []]
    assert timers(existing.id) == {"incident.step": 80}


def test_a_step_above_the_severity_is_skipped_until_the_severity_rises(cast: Cast) -> None:
    pager, boss = listen(cast.workspace, "Pager", routed=False), listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0, pager), step(10, boss, least="CRITICAL"))
    existing = opened(cast, severity="WARNING")

    pass_to(10)
    assert (arrived(boss), reasons(existing.id)) == ([[]], ["opened"])
    routed(cast.source, NOW + 11 * MINUTE, severity="ERROR")
    assert decisions(notices(existing.id)[-1]) == {"Pager": "notify", "Boss": "below_min_severity"}
    routed(cast.source, NOW + 12 * MINUTE, severity="CRITICAL")
    assert arrived(pager, boss) == [["opened", "escalated", "escalated"], ["escalated"]]


def test_a_recipient_of_a_step_gets_every_later_notice_and_the_resolution(cast: Cast) -> None:
    pager, boss, chief = (listen(cast.workspace, name, routed=False) for name in ("Pager", "Boss", "Chief"))
    follow(cast.workspace, step(0, pager), step(10, boss), step(30, chief))
    existing = opened(cast, severity="WARNING")
    pass_to(10)

    routed(cast.source, NOW + 26 * MINUTE, severity="WARNING")
    act(existing, Act.ACKNOWLEDGE, 27)
    routed(cast.source, NOW + 28 * MINUTE, action="resolve")

    assert arrived(pager, boss, chief) == [
        ["opened", "reoccurred", "acknowledged", "resolved"],
        ["escalated", "reoccurred", "acknowledged", "resolved"],
        [],
    ]
    assert timers(existing.id) == {}


@pytest.mark.parametrize("what", [Act.ACKNOWLEDGE, Act.RESOLVE])
def test_an_acknowledged_or_resolved_incident_escalates_no_further(cast: Cast, what: Act) -> None:
    pager, boss = listen(cast.workspace, "Pager", routed=False), listen(cast.workspace, "Boss", routed=False)
    follow(cast.workspace, step(0, pager), step(10, boss))
    existing = opened(cast)
    act(existing, what, 5)

    pass_to(600)

    assert arrived(boss) == [[]]


def test_a_delayed_incident_is_notified_with_its_state_at_the_end_of_the_delay(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=120)
    existing = opened(cast, severity="WARNING")
    routed(cast.source, NOW + MINUTE, severity="CRITICAL")
    assert (reasons(existing.id), timers(existing.id)) == ([], {"incident.hold": 2})

    assert pass_to(1.9) == 0
    pass_to(2)
    assert arrived(pager) == [["opened"]]
    assert bodies(existing.id)[0]["data"]["severity"] == "CRITICAL"


def test_an_incident_resolved_during_its_delay_is_never_notified(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=120)
    existing = opened(cast)

    routed(cast.source, NOW + MINUTE, action="resolve")
    pass_to(60)

    assert arrived(pager) == [[]]
    assert [(notice.reason, decisions(notice)) for notice in notices(existing.id)] == [
        ("resolved", {"Pager": "never_notified"})
    ]


def test_a_reopened_incident_is_delayed_again(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=60)
    opened(cast)
    pass_to(1)
    routed(cast.source, NOW + 2 * MINUTE, action="resolve")
    routed(cast.source, NOW + 3 * MINUTE)

    pass_to(3.5)
    assert arrived(pager) == [["opened", "resolved"]]
    pass_to(4)
    assert arrived(pager) == [["opened", "resolved", "reopened"]]


def test_an_open_incident_is_renotified_up_to_the_maximum(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 20}, renotifyMax=2)
    existing = opened(cast)

    for minute in (19, 20, 39, 40, 60, 80, 600):
        pass_to(minute)

    assert arrived(pager) == [["opened", "renotify", "renotify"]]
    assert Incident.get_by_id(existing.id).renotify_count == 2
    assert timers(existing.id) == {}


def test_an_outage_is_followed_by_one_renotification(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 20}, renotifyMax=50)
    existing = opened(cast)

    assert pass_to(500) == 1
    assert pass_to(500) == 0

    assert arrived(pager) == [["opened", "renotify"]]
    assert timers(existing.id) == {"incident.renotify": 520}


def test_any_alarm_puts_the_next_renotice_off(cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 20})
    existing = opened(cast)

    routed(cast.source, NOW + 16 * MINUTE)

    assert reasons(existing.id) == ["opened", "reoccurred"]
    assert timers(existing.id) == {"incident.renotify": 36}


def test_an_acknowledged_incident_opens_again_after_its_timeout(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, ackTimeoutMinutes=30)
    existing = opened(cast)
    act(existing, Act.ACKNOWLEDGE, 5)

    assert pass_to(34) == 0
    assert pass_to(35) == 1

    assert Incident.get_by_id(existing.id).state == "open"
    assert arrived(pager) == [["opened", "acknowledged", "renotify"]]
    assert timeline(existing.id) == ["opened", "acknowledged", "ack_timed_out"]
    assert bodies(existing.id)[-1]["data"]["actor"] == {"type": "timer", "id": "", "name": "Clock"}


def test_an_incident_without_events_for_the_period_resolves_automatically(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, autoResolveMinutes=30)
    existing = opened(cast, severity="WARNING")
    routed(cast.source, NOW + 10 * MINUTE, severity="WARNING")

    pass_to(30)
    assert Incident.get_by_id(existing.id).state == "open"
    assert timers(existing.id) == {"incident.auto_resolve": 40}
    pass_to(40)

    assert Incident.get_by_id(existing.id).state == "resolved"
    assert arrived(pager) == [["opened", "resolved"]]
    assert bodies(existing.id)[-1]["data"]["resolvedBy"]["type"] == "timer"
    assert Timer.select().count() == 0


def test_a_reopened_incident_is_not_auto_resolved_at_once(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, autoResolveMinutes=30)
    existing = opened(cast, severity="WARNING")
    pass_to(30)
    act(existing, Act.REOPEN, 50)

    pass_to(79)
    assert Incident.get_by_id(existing.id).state == "open"
    pass_to(80)

    assert Incident.get_by_id(existing.id).state == "resolved"
    assert arrived(pager) == [["opened", "resolved", "reopened", "resolved"]]


def test_a_flapping_incident_is_not_renotified_and_its_end_is_notified_once(cast: Cast) -> None:
    pager = listen(cast.workspace)
    existing = opened(cast, severity="WARNING")
    for minute in range(1, 10):
        routed(cast.source, NOW + minute * MINUTE, severity="WARNING", action="resolve" if minute % 2 else "trigger")
    assert Incident.get_by_id(existing.id).flapping
    before = arrived(pager)[0]
    assert before.count("flapping") == 1 and before[-1] == "flapping"

    pass_to(38)
    assert arrived(pager) == [before]
    pass_to(39)

    assert arrived(pager) == [[*before, "resolved"]]
    assert not Incident.get_by_id(existing.id).flapping
    assert timeline(existing.id)[-1] == "flapping_ended"


def test_a_timer_postponed_by_a_changed_setting_fires_at_its_new_time(cast: Cast) -> None:
    pager = listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 20})
    existing = opened(cast)
    settle(cast.workspace, renotifyMinutes={"ERROR": 50})

    pass_to(20)
    assert (arrived(pager), timers(existing.id)) == ([["opened"]], {"incident.renotify": 50})
    pass_to(50)
    assert arrived(pager) == [["opened", "renotify"]]


def test_the_timer_of_a_deleted_workspace_is_postponed_without_effect(cast: Cast) -> None:
    listen(cast.workspace)
    settle(cast.workspace, renotifyMinutes={"ERROR": 20})
    existing = opened(cast)
    Workspace.update(deleted_at=NOW).where(Workspace.id == cast.workspace.id).execute()

    pass_to(20)

    assert (reasons(existing.id), Timer.get().due_at) == (["opened"], NOW + 20 * MINUTE + CLOSED_WORKSPACE_DELAY)
