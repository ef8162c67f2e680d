"""The moves of an incident: every state with every act, spelled out, and what each changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inbox.domain import ids
from inbox.domain.event_transition import Disposition, EventEffect, EventTransition, ReopenPolicy, on_event
from inbox.domain.incident import (
    EVENT_ACTS,
    Actor,
    Escalation,
    Incident,
    NoChange,
    Transitioned,
    TransitionRefused,
    apply_act,
)
from inbox.domain.severity import Severity
from inbox.domain.state_machine import (
    INITIAL_TRANSITIONS,
    TRANSITIONS,
    Act,
    NoticeCondition,
    Reason,
    State,
    Transition,
    lookup,
)
from inbox.domain.suppression import suppression_cause
from ops import states

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MIA = UUID(int=7)
SILENCE = UUID(int=8)
POLICY = ReopenPolicy.of_minutes(15, 60)

# The expectation is written out once more, in another form than the table's: rows are acts, columns the states
# open, acknowledged, snoozed, silenced, resolved. `=` is "already there", `-` impossible, else the state it leads to
# and, after a slash, the notice.
EXPECTED = """
trigger          open/reoccurred?       acknowledged      snoozed           silenced         open/reopened
trigger_higher   open/escalated         open/escalated    open/escalated    silenced/escalated?  -
trigger_silenced -                      -                 -                 =                silenced/reopened?
trigger_snoozed  -                      -                 =                 -                snoozed
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


def incident(state: State = State.OPEN, severity: Severity = Severity.ERROR, **values: object) -> Incident:
    """An incident that has stood in `state` for an hour."""
    at = NOW - timedelta(hours=1)
    standing: dict[str, object] = {
        State.OPEN: {},
        State.ACKNOWLEDGED: {"acknowledged_at": at, "acknowledged_by": MIA},
        State.SNOOZED: {"snoozed_until": NOW + timedelta(hours=1)},
        State.SILENCED: {"state_before": State.OPEN, "silenced_by": SILENCE},
        State.RESOLVED: {"resolved_at": at, "resolved_by": Actor("user", "usr_1", "Mia")},
    }[state]
    return Incident(
        state=state,
        **{
            "severity": severity,
            "last_severity": severity,
            "first_seen_at": at,
            "last_seen_at": at,
            "opened_at": at,
            **standing,
            **values,
        },
    )


def event(severity: Severity = Severity.ERROR, at: datetime = NOW, *, recovers: bool = False) -> EventEffect:
    return EventEffect(severity, at, recovers=recovers, by=Actor("event", "evt_1", "disk full"))


def withheld(outcome: EventTransition) -> str | None:
    assert outcome.incident is not None
    assert outcome.reason is not None
    return suppression_cause(outcome.incident, outcome.reason)


def moved(answer: object) -> Transitioned:
    assert isinstance(answer, Transitioned), answer
    return answer


def test_the_expectation_names_every_state_and_every_act() -> None:
    assert {cell.values[:2] for cell in CELLS} == {(state, act) for state in State for act in Act}


@pytest.mark.parametrize(("state", "act", "cell"), CELLS)
def test_every_act_in_every_state_does_what_is_spelled_out(state: State, act: Act, cell: str) -> None:
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
        assert (found.only is not NoticeCondition.ALWAYS) == notice.endswith("?")


@pytest.mark.parametrize(("state", "act", "cell"), [cell for cell in CELLS if cell.values[1] not in EVENT_ACTS])
def test_a_step_ends_where_the_table_says(state: State, act: Act, cell: str) -> None:
    standing = incident(state, flapping=True, flips=(NOW - timedelta(hours=1),), told_at=NOW - timedelta(hours=1))
    answer = apply_act(standing, act, NOW, person=MIA, until=NOW + timedelta(hours=2), silence=SILENCE, steps=(1, 2))

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


def test_without_an_incident_an_event_opens_one_or_only_tells() -> None:
    assert INITIAL_TRANSITIONS == {
        Act.TRIGGER: Transition(State.OPEN, Reason.OPENED),
        Act.TRIGGER_SILENCED: Transition(State.SILENCED, Reason.OPENED, NoticeCondition.WITHHELD),
        Act.TRIGGER_SNOOZED: Transition(State.SNOOZED),
        Act.NOTIFY: Transition(None, Reason.INFORMATIONAL),
    }


def test_nothing_leaves_resolved_but_an_event_or_a_reopening() -> None:
    assert {act for (state, act), move in TRANSITIONS.items() if state is State.RESOLVED and move.to is not state} == {
        Act.TRIGGER,
        Act.TRIGGER_SILENCED,
        Act.TRIGGER_SNOOZED,
        Act.REOPEN,
    }


def test_acknowledging_says_who_and_when_and_giving_back_forgets_it() -> None:
    taken = moved(apply_act(incident(), Act.ACKNOWLEDGE, NOW, person=MIA)).incident
    assert (taken.acknowledged_at, taken.acknowledged_by) == (NOW, MIA)

    back = moved(apply_act(taken, Act.UNACKNOWLEDGE, NOW)).incident
    assert (back.acknowledged_at, back.acknowledged_by) == (None, None)


def test_acknowledging_ends_a_snooze() -> None:
    taken = moved(apply_act(incident(State.SNOOZED), Act.ACKNOWLEDGE, NOW, person=MIA)).incident
    assert taken.snoozed_until is None


def test_a_snooze_may_be_moved_and_to_the_same_time_it_is_no_move() -> None:
    first = NOW + timedelta(hours=1)
    snoozed = moved(apply_act(incident(), Act.SNOOZE, NOW, until=first)).incident
    assert snoozed.snoozed_until == first

    assert apply_act(snoozed, Act.SNOOZE, NOW, until=first) == NoChange()
    later = moved(apply_act(snoozed, Act.SNOOZE, NOW, until=first + timedelta(hours=1)))
    assert (later.incident.snoozed_until, later.reason) == (first + timedelta(hours=1), Reason.SNOOZED)


def test_a_snooze_without_an_end_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="snooze"):
        apply_act(incident(), Act.SNOOZE, NOW)


def test_waking_forgets_who_had_taken_it_before_the_snooze() -> None:
    put_off = moved(apply_act(incident(State.ACKNOWLEDGED), Act.SNOOZE, NOW, until=NOW + timedelta(minutes=5))).incident
    awake = moved(apply_act(put_off, Act.SNOOZE_ENDS, NOW + timedelta(minutes=5)))

    assert awake.reason is Reason.SNOOZE_EXPIRED
    assert (awake.incident.acknowledged_by, awake.incident.snoozed_until) == (None, None)


@pytest.mark.parametrize(
    ("before", "reason"),
    [(State.OPEN, Reason.SILENCE_EXPIRED), (State.ACKNOWLEDGED, None), (State.SNOOZED, None)],
)
def test_the_end_of_a_silence_gives_back_the_state_before(before: State, reason: Reason | None) -> None:
    hushed = moved(apply_act(incident(before), Act.SILENCE_BEGINS, NOW, silence=SILENCE)).incident
    assert (hushed.state, hushed.state_before, hushed.silenced_by) == (State.SILENCED, before, SILENCE)

    heard = moved(apply_act(hushed, Act.SILENCE_ENDS, NOW + timedelta(minutes=1)))
    assert heard.incident == incident(before)
    assert heard.reason is reason


def test_a_snooze_that_ran_out_under_a_silence_ends_with_it() -> None:
    hushed = moved(apply_act(incident(State.SNOOZED), Act.SILENCE_BEGINS, NOW, silence=SILENCE)).incident
    heard = moved(apply_act(hushed, Act.SILENCE_ENDS, NOW + timedelta(hours=2)))

    assert (heard.incident.state, heard.incident.snoozed_until) == (State.OPEN, None)
    assert heard.reason is Reason.SILENCE_EXPIRED


def test_resolving_says_who_and_when_and_forgets_silence_and_snooze() -> None:
    by = Actor("user", "usr_1", "Mia")
    over = moved(apply_act(incident(State.SILENCED), Act.RESOLVE, NOW, by=by)).incident

    assert (over.resolved_at, over.resolved_by) == (NOW, by)
    assert (over.silenced_by, over.state_before, over.snoozed_until) == (None, None, None)


def test_a_person_reopens_with_the_severity_it_had() -> None:
    again = moved(apply_act(incident(State.RESOLVED, Severity.CRITICAL), Act.REOPEN, NOW)).incident

    assert (again.severity, again.reopen_count, again.opened_at) == (Severity.CRITICAL, 1, NOW)
    assert (again.resolved_at, again.resolved_by) == (None, None)


def test_editing_may_change_the_severity_either_way() -> None:
    assert moved(apply_act(incident(), Act.EDIT, NOW, severity=Severity.WARNING)).incident.severity is Severity.WARNING
    assert moved(apply_act(incident(), Act.EDIT, NOW)).incident == incident()


def test_a_step_of_the_profile_says_from_which_step_to_which() -> None:
    assert moved(apply_act(incident(), Act.STEP_DUE, NOW, steps=(1, 2))).escalation == Escalation("step", 1, 2)


# Events


def test_the_first_event_opens_an_incident() -> None:
    outcome = on_event(None, event(), NOW, POLICY)

    assert (outcome.disposition, outcome.reason, outcome.is_new) == (Disposition.OPENED, Reason.OPENED, True)
    assert outcome.incident == Incident(State.OPEN, Severity.ERROR, Severity.ERROR, NOW, NOW, NOW)


def test_the_first_event_under_a_silence_opens_a_silenced_one_and_tells_nobody() -> None:
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
def test_a_repeat_is_told_only_after_quiet(quiet: timedelta, reason: Reason | None) -> None:
    outcome = on_event(incident(last_seen_at=NOW - quiet), event(Severity.WARNING), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.reason) == (Disposition.UPDATED, reason)
    assert (outcome.incident.event_count, outcome.incident.last_seen_at) == (2, NOW)
    assert (outcome.incident.severity, outcome.incident.last_severity) == (Severity.ERROR, Severity.WARNING)


@pytest.mark.parametrize("state", [State.ACKNOWLEDGED, State.SNOOZED, State.SILENCED])
def test_a_repeat_of_what_is_taken_put_off_or_silenced_is_counted_quietly(state: State) -> None:
    outcome = on_event(incident(state), event(), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.incident.state, outcome.reason, outcome.incident.event_count) == (state, None, 2)


@pytest.mark.parametrize("state", [State.OPEN, State.ACKNOWLEDGED, State.SNOOZED])
def test_a_higher_severity_opens_what_was_taken_or_put_off(state: State) -> None:
    outcome = on_event(incident(state), event(Severity.CRITICAL), NOW, POLICY)

    assert outcome.incident is not None
    assert (outcome.disposition, outcome.reason) == (Disposition.UPDATED, Reason.ESCALATED)
    assert outcome.escalation is not None
    assert outcome.escalation.record() == {"kind": "severity", "from": "ERROR", "to": "CRITICAL"}
    assert (outcome.incident.state, outcome.incident.severity) == (State.OPEN, Severity.CRITICAL)
    assert (outcome.incident.acknowledged_by, outcome.incident.snoozed_until) == (None, None)


def test_a_higher_severity_under_a_silence_tells_nobody_but_opens_what_the_silence_keeps() -> None:
    taken = moved(apply_act(incident(State.ACKNOWLEDGED), Act.SILENCE_BEGINS, NOW, silence=SILENCE)).incident
    outcome = on_event(taken, event(Severity.CRITICAL), NOW, POLICY)
    assert outcome.incident is not None
    assert (outcome.incident.state, outcome.reason) == (State.SILENCED, Reason.ESCALATED)
    assert str(withheld(outcome)).startswith("silenced:")

    heard = moved(apply_act(outcome.incident, Act.SILENCE_ENDS, NOW))
    assert (heard.incident.state, heard.reason) == (State.OPEN, Reason.SILENCE_EXPIRED)


@pytest.mark.parametrize("state", [State.OPEN, State.ACKNOWLEDGED, State.SNOOZED, State.SILENCED])
def test_a_recovery_resolves_whatever_is_unresolved(state: State) -> None:
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
def test_within_the_reopen_window_it_reopens_and_later_a_related_one_opens(over_for: int, is_new: bool) -> None:
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
def test_whatever_happens_the_values_agree_with_the_state(story: list[tuple[Severity, bool] | Act]) -> None:
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
            answer = apply_act(standing, what, now, person=MIA, until=now + timedelta(hours=1), silence=SILENCE)
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
