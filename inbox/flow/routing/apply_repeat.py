"""Applies a repeat: the sender reports an alarm again with the same beginning, severity and content (specification 3.3).

A repeat is no event: it is not counted, no rule counts it, and it causes a notice only where it reopens an incident.
"""

from __future__ import annotations

from inbox.domain.incidents.incident import replace_fast
from inbox.domain.incidents.repeats import RepeatEffect, effect_of, seen_values
from inbox.domain.routing.rule_action import INCIDENT
from inbox.flow.routing import alerts
from inbox.flow.routing.apply_event import open_incident, place
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.late import set_aside
from inbox.flow.routing.recorder import IncidentRecorder


def apply_repeat(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> None:
    """Applies the repeat of an event to the incident of its fingerprint. The changes are in the recorder afterwards."""
    event, decision = evaluated.event, evaluated.decision
    if decision.recovers or decision.target is not INCIDENT:
        return
    if set_aside(evaluated, index, recorder) is not None:
        return
    evaluated, incident, _ = place(evaluated, index, recorder.now)
    if incident is None:
        if evaluated.threshold is None:
            open_incident(evaluated, None, index, recorder)
        return
    values = incident.state_values
    seen = replace_fast(values, **seen_values(values, event.received_at))
    match effect_of(values, event.received_at):
        case RepeatEffect.SEEN if not alerts.has_just_ended(incident, evaluated):
            after, _ = alerts.see(incident, seen, evaluated, index, recorder)
            is_known = after.alerts is seen.alerts
            (recorder.count_event if is_known else recorder.update)(incident, after)
        case RepeatEffect.NOTED:
            actor = recorder.event_actor(event.id, evaluated.routing.source_name)
            details = {"from": values.state, "to": values.state}
            recorder.add_timeline_entry(incident, "still_reported", actor, details, event_id=event.id)
            recorder.update(incident, seen)
        case RepeatEffect.REOPENS:
            open_incident(evaluated, incident, index, recorder)
