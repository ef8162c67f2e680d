"""A flapping incident causes one notice, and normal notices after half an hour of calm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inbox.domain.deliveries.suppression import NON_ALERTS, mark_notified, suppression_cause
from inbox.domain.incidents import flapping
from inbox.domain.incidents.event_transition import EventEffect, EventTransition, ReopenPolicy, on_event
from inbox.domain.incidents.incident import (
    Act,
    Incident,
    NoChange,
    Reason,
    State,
    Transitioned,
    apply_act,
    replace_fast,
)
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
POLICY = ReopenPolicy.of_minutes(15, 60)
SILENCE = UUID(int=8)
WARNING, ERROR, CRITICAL = Severity.WARNING, Severity.ERROR, Severity.CRITICAL


@dataclass
class Story:
    """One fingerprint's incident, event by event; `reported` are the reasons of its possible notices, in order."""

    policy: ReopenPolicy = POLICY
    standing: Incident | None = None
    reported: list[str] = field(default_factory=list)
    withheld: list[str] = field(default_factory=list)

    def event(
        self, minute: float, recovers: bool, severity: Severity = Severity.ERROR, **more: object
    ) -> EventTransition:
        at = NOW + minute * MINUTE
        outcome = on_event(self.standing, EventEffect(severity, at, recovers=recovers), at, self.policy, **more)
        self.standing = outcome.incident or self.standing
        self._say(outcome.reason)
        return outcome

    def act(self, act: Act, minute: float) -> Transitioned | NoChange:
        assert self.standing is not None
        answer = apply_act(self.standing, act, NOW + minute * MINUTE)
        assert isinstance(answer, Transitioned | NoChange)
        if isinstance(answer, Transitioned):
            self.standing = answer.incident
            self._say(answer.reason)
        return answer

    def alternate(self, minutes: Sequence[float]) -> None:
        """Open at the first of these, then resolve, open, … at the others."""
        for turn, minute in enumerate(minutes):
            self.event(minute, recovers=bool(turn % 2))

    def _say(self, reason: Reason | None) -> None:
        if reason is not None:
            assert self.standing is not None
            cause = suppression_cause(self.standing, reason)
            if cause is None and reason not in NON_ALERTS:
                self.standing = replace_fast(self.standing, notified_severity=self.standing.severity)
            (self.reported if cause is None else self.withheld).append(str(reason))

    @property
    def flaps(self) -> bool:
        assert self.standing is not None
        return self.standing.flapping


def flapping_story() -> Story:
    """Opened at 0, flapping since its third end at minute 5."""
    story = Story()
    story.alternate(range(6))
    assert story.flaps
    return story


def test_the_fifth_state_change_is_notified_as_flapping_instead_of_the_change() -> None:
    story = Story()
    story.alternate(range(5))
    assert not story.flaps
    assert story.reported == ["opened", "resolved", "reopened", "resolved", "reopened"]

    story.event(5, recovers=True)

    assert story.flaps
    assert story.reported[5:] == ["flapping"]
    assert story.withheld == []


def test_notices_of_a_flapping_incident_are_withheld_except_a_higher_severity() -> None:
    story = flapping_story()
    story.reported.clear()

    story.alternate([6, 7, 8])
    story.event(9, recovers=False, severity=Severity.CRITICAL)
    story.event(25, recovers=False)

    assert story.reported == ["escalated"]
    assert story.withheld == ["reopened", "resolved", "reopened", "reoccurred"]


def test_a_flapping_incident_that_reopens_above_any_notified_severity_is_notified_once() -> None:
    story = flapping_story()
    story.reported.clear()

    for minute, severity in enumerate([ERROR, WARNING, ERROR, CRITICAL, ERROR, CRITICAL]):
        story.event(6 + 2 * minute, recovers=False, severity=severity)
        story.event(7 + 2 * minute, recovers=True)

    assert story.reported == ["reopened"]
    assert story.withheld == ["reopened", "resolved"] * 3 + ["resolved"] + ["reopened", "resolved"] * 2


def test_a_flapping_successor_is_compared_with_the_severities_of_its_predecessors() -> None:
    story = Story(policy=ReopenPolicy(reopen_window=timedelta()))
    story.alternate(range(6))
    story.reported.clear()

    for minute, severity in enumerate([ERROR, CRITICAL, CRITICAL]):
        story.event(6 + 2 * minute, recovers=False, severity=severity)
        story.event(7 + 2 * minute, recovers=True)

    assert story.reported == ["opened"]
    assert story.withheld == ["opened", "resolved", "resolved", "opened", "resolved"]


@pytest.mark.parametrize(("last", "flaps"), [(29.9, True), (30, True), (30.1, False)])
def test_five_moves_within_thirty_minutes_are_too_many_and_in_a_longer_time_they_are_not(
    last: float, flaps: bool
) -> None:
    story = Story()
    story.alternate([-50, 0, 1, 2, 3, last])
    assert story.flaps is flaps


def test_the_first_opening_is_no_state_change_of_flapping() -> None:
    story = Story()
    story.alternate(range(5))
    assert story.standing is not None
    assert len(story.standing.flips) == 4


def test_the_end_of_flapping_is_notified_after_half_an_hour_without_a_change() -> None:
    story = flapping_story()
    assert story.act(Act.FLAPPING_ENDS, 34.9) == NoChange()

    story.act(Act.FLAPPING_ENDS, 35)

    assert not story.flaps
    assert story.reported[-2:] == ["flapping", "resolved"]
    assert story.act(Act.FLAPPING_ENDS, 36) == NoChange()


def test_an_incident_open_at_the_end_of_flapping_is_notified_once() -> None:
    story = flapping_story()
    story.event(6, recovers=False)
    assert story.standing is not None
    story.standing = replace_fast(story.standing, notified_at=NOW)

    story.act(Act.FLAPPING_ENDS, 36)

    assert not story.flaps
    assert story.reported[-2:] == ["flapping", "renotify"]
    assert story.act(Act.FLAPPING_ENDS, 37) == NoChange()


def test_a_repeat_leaves_the_end_of_flapping_to_its_timer() -> None:
    story = flapping_story()
    story.event(6, recovers=False)

    story.event(37, recovers=False)

    assert story.flaps
    assert isinstance(story.act(Act.FLAPPING_ENDS, 37), Transitioned)


def test_repeats_do_not_prolong_flapping() -> None:
    story = flapping_story()
    story.event(6, recovers=False)
    for minute in range(7, 36):
        story.event(minute, recovers=False)

    assert isinstance(story.act(Act.FLAPPING_ENDS, 36), Transitioned)


def test_a_late_end_of_flapping_withholds_nothing() -> None:
    story = flapping_story()

    story.event(35, recovers=False)

    assert not story.flaps
    assert story.reported[-1] == "reopened"
    assert story.act(Act.FLAPPING_ENDS, 36) == NoChange()


def test_reopening_by_people_counts_as_flapping() -> None:
    story = Story()
    story.event(0, recovers=False)
    for turn, minute in enumerate(range(1, 6)):
        story.act(Act.REOPEN if turn % 2 else Act.RESOLVE, minute)

    assert story.flaps
    assert story.reported == ["opened", "resolved", "reopened", "resolved", "reopened", "flapping"]
    story.act(Act.REOPEN, 6)
    assert story.withheld == ["reopened"]


def test_flapping_that_begins_under_a_silence_is_not_notified() -> None:
    story = Story()
    story.alternate(range(4))
    story.event(4, recovers=False, silenced_by=SILENCE)
    story.event(5, recovers=True)

    assert story.flaps
    assert "flapping" not in story.reported
    story.act(Act.FLAPPING_ENDS, 35)
    assert story.reported[-1] == "resolved"


def test_a_successor_takes_over_the_state_changes_of_its_resolved_predecessor() -> None:
    story = Story(ReopenPolicy.of_minutes(15, 0))
    story.alternate(range(5))
    assert not story.flaps

    story.event(5, recovers=True)

    assert story.reported == ["opened", "resolved", "opened", "resolved", "opened", "flapping"]


def test_a_successor_of_a_flapping_incident_is_notified_when_flapping_ends_open() -> None:
    story = Story(ReopenPolicy.of_minutes(15, 0))
    story.alternate(range(6))
    outcome = story.event(6, recovers=False)
    assert (outcome.is_new, story.withheld) == (True, ["opened"])

    story.act(Act.FLAPPING_ENDS, 36)

    assert story.reported[-2:] == ["flapping", "opened"]


def test_a_successor_after_the_end_of_flapping_does_not_flap() -> None:
    story = flapping_story()
    outcome = story.event(5 + 61, recovers=False)

    assert outcome.is_new
    assert not story.flaps
    assert story.reported[-1] == "opened"


@given(st.lists(st.tuples(st.integers(0, 40), st.booleans()), max_size=40))
@example([*[(0, bool(number % 2)) for number in range(7)], (6, False), (12, False), (12, False)])
def test_the_flag_follows_from_the_last_six_moves_alone(steps: list[tuple[int, bool]]) -> None:
    """Against a slow model, which keeps all moves and reads them all each time."""
    story, minute, moves, flaps = Story(), 0, [], False
    for wait, recovers in steps:
        minute += wait
        was = story.standing
        story.event(minute, recovers)
        if was is None or story.standing is None:
            continue
        if (was.state is State.RESOLVED) != (story.standing.state is State.RESOLVED):
            near, far = (sum(moves[-1] - move <= span for move in moves) for span in (30, 180))
            if flaps and minute - moves[-1] >= (60 if near < 5 and far >= 6 else 30):
                flaps, moves = False, []
            moves.append(minute)
            near, far = (sum(minute - move <= span for move in moves) for span in (30, 180))
            flaps = flaps or near >= 5 or far >= 6
        assert story.flaps == flaps  # without a move, the timer alone changes it


def test_a_move_that_was_held_up_does_not_turn_back_the_clock() -> None:
    late = flapping.record_change((NOW,), NOW - MINUTE, flapping=False)
    assert late.flips == (NOW, NOW)


@pytest.mark.parametrize(("flaps", "severity"), [(True, Severity.CRITICAL), (False, Severity.WARNING)])
def test_the_highest_notified_severity_counts_while_an_incident_flaps(*, flaps: bool, severity: Severity) -> None:
    now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    then = Incident(
        state=State.OPEN, severity=Severity.WARNING, last_severity=Severity.WARNING, first_seen_at=now, last_seen_at=now,
        opened_at=now, steps_taken=1, flapping=flaps, notified_severity=Severity.CRITICAL,
    )  # fmt: skip

    marked = mark_notified(then, Reason.ESCALATED, now)

    assert marked is not None and marked.notified_severity is severity
