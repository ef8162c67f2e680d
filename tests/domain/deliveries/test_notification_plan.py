"""The plan of an incident, and its timers in each state."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.deliveries.notification_plan import (
    ACK_TIMEOUT,
    AUTO_RESOLVE,
    DELAY,
    FLAPPING_END,
    RENOTIFY,
    STEP,
    NotificationPlan,
    count_taken,
    due,
    plan_of,
    step_recipients,
    taken_steps,
    whole_minutes,
)
from inbox.domain.incidents.incident import Incident
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.state_machine import State
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.settings import effective_settings

ERROR, WARNING, CRITICAL = Severity.ERROR, Severity.WARNING, Severity.CRITICAL
OPENED = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
A, B, C = (UUID(int=number) for number in (1, 2, 3))
SHIPPED = effective_settings({})


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def at(count: float) -> datetime:
    return OPENED + minutes(count)


def profile(*after: float, **values: Any) -> Profile:
    steps = tuple(Step(minutes(each), None, (A,), number) for number, each in enumerate(after, 1))
    return Profile(UUID(int=9), "On call", values.pop("hold", timedelta()), steps, **values)


def plan(*after: float, **values: Any) -> NotificationPlan:
    return plan_of(SHIPPED, profile(*after, **values), ())


def incident(state: State = State.OPEN, **values: Any) -> Incident:
    usual = {"severity": ERROR, "last_severity": ERROR, "first_seen_at": OPENED, "last_seen_at": OPENED}
    first = LastStep(1, 0, 0) if values.get("steps_taken", 1) else None
    return Incident(**{"state": state, **usual, "opened_at": OPENED, "steps_taken": 1, "last_step": first, **values})


def taken(made: NotificationPlan, count: int) -> dict[str, Any]:
    """The fields of an incident that took so many steps of a plan."""
    last = made.steps[:count][-1].after
    return {"steps_taken": count, "last_step": LastStep(count, whole_minutes(last), whole_minutes(made.steps[0].after))}


def times(made: NotificationPlan) -> list[float]:
    return [step.after / minutes(1) for step in made.steps]


def test_a_plan_without_a_profile_notifies_at_once_with_the_workspace_settings() -> None:
    made = plan_of(SHIPPED, None, (A, B, A))
    assert made == NotificationPlan(
        delay=timedelta(),
        steps=(Step(timedelta(), None, (A, B), number=0),),
        renotify={CRITICAL: minutes(30), ERROR: minutes(120)},
        renotify_max=6,
        ack_timeout=timedelta(),
        auto_resolve=timedelta(),
        reopen_window=minutes(60),
        reoccur_quiet=minutes(15),
        joined_quiet=minutes(5),
        obeys_quiet_hours=True,
        fallback_destination_id=None,
    )


def test_a_plan_without_destinations_has_one_step() -> None:
    assert plan_of(SHIPPED, None, ()).steps == (Step(timedelta(), None, (), number=0),)


def test_a_profile_without_settings_uses_the_workspace_settings() -> None:
    settings = effective_settings(
        {"ackTimeoutMinutes": 7, "autoResolveMinutes": 8, "reopenWindowMinutes": 9, "renotifyMax": 2}
        | {"reoccurQuietMinutes": 3, "fallbackDestinationId": str(C)}
    )
    made = plan_of(settings, profile(0), ())
    assert (made.ack_timeout, made.auto_resolve, made.reopen_window) == (minutes(7), minutes(8), minutes(9))
    assert (made.reoccur_quiet, made.renotify_max, made.fallback_destination_id) == (minutes(3), 2, C)


def test_profile_settings_override_workspace_settings_also_with_zero() -> None:
    settings = effective_settings(
        {"ackTimeoutMinutes": 7, "autoResolveMinutes": 8, "fallbackDestinationId": str(C), "renotifyMax": 2}
    )
    zero = timedelta()
    chosen = profile(
        0, ack_timeout=zero, auto_resolve=minutes(1), reopen_window=zero, renotify_max=0,
        obeys_quiet_hours=False, fallback_destination_id=B,
    )  # fmt: skip
    made = plan_of(settings, chosen, ())
    assert (made.ack_timeout, made.auto_resolve, made.reopen_window) == (zero, minutes(1), zero)
    assert (made.renotify_max, made.obeys_quiet_hours, made.fallback_destination_id) == (0, False, B)


def test_a_severity_that_the_profile_does_not_name_is_notified_again_as_the_workspace_says() -> None:
    made = plan(0, renotify={CRITICAL: minutes(5), WARNING: minutes(60)})
    assert made.renotify == {CRITICAL: minutes(5), ERROR: minutes(120), WARNING: minutes(60)}
    assert ERROR not in plan(0, renotify={ERROR: timedelta()}).renotify


def test_a_first_step_that_is_late_holds_the_incident_for_as_long() -> None:
    made = plan(10, 25, hold=minutes(2))
    assert (made.delay, made.first_notice_delay) == (minutes(2), minutes(12))
    assert times(made) == [10, 25]
    assert due(made, incident(steps_taken=0)) == {DELAY: at(12)}


def test_destinations_that_a_rule_adds_are_notified_at_once_beside_the_profile() -> None:
    made = plan_of(SHIPPED, profile(10, hold=minutes(2)), (B,))
    assert made.delay == minutes(2)
    assert [(step.after, step.destination_ids) for step in made.steps] == [(minutes(0), (B,)), (minutes(10), (A,))]


@pytest.mark.parametrize(
    ("after", "repeat", "expected"),
    [
        ((0,), 0, [0]),
        ((0,), 2, [0, 5, 10]),
        ((30,), 1, [30, 35]),
        ((0, 4), 1, [0, 4, 9, 13]),
        ((0, 5), 1, [0, 5, 10, 15]),
        ((0, 6), 1, [0, 6, 12, 18]),
        ((0, 5, 20), 2, [0, 5, 20, 40, 45, 60, 80, 85, 100]),
        ((10, 10, 30), 1, [10, 10, 30, 50, 50, 70]),
    ],
)
def test_a_round_starts_after_the_length_of_the_previous_round_and_at_least_five_minutes(
    after: tuple[float, ...], repeat: int, expected: list[float]
) -> None:
    made = plan(*after, repeat=repeat)
    assert times(made) == expected
    count = len(after)
    assert [step.number for step in made.steps] == [*range(1, count + 1)] * (repeat + 1)
    assert [step.round for step in made.steps] == [each for each in range(1, repeat + 2) for _ in after]


def test_the_only_timer_of_a_delayed_incident_is_the_end_of_its_delay() -> None:
    held = incident(steps_taken=0, notified_at=at(-60))
    assert due(plan(0, 10, hold=minutes(3)), held) == {DELAY: at(3)}
    assert due(plan(7, 10), held) == {DELAY: at(7)}


def test_each_step_is_due_so_long_after_the_first() -> None:
    made = plan(0, 10, 25, hold=minutes(3))
    assert due(made, incident(**taken(made, 1)))[STEP] == at(13)
    assert due(made, incident(**taken(made, 2)))[STEP] == at(28)


@pytest.mark.parametrize("count", [3, 4])
def test_no_step_is_due_after_the_last_one_even_if_the_profile_had_more(count: int) -> None:
    assert STEP not in due(plan(0, 10, 25), incident(**taken(plan(0, 10, 25, 40), count)))


def test_the_next_step_counts_from_where_the_escalation_resumed() -> None:
    made = plan(0, 10, 25)
    assert due(made, incident(**taken(made, 2), held_until=at(40)))[STEP] == at(65)


def test_an_incident_is_renotified_after_the_interval_of_its_severity() -> None:
    assert due(plan(0), incident(notified_at=at(5)))[RENOTIFY] == at(125)
    assert due(plan(0), incident(severity=CRITICAL, notified_at=at(5)))[RENOTIFY] == at(35)


def test_the_renotify_interval_of_a_reopened_incident_starts_at_its_reopening() -> None:
    assert due(plan(0), incident(notified_at=at(-300)))[RENOTIFY] == at(120)


@pytest.mark.parametrize("severity", [WARNING, Severity.INFO, Severity.DEBUG, Severity.SUCCESS])
def test_a_severity_without_a_pause_is_not_notified_again(severity: Severity) -> None:
    assert RENOTIFY not in due(plan(0), incident(severity=severity, notified_at=OPENED))


def test_an_incident_never_notified_is_not_renotified() -> None:
    assert RENOTIFY not in due(plan(0), incident(notified_at=None))


@pytest.mark.parametrize(("renotified", "more"), [(0, True), (5, True), (6, False), (7, False)])
def test_an_incident_is_renotified_up_to_the_maximum(renotified: int, more: bool) -> None:
    assert (RENOTIFY in due(plan(0), incident(notified_at=OPENED, renotified=renotified))) is more


def test_an_acknowledgement_lapses_after_its_timeout() -> None:
    taken = incident(State.ACKNOWLEDGED, acknowledged_at=at(4), notified_at=OPENED)
    assert due(plan(0, 10, ack_timeout=minutes(30)), taken) == {ACK_TIMEOUT: at(34)}
    assert due(plan(0, 10), taken) == {}


@pytest.mark.parametrize("state", [state for state in State if state is not State.ACKNOWLEDGED])
def test_only_one_that_is_acknowledged_has_an_acknowledgement_that_lapses(state: State) -> None:
    once = incident(state, acknowledged_at=at(4))
    assert ACK_TIMEOUT not in due(plan(0, ack_timeout=minutes(30)), once)


@pytest.mark.parametrize("state", list(State))
def test_an_unresolved_incident_auto_resolves_after_a_period_without_events(state: State) -> None:
    timers = due(plan(0, auto_resolve=minutes(60)), incident(state, last_seen_at=at(20)))
    assert timers.get(AUTO_RESOLVE) == (None if state is State.RESOLVED else at(80))


def test_a_reopened_incident_auto_resolves_after_a_full_period() -> None:
    for opened, seen, required in ((100, 20, 160), (20, 20, 80), (20, 100, 160)):
        timers = due(plan(0, auto_resolve=minutes(60)), incident(opened_at=at(opened), last_seen_at=at(seen)))
        assert timers[AUTO_RESOLVE] == at(required)


@pytest.mark.parametrize("state", list(State))
def test_a_flapping_incident_ends_flapping_half_an_hour_after_its_last_flip(state: State) -> None:
    flips = tuple(at(each) for each in (1, 2, 3, 4, 5))
    assert due(plan(0), incident(state, flapping=True, flips=flips))[FLAPPING_END] == at(35)
    assert FLAPPING_END not in due(plan(0), incident(state, flapping=False, flips=flips))


@pytest.mark.parametrize("state", [State.ACKNOWLEDGED, State.SNOOZED, State.SILENCED, State.RESOLVED])
def test_only_an_open_incident_is_delayed_escalated_or_renotified(state: State) -> None:
    for count in (0, 1):
        assert due(plan(0, 10, hold=minutes(3)), incident(state, steps_taken=count, notified_at=OPENED)) == {}


def test_taken_steps_are_the_ones_an_incident_has_passed() -> None:
    made = plan(0, 10, 25)
    assert taken_steps(made, incident(steps_taken=0)) == ()
    assert taken_steps(made, incident(**taken(made, 2))) == made.steps[:2]
    assert taken_steps(made, incident(steps_taken=9, last_step=LastStep(9, 40, 0))) == made.steps


@pytest.mark.parametrize(("minute", "expected"), [(0, 1), (9, 1), (10, 3), (24, 3), (25, 4), (600, 4)])
def test_the_time_of_the_last_step_determines_the_taken_steps(minute: int, expected: int) -> None:
    made, one = plan(0, 10, 10, 25), incident(steps_taken=2, last_step=LastStep(2, minute, 0))
    assert count_taken(made, one) == expected
    assert taken_steps(made, one) == made.steps[:expected]


def test_the_steps_count_from_the_end_of_the_delay_also_when_another_one_is_the_first() -> None:
    one = incident(steps_taken=1, last_step=LastStep(1, 10, 10), held_until=at(12))
    assert due(plan(10, 25), one) == due(plan(5, 10, 25), one) == due(plan(25), one) == {STEP: at(27)}


def test_a_destination_of_several_steps_is_concerned_once_at_the_lowest_threshold() -> None:
    steps = [
        Step(minutes(0), CRITICAL, (A, B)),
        Step(minutes(5), ERROR, (C, A)),
    ]
    assert list(step_recipients(steps, ERROR).items()) == [(A, True), (B, False), (C, True)]
    assert set(step_recipients(steps, WARNING).values()) == {False}
    assert step_recipients(steps, CRITICAL) == {A: True, B: True, C: True}
