"""Acts of people and timers on an incident: every state with every act, and what each changes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from inbox.domain.incidents.incident import (
    EVENT_ACTS,
    ActArguments,
    Actor,
    Escalation,
    NoChange,
    TransitionRefused,
    apply_act,
)
from inbox.domain.incidents.state_machine import (
    INITIAL_TRANSITIONS,
    TRANSITIONS,
    Act,
    NoticeCondition,
    Reason,
    State,
    Transition,
    lookup,
)
from inbox.domain.values.severity import Severity
from tests.domain.incidents.incident_steps import MIA, NOW, SILENCE, incident, moved

# The expectation is written out once more, in another form than the table's: rows are acts, columns the states
# open, acknowledged, snoozed, silenced, resolved. `=` is "already there", `-` impossible, else the state it leads to
# and, after a slash, the notice.
EXPECTED = """
trigger          open/reoccurred?       acknowledged      snoozed           silenced         open/reopened
trigger_higher   open/escalated         open/escalated    open/escalated    silenced/escalated?  -
trigger_silenced -                      -                 -                 =                silenced/reopened?
trigger_snoozed  -                      -                 =                 -                snoozed
join             open/reoccurred?       acknowledged/reoccurred?  snoozed/reoccurred?  silenced  -
notify           -                      -                 -                 -                -
step_due         open/escalated         -                 -                 -                -
renotify_due     open/renotify          -                 -                 -                -
acknowledge      acknowledged/acknowledged  =             acknowledged/acknowledged  -       -
unacknowledge    =                      open/renotify     -                 -                -
ack_timeout      =                      open/renotify     -                 -                -
snooze           snoozed/snoozed        snoozed/snoozed   snoozed/snoozed?  -                -
snooze_ends      =                      -                 open/snooze_expired  -             -
unsnooze         =                      -                 open/updated      -                -
silence_begins   silenced               silenced          silenced          =                -
silence_ends     -                      -                 -                 before/silence_expired?  -
recover          resolved/resolved      resolved/resolved resolved/resolved resolved/resolved  =
alert_ends       open                   acknowledged      snoozed           silenced         -
resolve          resolved/resolved      resolved/resolved resolved/resolved resolved/resolved  =
auto_resolve     resolved/resolved      resolved/resolved resolved/resolved resolved/resolved  =
flapping_ends    open/renotify?         acknowledged      snoozed           silenced         resolved/resolved
reopen           =                      -                 -                 -                open/reopened
member_left      =                      open/renotify     snoozed           silenced         -
edit             open/updated           acknowledged/updated  snoozed/updated  silenced/updated  resolved
edit_higher      open/escalated         acknowledged/escalated  snoozed/escalated  silenced/escalated  -
undeliverable    open/fallback          -                 -                 -                -
"""


CELLS = [
    pytest.param(state, Act(act), cell, id=f"{act} in {state}")
    for act, *cells in (line.split() for line in EXPECTED.strip().splitlines())
    for state, cell in zip(State, cells, strict=True)
]


def test_the_expectation_names_every_state_and_every_act() -> None:
    assert {cell.values[:2] for cell in CELLS} == {(state, act) for state in State for act in Act}


@pytest.mark.parametrize(("state", "act", "cell"), CELLS)
def test_every_act_in_every_state_matches_the_expected_table(state: State, act: Act, cell: str) -> None:
    found = lookup(state, act)

    if cell == "=":
        assert found == NoChange()
    elif cell == "-":
        assert found == TransitionRefused(state, act)
    else:
        to, _, notice = cell.partition("/")
        assert isinstance(found, Transition)
        assert (str(found.to) if found.to else "before") == to
        assert str(found.notice or "") == notice.rstrip("?")
        assert (found.condition is not NoticeCondition.ALWAYS) == notice.endswith("?")


@pytest.mark.parametrize(("state", "act", "cell"), [cell for cell in CELLS if cell.values[1] not in EVENT_ACTS])
def test_a_step_ends_where_the_table_says(state: State, act: Act, cell: str) -> None:
    standing = incident(state, flapping=True, flips=(NOW - timedelta(hours=1),), notified_at=NOW - timedelta(hours=1))
    answer = apply_act(
        standing, act, NOW, ActArguments(person=MIA, until=NOW + timedelta(hours=2), silence=SILENCE, steps=(1, 2))
    )

    if cell == "=":
        assert answer == NoChange()
    elif cell == "-":
        assert answer == TransitionRefused(state, act)
    else:
        to, _, notice = cell.partition("/")
        assert moved(answer).incident.state == (State.OPEN if to == "before" else to)
        assert str(moved(answer).reason or "") == notice.rstrip("?")


@pytest.mark.parametrize("act", sorted(EVENT_ACTS))
def test_acts_of_events_do_not_go_through_step(act: Act) -> None:
    with pytest.raises(ValueError, match="on_event"):
        apply_act(incident(), act, NOW)


def test_an_event_without_an_incident_opens_one_or_only_notifies() -> None:
    assert INITIAL_TRANSITIONS == {
        Act.TRIGGER: Transition(State.OPEN, Reason.OPENED),
        Act.TRIGGER_SILENCED: Transition(State.SILENCED, Reason.OPENED, NoticeCondition.WITHHELD),
        Act.TRIGGER_SNOOZED: Transition(State.SNOOZED),
        Act.NOTIFY: Transition(None, Reason.INFORMATIONAL),
    }


def test_only_an_event_or_a_reopening_leaves_resolved() -> None:
    assert {act for (state, act), move in TRANSITIONS.items() if state is State.RESOLVED and move.to is not state} == {
        Act.TRIGGER,
        Act.TRIGGER_SILENCED,
        Act.TRIGGER_SNOOZED,
        Act.REOPEN,
    }


def test_acknowledging_stores_person_and_time_and_unacknowledging_clears_them() -> None:
    taken = moved(apply_act(incident(), Act.ACKNOWLEDGE, NOW, ActArguments(person=MIA))).incident
    assert (taken.acknowledged_at, taken.acknowledged_by) == (NOW, MIA)

    back = moved(apply_act(taken, Act.UNACKNOWLEDGE, NOW)).incident
    assert (back.acknowledged_at, back.acknowledged_by) == (None, None)


def test_acknowledging_ends_a_snooze() -> None:
    taken = moved(apply_act(incident(State.SNOOZED), Act.ACKNOWLEDGE, NOW, ActArguments(person=MIA))).incident
    assert taken.snoozed_until is None


def test_moving_a_snooze_to_the_same_time_is_no_change() -> None:
    first = NOW + timedelta(hours=1)
    snoozed = moved(apply_act(incident(), Act.SNOOZE, NOW, ActArguments(until=first))).incident
    assert snoozed.snoozed_until == first

    assert apply_act(snoozed, Act.SNOOZE, NOW, ActArguments(until=first)) == NoChange()
    later = moved(apply_act(snoozed, Act.SNOOZE, NOW, ActArguments(until=first + timedelta(hours=1))))
    assert (later.incident.snoozed_until, later.reason) == (first + timedelta(hours=1), Reason.SNOOZED)


def test_a_snooze_without_an_end_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="snooze"):
        apply_act(incident(), Act.SNOOZE, NOW)


def test_the_end_of_a_snooze_clears_the_acknowledgement() -> None:
    put_off = moved(
        apply_act(incident(State.ACKNOWLEDGED), Act.SNOOZE, NOW, ActArguments(until=NOW + timedelta(minutes=5)))
    ).incident
    awake = moved(apply_act(put_off, Act.SNOOZE_ENDS, NOW + timedelta(minutes=5)))

    assert awake.reason is Reason.SNOOZE_EXPIRED
    assert (awake.incident.acknowledged_by, awake.incident.snoozed_until) == (None, None)


@pytest.mark.parametrize(
    ("before", "reason"),
    [(State.OPEN, Reason.SILENCE_EXPIRED), (State.ACKNOWLEDGED, None), (State.SNOOZED, None)],
)
def test_the_end_of_a_silence_restores_the_earlier_state(before: State, reason: Reason | None) -> None:
    silenced = moved(apply_act(incident(before), Act.SILENCE_BEGINS, NOW, ActArguments(silence=SILENCE))).incident
    assert (silenced.state, silenced.state_before, silenced.silenced_by) == (State.SILENCED, before, SILENCE)

    arrived = moved(apply_act(silenced, Act.SILENCE_ENDS, NOW + timedelta(minutes=1)))
    assert arrived.incident == incident(before)
    assert arrived.reason is reason


@pytest.mark.parametrize(
    ("changes", "is_news"),
    [
        ({}, False),
        ({"opened_at": NOW + timedelta(minutes=1)}, True),
        ({"severity": Severity.CRITICAL}, True),
        ({"severity": Severity.WARNING}, False),
    ],
)
def test_the_end_of_a_silence_is_news_of_what_nobody_was_told(changes: dict[str, Any], is_news: bool) -> None:
    told = incident(State.OPEN)._replace(severity=Severity.ERROR, notified_at=NOW, notified_severity=Severity.ERROR)
    silenced = moved(apply_act(told, Act.SILENCE_BEGINS, NOW, ActArguments(silence=SILENCE))).incident

    arrived = moved(apply_act(silenced._replace(**changes), Act.SILENCE_ENDS, NOW + timedelta(hours=1)))

    assert arrived.reason is (Reason.SILENCE_EXPIRED if is_news else None)


def test_a_snooze_that_ran_out_under_a_silence_ends_with_it() -> None:
    silenced = moved(
        apply_act(incident(State.SNOOZED), Act.SILENCE_BEGINS, NOW, ActArguments(silence=SILENCE))
    ).incident
    arrived = moved(apply_act(silenced, Act.SILENCE_ENDS, NOW + timedelta(hours=2)))

    assert (arrived.incident.state, arrived.incident.snoozed_until) == (State.OPEN, None)
    assert arrived.reason is Reason.SILENCE_EXPIRED


def test_resolving_stores_person_and_time_and_clears_silence_and_snooze() -> None:
    by = Actor("user", "usr_1", "Mia")
    over = moved(apply_act(incident(State.SILENCED), Act.RESOLVE, NOW, ActArguments(by=by))).incident

    assert (over.resolved_at, over.resolved_by) == (NOW, by)
    assert (over.silenced_by, over.state_before, over.snoozed_until) == (None, None, None)


def test_a_person_reopens_with_the_severity_it_had() -> None:
    repeated = moved(apply_act(incident(State.RESOLVED, Severity.CRITICAL), Act.REOPEN, NOW)).incident

    assert (repeated.severity, repeated.reopen_count, repeated.opened_at) == (Severity.CRITICAL, 1, NOW)
    assert (repeated.resolved_at, repeated.resolved_by) == (None, None)


def test_editing_may_change_the_severity_either_way() -> None:
    assert (
        moved(apply_act(incident(), Act.EDIT, NOW, ActArguments(severity=Severity.WARNING))).incident.severity
        is Severity.WARNING
    )
    assert moved(apply_act(incident(), Act.EDIT, NOW)).incident == incident()


def test_an_escalation_names_both_steps_of_the_profile() -> None:
    assert moved(apply_act(incident(), Act.STEP_DUE, NOW, ActArguments(steps=(1, 2)))).escalation == Escalation(
        "step", 1, 2
    )
