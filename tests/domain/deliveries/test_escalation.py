"""Escalation: one step at a time, paused while the incident is acknowledged, and never in a flood."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.deliveries.notification_plan import (
    DELAY,
    RENOTIFY,
    STEP,
    NotificationPlan,
    advance,
    count_taken,
    due,
    plan_of,
    start_or_resume,
    taken_steps,
)
from inbox.domain.incidents.incident import Incident, replace_fast
from inbox.domain.incidents.last_step import LastStep
from inbox.domain.incidents.state_machine import State
from inbox.domain.routing.profiles import Profile, Step
from inbox.domain.values.severity import Severity
from tests.domain.deliveries.test_notification_plan import (
    ERROR,
    OPENED,
    SHIPPED,
    A,
    B,
    at,
    incident,
    minutes,
    plan,
    profile,
    taken,
)

CRITICAL = Severity.CRITICAL
RESTS = [State.ACKNOWLEDGED, State.SNOOZED, State.SILENCED]


def fresh(state: State = State.OPEN, severity: Severity = ERROR) -> Incident:
    return incident(state, severity=severity, steps_taken=0)


def opened(made: NotificationPlan) -> Incident:
    return start_or_resume(made, None, fresh(), OPENED)


def picky(*steps: tuple[float, Severity | None], repeat: int = 0) -> NotificationPlan:
    made = tuple(Step(minutes(after), floor, (A,)) for after, floor in steps)
    return plan_of(SHIPPED, Profile(UUID(int=9), "On call", minutes(0), made, repeat), ())


def rested(made: NotificationPlan, one: Incident, state: State, until: datetime) -> Incident:
    away = replace_fast(one, state=state)
    return start_or_resume(made, away, replace_fast(away, state=State.OPEN), until)


def test_an_incident_without_a_delay_takes_its_first_step_at_once() -> None:
    made = plan(0, 0, 10)
    one = opened(made)
    assert one.steps_taken == 2
    assert due(made, one)[STEP] == at(10)


def test_a_hold_ends_with_the_first_step() -> None:
    made = plan(0, 10, hold=minutes(3))
    one = opened(made)
    assert (one.steps_taken, one.held_until) == (0, at(3))
    assert advance(made, one, at(2.99)) == one
    assert advance(made, one, at(3)).steps_taken == 1


def test_a_hold_that_changes_before_its_end_counts_from_the_opening() -> None:
    one = opened(plan(0, 10, hold=minutes(60)))
    sooner = plan(0, 10, hold=minutes(5))

    assert due(sooner, one)[DELAY] == at(5)
    assert advance(sooner, one, at(4.9)).steps_taken == 0
    assert advance(sooner, one, at(5)).steps_taken == 1


@pytest.mark.parametrize("state", RESTS)
def test_an_incident_silenced_or_snoozed_at_its_opening_takes_no_step_until_open(state: State) -> None:
    made = plan(0, 10, hold=minutes(3))
    away = start_or_resume(made, None, fresh(state), OPENED)
    assert away.steps_taken == 0
    assert advance(made, away, at(60)) == away
    back = start_or_resume(made, away, replace_fast(away, state=State.OPEN), at(60))
    assert back.steps_taken == 1
    assert due(made, back)[STEP] == at(70)


@pytest.mark.parametrize("state", RESTS)
def test_a_pause_within_the_delay_does_not_change_the_delay(state: State) -> None:
    made = plan(0, 10, hold=minutes(3))
    back = rested(made, opened(made), state, at(2))
    assert due(made, back) == {DELAY: at(3)}


def test_a_reopened_incident_starts_its_escalation_again() -> None:
    made = plan(0, 10, hold=minutes(3))
    over = incident(State.RESOLVED, **taken(made, 2), renotified=4, held_until=at(3), notified_at=at(9))
    repeated = start_or_resume(made, over, replace_fast(over, state=State.OPEN, opened_at=at(50)), at(50))
    assert (repeated.steps_taken, repeated.renotified) == (0, 0)
    assert due(made, repeated) == {DELAY: at(53)}


def test_an_incident_reopened_without_a_delay_takes_its_first_step_at_once() -> None:
    made = plan(0, 10)
    over = incident(State.RESOLVED, **taken(made, 2), held_until=at(0))
    repeated = start_or_resume(made, over, replace_fast(over, state=State.OPEN, opened_at=at(50)), at(50))
    assert repeated.steps_taken == 1
    assert due(made, repeated)[STEP] == at(60)


@pytest.mark.parametrize("state", RESTS)
@pytest.mark.parametrize(("until", "expected"), [(2, 25), (9, 25), (11, 26), (30, 45), (600, 615)])
def test_a_step_after_a_pause_waits_for_the_remaining_time_and_is_never_early(
    state: State, until: float, expected: float
) -> None:
    made = plan(0, 10, 25)
    on = advance(made, opened(made), at(10))
    assert on.steps_taken == 2
    assert due(made, rested(made, on, state, at(until)))[STEP] == at(expected)


def test_the_end_of_a_snooze_restarts_the_renotify_interval() -> None:
    made = plan(0)
    back = rested(made, replace_fast(opened(made), notified_at=OPENED), State.SNOOZED, at(600))
    assert due(made, back)[RENOTIFY] == at(720)


@pytest.mark.parametrize("state", [State.OPEN, State.ACKNOWLEDGED])
def test_a_state_change_that_does_not_open_the_incident_leaves_its_escalation_alone(state: State) -> None:
    made = plan(0, 10)
    one = opened(made)
    assert start_or_resume(made, one, replace_fast(one, state=state), at(5)) == replace_fast(one, state=state)


def test_late_steps_are_taken_one_by_one_with_their_pauses() -> None:
    made = plan(0, 10, 25, 60)
    one = advance(made, opened(made), at(300))
    assert one.steps_taken == 2
    assert due(made, one)[STEP] == at(315)
    one = advance(made, one, at(315))
    assert (one.steps_taken, due(made, one)[STEP]) == (3, at(350))


def test_a_step_above_the_severity_is_skipped_without_a_notice() -> None:
    made = picky((0, None), (10, CRITICAL), (20, None))
    one = advance(made, opened(made), at(10))
    assert (one.steps_taken, due(made, one)[STEP]) == (2, at(20))


def test_steps_without_a_recipient_do_not_delay_the_next_step() -> None:
    made = picky((0, None), (10, CRITICAL), (20, None), (30, None))
    one = advance(made, opened(made), at(20))
    assert (one.steps_taken, due(made, one)[STEP]) == (3, at(30))


def test_a_step_is_not_taken_before_its_due_time_however_often_its_timer_runs() -> None:
    made = plan(0, 10, 20)
    one = advance(made, opened(made), at(10))
    assert advance(made, one, at(10)) == one
    assert advance(made, one, at(19.9)) == one


@pytest.mark.parametrize("state", [*RESTS, State.RESOLVED])
def test_an_incident_that_is_not_open_does_not_escalate(state: State) -> None:
    made = plan(0, 10)
    away = replace_fast(opened(made), state=state)
    assert advance(made, away, at(500)) == away


def test_a_profile_that_lost_steps_meanwhile_stops_nothing() -> None:
    shorter = plan(0, 10)
    one = incident(steps_taken=7, last_step=LastStep(7, 60, 0), held_until=OPENED)
    assert advance(shorter, one, at(500)) == one
    back = rested(shorter, one, State.ACKNOWLEDGED, at(500))
    assert STEP not in due(shorter, back)


def on_route(*after: float, added: bool = True) -> NotificationPlan:
    return plan_of(SHIPPED, profile(*after), (B,) if added else ())


def test_deleting_a_destination_of_a_rule_skips_and_advances_no_step() -> None:
    one = opened(on_route(10, 20))
    without = on_route(10, 20, added=False)

    assert due(without, one)[STEP] == at(10)
    assert taken_steps(without, advance(without, one, at(9.9))) == ()
    one = advance(without, one, at(10))
    assert (taken_steps(without, one), due(without, one)[STEP]) == (without.steps[:1], at(20))


def test_removing_a_taken_step_skips_no_step() -> None:
    one = advance(plan(0, 10, 25), opened(plan(0, 10, 25)), at(10))
    without = plan(0, 25)

    assert due(without, one)[STEP] == at(25)
    assert advance(without, one, at(25)).last_step == LastStep(3, 25, 0)


def test_inserting_a_step_before_the_last_one_repeats_no_step() -> None:
    one = advance(plan(0, 10, 25), opened(plan(0, 10, 25)), at(10))
    more = plan(0, 5, 10, 25)

    assert advance(more, one, at(24)) == one
    assert due(more, one)[STEP] == at(25)


def test_a_step_that_is_inserted_after_the_last_one_is_due_at_its_time() -> None:
    one = advance(plan(0, 10, 25), opened(plan(0, 10, 25)), at(10))
    assert due(plan(0, 10, 15, 25), one)[STEP] == at(15)


@pytest.mark.parametrize("until", [12, 40])
def test_a_pause_counts_from_the_last_step_even_if_that_step_is_removed(until: float) -> None:
    one = advance(plan(0, 10, 25), opened(plan(0, 10, 25)), at(10))
    without = plan(0, 25)
    assert due(without, rested(without, one, State.ACKNOWLEDGED, at(until)))[STEP] == at(max(25, until + 15))


times = st.integers(min_value=0, max_value=60)
floors = st.sampled_from([None, ERROR, CRITICAL])
ladders = st.lists(st.tuples(times, floors), min_size=1, max_size=6).map(
    lambda some: sorted(some, key=lambda one: one[0])
)
happenings = st.lists(st.tuples(st.integers(1, 90), st.sampled_from([*RESTS, "open", "fire", "worse"])), max_size=40)


@given(ladders, st.integers(0, 2), happenings)
def test_two_notified_steps_are_never_closer_than_the_profile_says(
    steps: list[tuple[int, Severity | None]], repeat: int, story: list[tuple[int, object]]
) -> None:
    made = picky(*steps, repeat=repeat)
    now, one, reported = OPENED, opened(made), []
    for wait, what in story:
        now, before = now + minutes(wait), one
        match what:
            case "fire":
                one = advance(made, one, now)
            case "worse":
                one = replace_fast(one, severity=CRITICAL)
            case "open":
                one = start_or_resume(made, one, replace_fast(one, state=State.OPEN), now)
            case State() as state:
                one = replace_fast(one, state=state)
        passed = [s for s in taken_steps(made, one)[count_taken(made, before) :] if s.accepts(one.severity)]
        assert len({step.after for step in passed}) <= 1
        assert one.steps_taken >= before.steps_taken
        if passed:
            reported.append((now, passed[0].after))
    for (at_one, one_after), (at_next, next_after) in pairwise(reported):
        assert at_next - at_one >= next_after - one_after
