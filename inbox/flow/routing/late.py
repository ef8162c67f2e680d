"""Sets late reports aside: alarms older than the end of their alert, and ends older than its newest alarm.

The times are those of the sender. A report without one is never late.
"""

from __future__ import annotations

from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.lateness import UNKNOWN, AlertTimes
from inbox.domain.routing.decision import RoutingOutcome
from inbox.domain.routing.rule_action import INCIDENT
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.recorder import IncidentRecorder

LATE_ALARM = RoutingOutcome(
    Disposition.LOGGED, sentences=("the alarm is older than the known end of its alert: it opens nothing",)
)
LATE_END = RoutingOutcome(
    Disposition.LOGGED, sentences=("the end is older than the newest alarm of its alert: it ends nothing",)
)


def set_aside(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> RoutingOutcome | None:
    """Returns the outcome of a late report; None for every other one, whose time is remembered."""
    event, decision = evaluated.event, evaluated.decision
    if event.sent_at is None or not (decision.recovers or decision.target is INCIDENT):
        return None
    name = (event.source_id, event.fingerprint)
    known = index.sender_times.known.get(name, UNKNOWN)
    index.sender_times.is_same_alarm = known.alarm_at == event.sent_at
    after = _after(evaluated, known)
    if after is not None:
        index.sender_times.set(name, after)
        return None
    if not event.is_repeat:
        index.sender_times.late.append((event.workspace_id, event.id))
        _add_line(evaluated, index, recorder)
    return LATE_END if decision.recovers else LATE_ALARM


def _after(evaluated: EvaluatedEvent, known: AlertTimes) -> AlertTimes | None:
    """Returns the times of the alert after a report; None after a late one."""
    at, received_at = evaluated.event.sent_at, evaluated.event.received_at
    assert at is not None
    if evaluated.decision.recovers:
        return None if known.is_late_end(at) else known.with_end(at, received_at)
    return None if known.is_late_alarm(at, received_at) else known.with_alarm(at)


def _add_line(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> None:
    """Adds a line to the timeline of the incident, if there is one."""
    event = evaluated.event
    incident = index.latest(event.source_id, evaluated.fingerprint)
    if incident is None or not recorder.writes_timelines:
        return
    state = incident.state_values.state
    details = {"from": state, "to": state, "recovers": evaluated.decision.recovers}
    actor = recorder.event_actor(event.id, evaluated.routing.source_name)
    recorder.add_timeline_entry(incident, "late", actor, details, event_id=event.id)
    recorder.update(incident, incident.state_values)
