"""An incident that keeps opening and resolving causes one `flapping` notice. The suppressed ones have their cause."""

from __future__ import annotations

from datetime import timedelta

import pytest

from inbox.domain.incidents.incident import Act, Actor
from inbox.flow.people import incidents
from inbox.flow.routing.route import route
from inbox.flow.unit_of_work import work
from inbox.models.incidents.tables import Incident, Timer
from tests.cast import NOW, Cast
from tests.flow.plans import follow, pass_to, step
from tests.flow.routing_fixtures import (
    accept,
    bodies,
    decisions,
    incident,
    listen,
    notices,
    reasons,
    reported,
    route_to,
    routed,
    settle,
)

MINUTE = timedelta(minutes=1)
MIA = Actor("user", "usr_1", "Mia")


def alternate(cast: Cast, minutes: range, *, together: bool = False) -> Incident:
    """Trigger at even, resolve at odd minutes."""
    for minute in minutes:
        accept(cast.source, NOW + minute * MINUTE, action="resolve" if minute % 2 else "trigger")
        if not together:
            route(lambda at=NOW + minute * MINUTE: at)  # type: ignore[misc]
    route(lambda: NOW + minutes[-1] * MINUTE)
    return Incident.get()


@pytest.mark.parametrize("together", [False, True])
def test_the_fifth_state_change_is_notified_as_flapping_and_later_ones_are_withheld(cast: Cast, together: bool) -> None:
    pager = listen(cast.workspace)

    existing = alternate(cast, range(9), together=together)

    assert (existing.flapping, existing.state, existing.reopen_count) == (True, "open", 4)
    assert [reason for reason, _, _ in reported(pager)] == [
        "opened",
        "resolved",
        "reopened",
        "resolved",
        "reopened",
        "flapping",
    ]
    withheld = notices(existing.id)[6:]
    assert [notice.reason for notice in withheld] == ["reopened", "resolved", "reopened"]
    assert {decisions(notice)["Pager"] for notice in withheld} == {"flapping"}


@pytest.mark.parametrize("offset", [0, 1])
def test_no_delay_holds_back_flapping_after_an_earlier_notice(cast: Cast, offset: int) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=120)
    routed(cast.source)
    for minute in range(2, 9):
        pass_to(minute)
        accept(cast.source, NOW + minute * MINUTE, action="trigger" if minute % 2 == offset else "resolve")
        route(lambda at=NOW + minute * MINUTE: at)  # type: ignore[misc]
    pass_to(11)

    assert [reason for reason, _, _ in reported(pager)][-1] == "flapping"
    assert [reason for reason, _, _ in reported(pager)].count("flapping") == 1


def test_an_incident_that_flaps_within_its_delay_waits_for_its_end(cast: Cast) -> None:
    pager = listen(cast.workspace, routed=False)
    follow(cast.workspace, step(0, pager), delay_seconds=600)
    alternate(cast, range(9))

    assert reported(pager) == []
    pass_to(18)
    assert [reason for reason, _, _ in reported(pager)] == ["opened"]


def test_a_severity_that_rises_is_notified_all_the_same(cast: Cast) -> None:
    pager = listen(cast.workspace)
    alternate(cast, range(7))

    routed(cast.source, NOW + 7 * MINUTE, severity="CRITICAL")

    assert [reason for reason, _, _ in reported(pager)][-2:] == ["flapping", "escalated"]


def test_the_flapping_timer_is_set_half_an_hour_after_the_last_state_change(cast: Cast) -> None:
    existing = alternate(cast, range(7))

    due = {timer.kind: timer.due_at for timer in Timer.select().where(Timer.subject_id == existing.id)}

    assert due["incident.flapping_end"] == NOW + 36 * MINUTE


def test_earlier_recipients_are_reminded_once_when_flapping_ends_open(cast: Cast) -> None:
    pager, quiet = listen(cast.workspace), listen(cast.workspace, "Quiet", send_updates=False)
    boss = listen(cast.workspace, "Boss", min_severity="CRITICAL")
    gone, late = listen(cast.workspace, "Gone"), listen(cast.workspace, "Late", routed=False)
    routed(cast.source, NOW, severity="CRITICAL")
    for minute in range(1, 9):
        routed(cast.source, NOW + minute * MINUTE, action="resolve" if minute % 2 else "trigger", severity="ERROR")
    route_to(cast.workspace, [pager, quiet, boss])
    existing = Incident.get()
    assert (existing.state, existing.flapping, existing.severity) == ("open", True, "ERROR")
    before = {each.name: len(reported(each)) for each in (pager, quiet, boss, gone, late)}

    pass_to(38)

    assert not Incident.get().flapping
    assert reasons(existing.id)[-1] == "renotify"
    assert bodies(existing.id)[-1]["data"]["flappingEnded"] is True
    assert decisions(notices(existing.id)[-1]) == dict.fromkeys(("Pager", "Quiet", "Boss", "Gone"), "notify")
    assert {each.name: len(reported(each)) - before[each.name] for each in (pager, quiet, boss, gone, late)} == {
        "Pager": 1, "Quiet": 1, "Boss": 1, "Gone": 1, "Late": 0,
    }  # fmt: skip


@pytest.mark.parametrize("severity", ["CRITICAL", "ERROR"])
def test_the_end_of_flapping_and_a_simultaneous_reminder_are_one_notice(cast: Cast, severity: str) -> None:
    pager = listen(cast.workspace)
    for minute in range(7):
        routed(cast.source, NOW + minute * MINUTE, action="resolve" if minute % 2 else "trigger", severity=severity)
    settle(cast.workspace, renotifyMinutes={"ERROR": 30, "CRITICAL": 30})

    pass_to(36)
    assert [reason for reason, _, _ in reported(pager)][-2:] == ["flapping", "renotify"]
    pass_to(66)
    assert [reason for reason, _, _ in reported(pager)][-3:] == ["flapping", "renotify", "renotify"]


def test_a_repeat_after_flapping_should_have_ended_does_not_keep_that_from_being_notified(cast: Cast) -> None:
    pager = listen(cast.workspace)
    alternate(cast, range(7))

    routed(cast.source, NOW + 37 * MINUTE)
    pass_to(37)

    assert [reason for reason, _, _ in reported(pager)][-2:] == ["flapping", "renotify"]


@pytest.mark.parametrize(("minutes", "state"), [((0, 1, 2, 3, 4, 5), "resolved"), ((0, 1, 10, 20, 32, 33, 34), "open")])
def test_the_notice_of_flapping_has_the_state_at_that_time(cast: Cast, minutes: tuple[int, ...], state: str) -> None:
    listen(cast.workspace)
    for turn, minute in enumerate(minutes):
        routed(cast.source, NOW + minute * MINUTE, action="resolve" if turn % 2 else "trigger")

    assert reasons(Incident.get().id)[-1] == "flapping"
    assert bodies(Incident.get().id)[-1]["data"]["state"] == state


def test_resolving_and_reopening_by_people_counts_as_flapping(cast: Cast) -> None:
    pager = listen(cast.workspace)
    existing = incident(routed(cast.source).id)
    for turn in range(1, 7):
        with work() as done:
            incidents.act(
                existing.id,
                incidents.ActRequest(Act.RESOLVE if turn % 2 else Act.REOPEN, by=MIA),
                NOW + turn * MINUTE,
                done,
            )

    assert Incident.get().flapping
    assert [reason for reason, _, _ in reported(pager)][-1] == "flapping"
    assert reasons(existing.id)[-2:] == ["flapping", "reopened"]


def test_an_incident_that_follows_takes_over_the_moves(cast: Cast) -> None:
    settle(cast.workspace, reopenWindowMinutes=0)
    pager = listen(cast.workspace)

    alternate(cast, range(6))

    newest = Incident.select().order_by(Incident.number.desc()).get()
    assert (newest.number, newest.flapping, len(newest.state_change_times)) == (3, True, 5)
    assert [reason for reason, _, _ in reported(pager)] == [
        "opened",
        "resolved",
        "opened",
        "resolved",
        "opened",
        "flapping",
    ]


def test_an_alternation_of_forty_minutes_is_notified_in_full(cast: Cast) -> None:
    pager = listen(cast.workspace)
    for turn in range(8):
        routed(cast.source, NOW + turn * 40 * MINUTE, action="resolve" if turn % 2 else "trigger")

    assert "flapping" not in [reason for reason, _, _ in reported(pager)]
    assert len(reported(pager)) == 8
