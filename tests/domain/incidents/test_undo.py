"""Undo restores the incident from before the act, unless a later act changed it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from inbox.domain.incidents import undo
from inbox.domain.incidents.incident import Act, ActArguments, Actor, Incident, State, Transitioned, apply_act
from inbox.domain.incidents.incident import replace_fast as altered
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity

NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
MIA = Actor("user", "usr_x", "Mia")
ACTS = (Act.ACKNOWLEDGE, Act.UNACKNOWLEDGE, Act.SNOOZE, Act.UNSNOOZE, Act.RESOLVE, Act.REOPEN, Act.SILENCE_BEGINS)

OPEN = Incident(State.OPEN, Severity.ERROR, Severity.WARNING, NOW, NOW, NOW, flips=(NOW,))
STANDING = {
    State.OPEN: OPEN,
    State.ACKNOWLEDGED: altered(OPEN, state=State.ACKNOWLEDGED, acknowledged_at=NOW, acknowledged_by=UUID(int=7)),
    State.SNOOZED: altered(OPEN, state=State.SNOOZED, snoozed_until=NOW + timedelta(hours=1)),
    State.SILENCED: altered(OPEN, state=State.SILENCED, state_before=State.OPEN, silenced_by=UUID(int=9)),
    State.RESOLVED: altered(OPEN, state=State.RESOLVED, resolved_at=NOW, resolved_by=MIA),
}


def done(before: Incident, act: Act) -> Incident | None:
    later = NOW + timedelta(seconds=1)
    moved = apply_act(
        before,
        act,
        later,
        ActArguments(by=MIA, person=UUID(int=3), until=NOW + timedelta(hours=2), silence=UUID(int=4)),
    )
    return moved.incident if isinstance(moved, Transitioned) else None


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("state", list(State))
def test_every_act_can_be_undone_in_every_state(state: State, act: Act):
    before = STANDING[state]
    after = done(before, act)
    if after is None:
        return
    changed = json.loads(json.dumps(undo.change(before, after)))
    counted = altered(after, event_count=5, last_seen_at=NOW + timedelta(seconds=3), last_severity=Severity.INFO)

    assert changed
    assert undo.reverted(after, changed) == before
    assert undo.reverted(counted, changed) == altered(
        before, event_count=5, last_seen_at=NOW + timedelta(seconds=3), last_severity=Severity.INFO
    )
    assert undo.reverted(before, changed) is None


def test_an_act_on_an_incident_that_changed_since_is_not_undone():
    before = STANDING[State.OPEN]
    after = done(before, Act.ACKNOWLEDGE)
    assert after is not None
    repeated = altered(after, acknowledged_at=NOW + timedelta(seconds=2))

    assert undo.reverted(repeated, undo.change(before, after)) is None


def test_undo_reverts_every_field_except_counts_and_notifications():
    never = {"last_severity", "first_seen_at", "last_seen_at", "event_count", "notified_at", "notified_severity"}
    never.add("alerts")

    assert set(Incident._fields) - set(undo.REVERTED_FIELDS) == never


@pytest.mark.parametrize("was", list(State))
@pytest.mark.parametrize("state", list(State))
def test_an_undo_that_ends_or_reopens_is_notified_as_resolved_or_reopened(state: State, was: State):
    ends = state is State.RESOLVED and was is not State.RESOLVED
    reopens = was is State.RESOLVED and state is not State.RESOLVED

    expected = Reason.RESOLVED if ends else Reason.REOPENED if reopens else Reason.UPDATED
    assert undo.correction_reason(state, was) is expected
