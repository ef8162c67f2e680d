"""Sets late reports aside: alarms older than the end of their alert, and ends older than its newest alarm.

The times are those of the sender. A report without one is never late.
"""

from __future__ import annotations

from inbox.domain.events.grouping import alert_name
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.lateness import UNKNOWN, AlertName, SenderTimes
from inbox.domain.routing.decision import RoutingOutcome
from inbox.domain.routing.rule_action import INCIDENT
from inbox.flow.routing.evaluate import EvaluatedEvent, Event
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
    name, fingerprint = names_of(event)
    times = index.sender_times
    known = times.known.get(name, UNKNOWN)
    times.is_same_alarm = known.alarm_at == event.sent_at
    if decision.recovers:
        others = times.known.get(fingerprint, UNKNOWN)
        is_late = (known if known.alarm_at is not None else others).is_late_end(event.sent_at)
    else:
        is_late = known.is_late_alarm(event.sent_at, event.received_at)
    if not is_late:
        _remember(event, times, recovers=decision.recovers)
        return None
    if not event.is_repeat:
        index.sender_times.late.append((event.workspace_id, event.id))
        _add_line(evaluated, index, recorder)
    return LATE_END if decision.recovers else LATE_ALARM


def names_of(event: Event) -> tuple[AlertName, AlertName]:
    """Returns the name of the event's alert, and that of its fingerprint: an end whose title names no alert ends all of it."""
    alert = event.source_id, alert_name(event.fingerprint, event.dedup_key, event.title)
    return alert, alert if event.dedup_key else (event.source_id, event.fingerprint)


def _remember(event: Event, times: SenderTimes, *, recovers: bool) -> None:
    """Remembers the time of a report."""
    assert event.sent_at is not None
    name, fingerprint = names_of(event)
    if recovers:
        times.set(name, times.known.get(name, UNKNOWN).with_end(event.sent_at, event.received_at))
        return
    for each in (name, fingerprint):
        times.set(each, times.known.get(each, UNKNOWN).with_alarm(event.sent_at))


def _add_line(evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> None:
    """Adds a line to the timeline of the incident, if there is one."""
    event = evaluated.event
    incident = index.incident_of(evaluated)
    if incident is None or not recorder.writes_timelines:
        return
    state = incident.state_values.state
    details = {"from": state, "to": state, "recovers": evaluated.decision.recovers}
    actor = recorder.event_actor(event.id, evaluated.routing.source_name)
    recorder.add_timeline_entry(incident, "late", actor, details, event_id=event.id)
    recorder.update(incident, incident.state_values)
