"""What the clock does to an incident: each timer looks at it as it now stands, and does one thing or nothing.

Specification 3.5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain import escalation
from inbox.domain import notification_plan as rules
from inbox.domain.incident import Act, Actor, Reason, Transitioned, apply_act
from inbox.domain.notices import Traits
from inbox.domain.notification_plan import NotificationPlan
from inbox.flow.book import Book
from inbox.flow.ledger import Ledger
from inbox.flow.plans import WAKE, timers_of
from inbox.flow.sources import resolve
from inbox.flow.work import Done
from inbox.models import timers
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.queue import Bell

CLOCK = Actor("timer", "", "Clock")

Fire = Callable[[UUID, datetime, Done], None]


class Turn(NamedTuple):
    """A locked incident of which a timer is due by its plan, and where what happens is gathered."""

    incident: IncidentRow
    plan: NotificationPlan
    ledger: Book

    @property
    def states(self) -> dict[str, str]:
        """For the timeline: it stays where it is."""
        return {"from": self.incident.state_values.state, "to": self.incident.state_values.state}


def on_turn(kind: str, act: Callable[[Turn], None]) -> Fire:
    """What a timer of this kind does: `act`, if the incident as it stands has one that is due. One that is due later by
    now is set anew. What opened of a deleted source after all is resolved instead."""

    def fire(incident_id: UUID, now: datetime, done: Done) -> None:
        incident = incident_lock.lock(incident_id)
        origins = {} if incident is None else event_queue.source_contexts([incident.source_id])
        if incident is None or origins[incident.source_id].is_deleted:
            return
        ledger = Ledger(now, done, origins)
        plan = ledger.plans.of(incident)
        due_at = timers_of(plan, incident.state_values).get(kind)
        if due_at is None:
            return
        if due_at > now:
            timers.set_timer(kind, incident.id, incident.workspace_id, due_at)
            done.ring(Bell.TIMERS, at=due_at)
            return
        if origins[incident.source_id].source_is_deleted:
            resolve(incident, ledger)
        else:
            act(Turn(incident, plan, ledger))
        ledger.write()

    return fire


def _hold_ends(turn: Turn) -> None:
    """What was held is told for the first time since it opened, as it now stands.

    The exception is an incident whose severity a person raised meanwhile: those who are due get a reminder.
    """
    incident, plan, ledger = turn
    reason, told_at = Reason.OPENED, incident.state_values.told_at
    if told_at is not None:
        reason = Reason.RENOTIFY if told_at > incident.state_values.opened_at else Reason.REOPENED
    ledger.enter(incident, "delay_ended", CLOCK, turn.states)
    ledger.moved(incident, escalation.advance(plan, incident.state_values, ledger.now))
    ledger.tell_of(incident, reason)


def _step_is_due(turn: Turn) -> None:
    """The next step that wants its severity is told; steps that do not are passed in silence."""
    incident, plan, ledger = turn
    taken = incident.state_values.steps_taken
    after = escalation.advance(plan, incident.state_values, ledger.now)
    passed = plan.steps[taken : after.steps_taken]
    if not any(each.accepts(after.severity) for each in passed):
        ledger.moved(incident, after)
        return
    moved = apply_act(after, Act.STEP_DUE, ledger.now, steps=(plan.steps[taken - 1].number, passed[-1].number))
    assert isinstance(moved, Transitioned) and moved.escalation is not None and moved.reason is not None
    ledger.enter(incident, "escalated", CLOCK, {**turn.states, "escalation": moved.escalation.record()})
    ledger.moved(incident, moved.incident)
    ledger.tell_of(incident, moved.reason, escalation=moved.escalation, steps=passed)


def _does(act: Act, kind: str) -> Callable[[Turn], None]:
    """The act of the table of moves; `kind` is what the timeline calls it."""

    def carry_out(turn: Turn) -> None:
        incident, _, ledger = turn
        moved = apply_act(incident.state_values, act, ledger.now, by=CLOCK)
        if not isinstance(moved, Transitioned):
            return
        if ledger.keeps_timelines:
            ledger.enter(incident, kind, CLOCK, {"from": incident.state_values.state, "to": moved.incident.state})
        ledger.moved(incident, moved.incident)
        if moved.reason is not None:
            by, traits = CLOCK if act is Act.ACK_TIMEOUT else None, Traits(flapping_ended=act is Act.FLAPPING_ENDS)
            ledger.tell_of(incident, moved.reason, by=by, traits=traits)

    return carry_out


ACTS: Mapping[str, Callable[[Turn], None]] = {
    rules.DELAY: _hold_ends,
    rules.STEP: _step_is_due,
    rules.RENOTIFY: _does(Act.RENOTIFY_DUE, "renotified"),
    rules.ACK_TIMEOUT: _does(Act.ACK_TIMEOUT, "ack_timed_out"),
    rules.AUTO_RESOLVE: _does(Act.AUTO_RESOLVE, "resolved"),
    rules.FLAPPING_END: _does(Act.FLAPPING_ENDS, "flapping_ended"),
    WAKE: _does(Act.SNOOZE_ENDS, "snooze_expired"),
}

KINDS: Mapping[str, Fire] = {kind: on_turn(kind, act) for kind, act in ACTS.items()}
"""What a timer of each kind does to its incident."""
