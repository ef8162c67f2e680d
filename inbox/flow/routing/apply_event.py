"""Applies one evaluated event to incidents: recovery, notification, waiting, silencing, opening or updating.

The module uses no database. Routing and the preview call it with their own `IncidentIndex` and `IncidentRecorder`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from inbox.domain.deliveries.suppression import silenced_cause
from inbox.domain.explaining import formatting
from inbox.domain.incidents.event_transition import (
    Disposition,
    EventEffect,
    EventTransition,
    ReopenPolicy,
    entry_kind,
    on_event,
    reopens,
)
from inbox.domain.incidents.incident import replace_fast
from inbox.domain.incidents.state_machine import RESOLVED, Act, Reason
from inbox.domain.routing.decision import RoutingOutcome
from inbox.domain.routing.rule_action import INCIDENT, RuleAction
from inbox.domain.routing.rules import OpenAfter, Rule
from inbox.domain.values import number_text
from inbox.flow.notices.notice import EventNotice, IncidentNotice
from inbox.flow.routing import alerts
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.late import set_aside
from inbox.flow.routing.recorder import IncidentRecorder, entry_details
from inbox.flow.routing.silence_coverage import UNNAMED, cover
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing.routing_results import DeferredEvent


def apply_event(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> RoutingOutcome:
    """Applies the event, and returns the outcome. The changes are in the index and the recorder afterwards."""
    index.left_out.clear()
    outcome = _applied(evaluated, index, recorder)
    return outcome._replace(sentences=(*outcome.sentences, _left_out_text(index))) if index.left_out else outcome


def _left_out_text(index: IncidentIndex) -> str:
    """Returns the sentence about the silences that cost too much for the present event."""
    names = [f'"{silence.name or UNNAMED}"' for silence in index.left_out]
    verb = "silence costs" if len(names) == 1 else "silences cost"
    return f"the {verb} too much for this event and cannot cover it: {formatting.names(names)}"


def _applied(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> RoutingOutcome:
    event, decision = evaluated.event, evaluated.decision
    if decision.rules_result.matched or decision.rules_result.left_out:
        index.match(event.workspace_id, decision.rules_result, event.received_at)
    late = None if event.sent_at is None else set_aside(evaluated, index, recorder)
    if late is not None:
        return late
    if not decision.recovers:
        return (
            _trigger(evaluated, index, recorder)
            if decision.target is INCIDENT
            else _set_aside(evaluated, index, recorder)
        )
    fingerprints = dict.fromkeys((evaluated.fingerprint, event.fingerprint))
    reset_count = index.recover(event.workspace_id, fingerprints)
    outcome = _recover(evaluated, fingerprints, index, recorder)
    if outcome is None:
        outcome = _UNMATCHED if decision.target is INCIDENT else _set_aside(evaluated, index, recorder)
    return outcome._replace(sentences=(*outcome.sentences, WAIT_RESET.format(reset_count))) if reset_count else outcome


WAIT_RESET = "the recovery resets the count of rules that wait for more events ({} counted so far)"


def _set_aside(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> RoutingOutcome:
    """Returns the outcome of an event that affects no incident."""
    target = evaluated.decision.target
    return _inform(evaluated, index, recorder) if target is RuleAction.NOTIFY else _SET_ASIDE[target]


_SET_ASIDE: Mapping[RuleAction, RoutingOutcome] = {
    RuleAction.LOG: RoutingOutcome(Disposition.LOGGED),
    RuleAction.DROP: RoutingOutcome(Disposition.DROPPED),
}
_UNMATCHED = RoutingOutcome(Disposition.UNMATCHED, None, Act.RECOVER)


def _recover(
    evaluated: EvaluatedEvent, fingerprints: Iterable[str], index: IncidentIndex, recorder: IncidentRecorder
) -> RoutingOutcome | None:
    """Ends the alert of the recovery in every incident that it names, regardless of rules, and resolves those without
    a firing alert. The event is counted on the first.
    """
    event, outcomes, unmatched = evaluated.event, list[RoutingOutcome](), None
    for incident in index.unresolved(event.source_id, fingerprints, event.dedup_key):
        ended = alerts.end(incident, evaluated, recorder, counts_event=not outcomes)
        if ended is None:
            unmatched = _UNMATCHED._replace(sentences=(alerts.NO_ALERT_TEXT,))
            continue
        by = recorder.event_actor(evaluated.event.id, evaluated.routing.source_name)
        counts = 0 if outcomes else 1
        effect = EventEffect(event.severity, event.received_at, True, by, None, counts, ended.others_fire)
        outcome = on_event(incident.state_values, effect, recorder.now, ReopenPolicy())
        assert outcome.incident is not None
        outcome = outcome._replace(incident=replace_fast(outcome.incident, alerts=ended.counts))
        _change(incident, evaluated, outcome, recorder)
        text = (alerts.still_firing(ended.counts),) if ended.others_fire else ()
        outcomes.append(RoutingOutcome(outcome.disposition, incident.id, outcome.act, outcome.reason, text))
    return outcomes[0] if outcomes else unmatched


def _inform(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> RoutingOutcome:
    """Adds a notice of the event itself. If a silence covers the event, the notice is stored without recipients."""
    silence = index.covering(evaluated, recorder.now, None)
    if silence is not None:
        index.silenced_counts[silence.id] += 1
    recorder.add_event_notice(_notice_of(evaluated, None if silence is None else silence.id))
    text = () if silence is None else ("a silence covers the event: no notification",)
    return RoutingOutcome(Disposition.NOTIFIED, None, Act.NOTIFY, Reason.INFORMATIONAL, text)


def _notice_of(evaluated: EvaluatedEvent, silence: UUID | None) -> EventNotice:
    event, decision = evaluated.event, evaluated.decision
    return EventNotice(
        event_id=event.id,
        workspace_id=event.workspace_id,
        source_id=event.source_id,
        title=event.title,
        severity=decision.severity,
        resource=event.resource,
        received_at=event.received_at,
        routing_profile_id=decision.notify_target.profile_id,
        destination_ids=decision.notify_target.destination_ids,
        withheld=None if silence is None else silenced_cause(silence),
    )


def _trigger(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> RoutingOutcome:
    evaluated, incident, text = place(evaluated, index, recorder.now)
    if incident is None or incident.state_values.state is RESOLVED:
        return open_incident(evaluated, incident, index, recorder, text)
    if evaluated.routing.config.silences:
        cover(incident, evaluated, index, recorder)
    occurrence = EventEffect(evaluated.decision.severity, evaluated.event.received_at)
    policy = _policy(evaluated)
    if evaluated.event.sent_at is not None and index.sender_times.is_same_alarm:
        policy = policy.for_same_alarm()
    outcome = on_event(incident.state_values, occurrence, recorder.now, policy)
    return _after(text, _updated(incident, evaluated, outcome, index, recorder))


OF_GROUP = "the alerts of a group of the tool are one incident"
FIRES_HERE = "the alert already fires in this incident"
APART = "a silence covers the alert: it has an incident of its own, outside the group of the tool"


def place(
    evaluated: EvaluatedEvent, index: IncidentIndex, now: datetime
) -> tuple[EvaluatedEvent, IncidentRow | None, tuple[str, ...]]:
    """Returns the event, the newest incident that may take it, and the sentences about its place.

    In a group of the tool an alert stays where it fires. One that a silence covers has an incident of its own, so
    that the silence hides no other alert of the group.
    """
    incident = index.incident_of(evaluated)
    if not evaluated.is_of_group:
        return evaluated, incident, ()
    if incident is not None and incident.fingerprint != evaluated.fingerprint:
        return evaluated, incident, (FIRES_HERE,)
    is_known = incident is not None and incident.has_firing(evaluated.event.dedup_key)
    if not is_known and index.covering(evaluated, now, None) is not None:
        evaluated = evaluated.apart()
        return evaluated, index.incident_of(evaluated), (APART,)
    return evaluated, incident, (OF_GROUP,)


def open_incident(
    evaluated: EvaluatedEvent,
    before: IncidentRow | None,
    index: IncidentIndex,
    recorder: IncidentRecorder,
    text: tuple[str, ...] = (),
) -> RoutingOutcome:
    """Opens or reopens an incident, unless the deciding rule waits for more events. A repeat is not counted."""
    event, decision, waiting = evaluated.event, evaluated.decision, tuple[DeferredEvent, ...]()
    needed = None if event.is_repeat else evaluated.threshold
    if needed is not None and decision.rule_id is not None:
        this = DeferredEvent(event.received_at, event.id, alerts.reported(evaluated))
        waiting = tuple(index.wait(event.workspace_id, decision.rule_id, evaluated.counted_as, needed, this))
        sentence = f"event {len(waiting)} of {needed.count} within {number_text.duration_text(needed.within)}"
        if len(waiting) < needed.count:
            return _waits(sentence, needed, decision.rules_result.rule)
        text = (*text, sentence)
    since, counts = waiting[0].at if waiting else None, 0 if event.is_repeat else max(1, len(waiting))
    occurrence = EventEffect(decision.severity, event.received_at, since=since, counts=counts)
    reopened = before if before is not None and reopens(before.state_values, occurrence, _policy(evaluated)) else None
    if reopened is not None:
        _tag(reopened, decision.rules_result.tags)
    silence = index.covering(evaluated, recorder.now, reopened)
    outcome = on_event(
        before.state_values if before else None,
        occurrence,
        recorder.now,
        _policy(evaluated),
        silenced_by=None if silence is None else silence.id,
        snooze=decision.rules_result.snooze,
    )
    incident = _new(evaluated, outcome, before, recorder) if outcome.is_new or before is None else before
    if incident is not before:
        index.add(incident)
    index.join((one for one in waiting if one.event_id != event.id), incident)
    incident.rule_id, incident.routing_profile_id = decision.rule_id, decision.notify_target.profile_id
    incident.destination_ids = list(decision.notify_target.destination_ids)
    incident.people = decision.notify_target.people
    return _after(text, _updated(incident, evaluated, outcome, index, recorder, waiting))


def _after(text: tuple[str, ...], outcome: RoutingOutcome) -> RoutingOutcome:
    return outcome._replace(sentences=(*text, *outcome.sentences)) if text else outcome


def _waits(sentence: str, needed: OpenAfter, rule: Rule | None) -> RoutingOutcome:
    """Returns the outcome of an event that a rule counts before it opens an incident."""
    name, nth = "" if rule is None else f' "{rule.name}"', number_text.ordinal(needed.count)
    explanation = f"{sentence}. No incident yet: rule{name} opens one at the {nth}"
    return RoutingOutcome(Disposition.WAITING, sentences=(explanation,))


def _policy(evaluated: EvaluatedEvent) -> ReopenPolicy:
    policy = evaluated.routing.config.policies[evaluated.decision.notify_target.profile_id]
    return policy.for_repeat() if evaluated.event.is_repeat else policy


def _updated(
    incident: IncidentRow,
    evaluated: EvaluatedEvent,
    outcome: EventTransition,
    index: IncidentIndex,
    recorder: IncidentRecorder,
    deferred: Sequence[DeferredEvent] = (),
) -> RoutingOutcome:
    outcome, text = alerts.fire(incident, evaluated, outcome, index, recorder, deferred)
    _change(incident, evaluated, outcome, recorder)
    if incident.state_values.silenced_by is not None:
        index.silenced_counts[incident.state_values.silenced_by] += 1
    act = alerts.recorded_act(outcome.act, text)
    return RoutingOutcome(outcome.disposition, incident.id, act, outcome.reason, text)


def _tag(incident: IncidentRow, tags: Sequence[str]) -> None:
    """Adds the tags of rules to a reopened incident, like to a new one."""
    if not set(tags) <= set(incident.tags):
        incident.tags, incident.is_renamed = list(dict.fromkeys((*incident.tags, *tags))), True


def _new(
    evaluated: EvaluatedEvent, outcome: EventTransition, before: IncidentRow | None, recorder: IncidentRecorder
) -> IncidentRow:
    assert outcome.incident is not None
    event = evaluated.event
    return IncidentRow(
        id=recorder.make_id(),
        workspace_id=event.workspace_id,
        source_id=event.source_id,
        fingerprint=evaluated.fingerprint,
        title=event.title,
        state_values=outcome.incident,
        resource=event.resource,
        type=event.type,
        tags=evaluated.tags if evaluated.decision.rules_result.tags else event.tags,
        dedup_key=event.dedup_key,
        related_incident_id=before.id if before is not None and outcome.follows else None,
        is_new=True,
    )


def _change(
    incident: IncidentRow, evaluated: EvaluatedEvent, outcome: EventTransition, recorder: IncidentRecorder
) -> None:
    assert outcome.incident is not None
    kind = entry_kind(outcome)
    if kind is None:
        counts_only = outcome.incident.alerts is incident.state_values.alerts
        return (recorder.count_event if counts_only else recorder.update)(incident, outcome.incident)
    if outcome.act is Act.TRIGGER_HIGHER or kind == "reopened":
        incident.retitle(evaluated.event.title)
    event_id = evaluated.event.id
    by = recorder.event_actor(event_id, evaluated.routing.source_name) if recorder.writes_timelines else None
    if by is not None:
        details = entry_details(incident, evaluated.event, outcome)
        recorder.add_timeline_entry(incident, kind, by, details, event_id=event_id)
    recorder.update(incident, outcome.incident)
    if outcome.reason is not None:
        by = by if evaluated.event.is_repeat else None
        recorder.add_notice(IncidentNotice(incident, outcome.reason, outcome.escalation, by, event_id))
