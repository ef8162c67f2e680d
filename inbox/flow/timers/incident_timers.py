"""The timer handlers of incidents. Each handler reads the current values, and performs one act or none.

Specification 3.5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from inbox.domain.deliveries import notification_plan as rules
from inbox.domain.deliveries.hastening import NOBODY_PAGED, hasten
from inbox.domain.deliveries.notices import NoticeTraits
from inbox.domain.deliveries.notification_plan import NotificationPlan
from inbox.domain.deliveries.pages import StepKey
from inbox.domain.incidents.incident import Act, ActArguments, Actor, Reason, Transitioned, apply_act
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.alerts import tell_joined
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.flow.timers.incident_schedule import SNOOZE_END, timers_of
from inbox.flow.timers.source_deletion import resolve
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import pages as stored_pages
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents import timers
from inbox.models.incidents.lock import IncidentRow
from inbox.runtime.queue import QueueName

TIMER_ACTOR = Actor("timer", "", "Clock")

TimerHandler = Callable[[UUID, datetime, AfterCommit], None]


class TimerContext(NamedTuple):
    """A locked incident with a due timer, its plan, and the writer of the changes."""

    incident: IncidentRow
    plan: NotificationPlan
    writer: IncidentRecorder
    by: Actor | None = None
    """The person who takes the step early, instead of the clock."""

    @property
    def states(self) -> dict[str, str]:
        """Returns the details of a timeline entry whose state does not change."""
        return {"from": self.incident.state_values.state, "to": self.incident.state_values.state}


def on_timer(kind: str, act: Callable[[TimerContext], None]) -> TimerHandler:
    """Returns the handler of a kind of timer, which calls `act` if the incident's timer of this kind is due.

    A timer that is now due later is set again, and so is a timer of a closed workspace. An incident of a deleted source
    is resolved instead.
    """

    def fire(incident_id: UUID, now: datetime, done: AfterCommit) -> None:
        incident = incident_lock.lock(incident_id)
        origins = {} if incident is None else event_queue.source_contexts([incident.source_id])
        if incident is None:
            return
        if origins[incident.source_id].is_deleted:
            timers.set_timer(kind, incident.id, incident.workspace_id, now + timers.CLOSED_WORKSPACE_DELAY)
            return
        writer = IncidentWriter(now, done, origins)
        plan = writer.plans.of(incident)
        due_at = timers_of(plan, incident.state_values).get(kind)
        if due_at is None:
            return
        if due_at > now:
            timers.set_timer(kind, incident.id, incident.workspace_id, due_at)
            done.wake(QueueName.TIMERS, at=due_at)
            return
        if origins[incident.source_id].source_is_deleted:
            resolve(incident, writer)
        else:
            act(TimerContext(incident, plan, writer))
        write_changes(writer)

    return fire


def _delay_ends(context: TimerContext) -> None:
    """Sends the first notice of a delayed incident since it opened, with its current values.

    If a person raised the severity meanwhile, the due destinations get a reminder instead.
    """
    incident, plan, writer, by = context
    reason, notified_at = Reason.OPENED, incident.state_values.notified_at
    if notified_at is not None:
        reason = Reason.RENOTIFY if notified_at > incident.state_values.opened_at else Reason.REOPENED
    writer.add_timeline_entry(incident, "delay_ended", by or TIMER_ACTOR, context.states)
    writer.update(incident, rules.advance(plan, incident.state_values, writer.now))
    writer.add_notice(IncidentNotice(incident, reason, by=by))


def _step_is_due(context: TimerContext) -> None:
    """Notifies the next due steps that accept the severity; skips the other due steps without a notice."""
    incident, plan, writer, by = context
    former_steps = rules.taken_steps(plan, incident.state_values)
    after = rules.advance(plan, incident.state_values, writer.now)
    reached_steps = rules.taken_steps(plan, after)[len(former_steps) :]
    if not any(each.accepts(after.severity) for each in reached_steps):
        writer.update(incident, after)
        return
    former_number = former_steps[-1].number if former_steps else 0  # 0: the steps that were taken are removed
    changed = apply_act(after, Act.STEP_DUE, writer.now, ActArguments(steps=(former_number, reached_steps[-1].number)))
    assert isinstance(changed, Transitioned) and changed.escalation is not None and changed.reason is not None
    writer.add_timeline_entry(
        incident, "escalated", by or TIMER_ACTOR, {**context.states, "escalation": changed.escalation.record()}
    )
    writer.update(incident, changed.incident)
    writer.add_notice(
        IncidentNotice(incident, changed.reason, escalation=changed.escalation, by=by, steps=reached_steps)
    )


def take_step(context: TimerContext) -> None:
    """Takes the step that is due now, as its timer does. Before the first one it ends the delay."""
    if context.incident.state_values.steps_taken:
        _step_is_due(context)
    else:
        _delay_ends(context)


def _nobody_was_paged(context: TimerContext) -> None:
    """Takes the next step at once, if the last one reached nobody and is still the last."""
    incident, plan, writer, _ = context
    values = incident.state_values
    hastened = hasten(plan, values, writer.now)
    if hastened is values:
        return
    last = rules.taken_steps(plan, values)[-1]
    key = StepKey(incident.id, values.opened_at, last.number, last.round)
    if not stored_pages.reached_nobody(key, last.destination_ids):
        return
    writer.update(incident, hastened)
    _step_is_due(context)


def _joined_are_due(context: TimerContext) -> None:
    """Tells people of the alerts that joined within the quiet period after the last notice about such alerts."""
    tell_joined([context.incident], context.writer)


def _run_act(act: Act, kind: str) -> Callable[[TimerContext], None]:
    """Returns a handler that applies an act from the table of transitions; `kind` is the kind of the timeline entry."""

    def carry_out(turn: TimerContext) -> None:
        incident, _, writer, _ = turn
        changed = apply_act(incident.state_values, act, writer.now, ActArguments(by=TIMER_ACTOR))
        if not isinstance(changed, Transitioned):
            return
        if writer.writes_timelines:
            writer.add_timeline_entry(
                incident, kind, TIMER_ACTOR, {"from": incident.state_values.state, "to": changed.incident.state}
            )
        writer.update(incident, changed.incident)
        if changed.reason is not None:
            by, traits = (
                TIMER_ACTOR if act is Act.ACK_TIMEOUT else None,
                NoticeTraits(flapping_ended=act is Act.FLAPPING_ENDS),
            )
            writer.add_notice(IncidentNotice(incident, changed.reason, by=by, traits=traits))

    return carry_out


ACTS: Mapping[str, Callable[[TimerContext], None]] = {
    rules.DELAY: _delay_ends,
    rules.STEP: _step_is_due,
    rules.RENOTIFY: _run_act(Act.RENOTIFY_DUE, "renotified"),
    rules.ACK_TIMEOUT: _run_act(Act.ACK_TIMEOUT, "ack_timed_out"),
    rules.AUTO_RESOLVE: _run_act(Act.AUTO_RESOLVE, "resolved"),
    rules.JOINED: _joined_are_due,
    rules.FLAPPING_END: _run_act(Act.FLAPPING_ENDS, "flapping_ended"),
    SNOOZE_END: _run_act(Act.SNOOZE_ENDS, "snooze_expired"),
}


def act_now(act: Callable[[TimerContext], None]) -> TimerHandler:
    """Returns the handler of a timer that is always due at once, and acts if the incident takes timers."""

    def fire(incident_id: UUID, now: datetime, done: AfterCommit) -> None:
        incident = incident_lock.lock(incident_id)
        if incident is None:
            return
        origins = event_queue.source_contexts([incident.source_id])
        origin = origins[incident.source_id]
        if origin.is_deleted or origin.source_is_deleted:
            return
        writer = IncidentWriter(now, done, origins)
        act(TimerContext(incident, writer.plans.of(incident), writer))
        write_changes(writer)

    return fire


KINDS: Mapping[str, TimerHandler] = {
    **{kind: on_timer(kind, act) for kind, act in ACTS.items()},
    NOBODY_PAGED: act_now(_nobody_was_paged),
}
"""The handler for each kind of timer."""
