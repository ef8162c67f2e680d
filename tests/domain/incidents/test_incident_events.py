"""Events that open, update, resolve and reopen an incident, and the page of states."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain.deliveries.suppression import suppression_cause
from inbox.domain.incidents.event_transition import Disposition, EventEffect, EventTransition, ReopenPolicy, on_event
from inbox.domain.incidents.incident import EVENT_ACTS, ActArguments, Actor, Incident, Transitioned, apply_act
from inbox.domain.incidents.state_machine import Act, Reason, State
from inbox.domain.values import ids
from inbox.domain.values.severity import Severity
from ops import states
from tests.domain.incidents.incident_steps import MIA, NOW, SILENCE, incident, moved

POLICY = ReopenPolicy.of_minutes(15, 60)


def event(severity: Severity = Severity.ERROR, at: datetime = NOW, *, recovers: bool = False) -> EventEffect:
    return EventEffect(severity, at, recovers=recovers, by=Actor("event", "evt_1", "disk full"))


def withheld(outcome: EventTransition) -> str | None:
    assert outcome.incident is not None
    assert outcome.reason is not None
    return suppression_cause(outcome.incident, outcome.reason)


# Events


def test_the_first_event_opens_an_incident() -> None:
    outcome = on_event(None, event(), NOW, POLICY)

    assert (outcome.disposition, outcome.reason, outcome.is_new) == (Disposition.OPENED, Reason.OPENED, True)
    assert outcome.incident == Incident(State.OPEN, Severity.ERROR, Severity.ERROR, NOW, NOW, NOW)


def test_the_first_event_under_a_silence_opens_a_silenced_one_and_notifies_nobody() -> None:
    outcome = on_event(None, event(), NOW, POLICY, silenced_by=SILENCE)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.reason) == (Disposition.OPENED, Reason.OPENED)
    assert withheld(outcome) == f"silenced:{ids.encode('sil', SILENCE)}"
    assert (outcome.incident.state, outcome.incident.state_before) == (State.SILENCED, State.OPEN)


@pytest.mark.parametrize(
    ("quiet", "reason"),
    [
        (timedelta(minutes=14, seconds=59), None),
        (timedelta(minutes=15), Reason.REOCCURRED),
        (timedelta(hours=5), Reason.REOCCURRED),
    ],
)
def test_a_repeat_is_notified_only_after_quiet(quiet: timedelta, reason: Reason | None) -> None:
    outcome = on_event(incident(last_seen_at=NOW - quiet), event(Severity.WARNING), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.reason) == (Disposition.UPDATED, reason)
    assert (outcome.incident.event_count, outcome.incident.last_seen_at) == (2, NOW)
    assert (outcome.incident.severity, outcome.incident.last_severity) == (Severity.ERROR, Severity.WARNING)


@pytest.mark.parametrize("state", [State.ACKNOWLEDGED, State.SNOOZED, State.SILENCED])
def test_a_repeat_of_an_acknowledged_snoozed_or_silenced_incident_is_counted_quietly(state: State) -> None:
    outcome = on_event(incident(state), event(), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.incident.state, outcome.reason, outcome.incident.event_count) == (state, None, 2)


@pytest.mark.parametrize("state", [State.OPEN, State.ACKNOWLEDGED, State.SNOOZED])
def test_a_higher_severity_opens_an_acknowledged_or_snoozed_incident(state: State) -> None:
    outcome = on_event(incident(state), event(Severity.CRITICAL), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.reason) == (Disposition.UPDATED, Reason.ESCALATED)
    assert outcome.escalation is not None
    assert outcome.escalation.record() == {"kind": "severity", "from": "ERROR", "to": "CRITICAL"}
    assert (outcome.incident.state, outcome.incident.severity) == (State.OPEN, Severity.CRITICAL)
    assert (outcome.incident.acknowledged_by, outcome.incident.snoozed_until) == (None, None)


def test_a_higher_severity_under_a_silence_changes_the_saved_state_without_a_notice() -> None:
    taken = moved(
        apply_act(incident(State.ACKNOWLEDGED), Act.SILENCE_BEGINS, NOW, ActArguments(silence=SILENCE))
    ).incident
    outcome = on_event(taken, event(Severity.CRITICAL), NOW, POLICY)
    assert outcome.incident is not None
    assert (outcome.incident.state, outcome.reason) == (State.SILENCED, Reason.ESCALATED)
    assert str(withheld(outcome)).startswith("silenced:")

    arrived = moved(apply_act(outcome.incident, Act.SILENCE_ENDS, NOW))
    assert (arrived.incident.state, arrived.reason) == (State.OPEN, Reason.SILENCE_EXPIRED)


@pytest.mark.parametrize("state", [State.OPEN, State.ACKNOWLEDGED, State.SNOOZED, State.SILENCED])
def test_a_recovery_resolves_every_unresolved_state(state: State) -> None:
    outcome = on_event(incident(state), event(Severity.SUCCESS, recovers=True), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.reason) == (Disposition.RESOLVED, Reason.RESOLVED)
    assert (outcome.incident.state, outcome.incident.resolved_at) == (State.RESOLVED, NOW)
    assert outcome.incident.resolved_by == Actor("event", "evt_1", "disk full")
    assert (outcome.incident.severity, outcome.incident.last_severity) == (Severity.ERROR, Severity.SUCCESS)


@pytest.mark.parametrize("standing", [None, incident(State.RESOLVED)])
def test_a_recovery_of_nothing_is_unmatched_and_changes_nothing(standing: Incident | None) -> None:
    outcome = on_event(standing, event(Severity.SUCCESS, recovers=True), NOW, POLICY)

    assert (outcome.disposition, outcome.incident, outcome.reason) == (Disposition.UNMATCHED, None, None)


@pytest.mark.parametrize(("over_for", "is_new"), [(60, False), (61, True)])
def test_an_event_reopens_within_the_window_and_later_opens_a_successor(over_for: int, is_new: bool) -> None:
    resolved = incident(State.RESOLVED, Severity.CRITICAL, resolved_at=NOW - timedelta(minutes=over_for))
    outcome = on_event(resolved, event(Severity.WARNING), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.is_new, outcome.follows) == (Disposition.OPENED, is_new, is_new)
    assert outcome.reason is (Reason.OPENED if is_new else Reason.REOPENED)
    assert outcome.incident.severity is Severity.WARNING
    assert outcome.incident.reopen_count == (0 if is_new else 1)
    assert outcome.incident.event_count == (1 if is_new else 2)
    assert (outcome.incident.opened_at, outcome.incident.resolved_at, outcome.incident.resolved_by) == (NOW, None, None)


def test_a_reopen_window_of_nothing_never_reopens() -> None:
    outcome = on_event(incident(State.RESOLVED, resolved_at=NOW), event(), NOW, ReopenPolicy.of_minutes(15, 0))
    assert outcome.is_new


def test_reopening_under_a_silence_is_silenced() -> None:
    outcome = on_event(incident(State.RESOLVED), event(), NOW, POLICY, silenced_by=SILENCE)

    assert outcome.incident is not None
    assert (outcome.incident.state, outcome.incident.state_before) == (State.SILENCED, State.OPEN)
    assert str(withheld(outcome)).startswith("silenced:")


def test_an_event_that_was_held_up_does_not_turn_back_the_clock() -> None:
    late = event(at=NOW - timedelta(hours=2))
    outcome = on_event(incident(last_seen_at=NOW), late, NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.incident.last_seen_at, outcome.reason) == (NOW, None)


SEVERITIES = st.sampled_from([Severity.WARNING, Severity.ERROR, Severity.CRITICAL])


PERSONS = st.sampled_from([act for act in Act if act not in EVENT_ACTS and act is not Act.EDIT])


@given(st.lists(st.one_of(st.tuples(SEVERITIES, st.booleans()), PERSONS), max_size=30))
def test_the_values_of_an_incident_agree_with_its_state_after_any_story(
    story: list[tuple[Severity, bool] | Act],
) -> None:
    standing: Incident | None = None
    highest: list[int] = []
    for minute, what in enumerate(story):
        now = NOW + timedelta(minutes=minute)
        if isinstance(what, tuple):
            outcome = on_event(standing, event(what[0], now, recovers=what[1]), now, POLICY)
            if not what[1]:
                over = standing is None or standing.state is State.RESOLVED
                highest = [what[0].rank] if over else [*highest, what[0].rank]
            standing = outcome.incident or standing
        elif standing is not None:
            answer = apply_act(
                standing, what, now, ActArguments(person=MIA, until=now + timedelta(hours=1), silence=SILENCE)
            )
            standing = answer.incident if isinstance(answer, Transitioned) else standing
        if standing is None:
            continue
        assert (standing.state is State.SILENCED) == (standing.silenced_by is not None)
        assert (standing.state is State.SILENCED) == (standing.state_before is not None)
        assert (standing.state is State.RESOLVED) == (standing.resolved_at is not None)
        assert standing.state is not State.OPEN or (standing.acknowledged_at, standing.snoozed_until) == (None, None)
        assert standing.state is not State.ACKNOWLEDGED or standing.acknowledged_by == MIA
        assert standing.state is not State.SNOOZED or standing.snoozed_until is not None
        assert standing.state is State.RESOLVED or standing.severity.rank == max(highest)


# The page


def test_the_page_of_states_is_current() -> None:
    assert states.PAGE.read_text(encoding="utf-8") == states.page(), "run python -m ops.states --write"


@pytest.mark.parametrize("kind", [State, Act, Reason])
def test_every_word_is_explained_where_it_is_declared(kind: type[State | Act | Reason]) -> None:
    meanings = states._meanings(kind.__name__)
    assert {member.name for member in kind} == set(meanings)
    assert all(len(meaning) > 10 for meaning in meanings.values())
