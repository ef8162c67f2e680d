"""Begins and ends the coverage of an incident by a silence: state, timeline and notices (specification 3.6)."""

from __future__ import annotations

from uuid import UUID

from inbox.domain.incidents.incident import (
    Act,
    ActArguments,
    Actor,
    Incident,
    State,
    Transitioned,
    apply_act,
    replace_fast,
)
from inbox.domain.routing.silences import CompiledSilence, active_silence
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.incidents import IncidentWriter
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing import silences
from inbox.runtime import work_budget

UNNAMED = "Silence"
"""The name of a silence that was not found."""


def cover(incident: IncidentRow, evaluated: EvaluatedEvent, index: IncidentIndex, recorder: IncidentRecorder) -> None:
    """Begins or ends the coverage of an unresolved incident, because an event arrives.

    In a group of the tool, an alert that a silence covers does not cover the incident while others fire. A new alert
    that no silence covers ends the coverage.
    """
    of_group, values = evaluated.is_of_group, incident.state_values
    if of_group and not incident.has_firing(evaluated.event.dedup_key):
        if values.state is State.SILENCED:
            names = [each.name for each in evaluated.routing.config.silences if each.id == values.silenced_by]
            unsilence_incident(incident, None, recorder, *names)
    elif values.state is not State.SILENCED:
        silence = index.covering(evaluated, recorder.now, incident)
        if silence is not None and (not of_group or values.alerts.firing == 1):
            silence_incident(incident, silence.id, recorder, silence.name)


def silence_incident(
    incident: IncidentRow, silence_id: UUID, recorder: IncidentRecorder, name: str | None = None
) -> None:
    """Covers the incident with a silence; `name` is the silence's name in the timeline."""
    transition = apply_act(incident.state_values, Act.SILENCE_BEGINS, recorder.now, ActArguments(silence=silence_id))
    if isinstance(transition, Transitioned):
        enter("silenced", incident, transition.incident, actor(silence_id, name), recorder)
        recorder.update(incident, transition.incident)


def unsilence_incident(
    incident: IncidentRow,
    other: CompiledSilence | None,
    recorder: IncidentRecorder,
    name: str | None = None,
    *,
    has_unsent: bool = False,
) -> None:
    """Releases the incident from its silence, named `name`. If `other` covers it, only the silence changes.

    `has_unsent`: a held alert was skipped because of the silence.
    """
    silence_id = incident.state_values.silenced_by
    assert silence_id is not None
    if other is not None:
        after = replace_fast(incident.state_values, silenced_by=other.id)
        enter("silenced", incident, after, actor(other.id, other.name), recorder)
        recorder.update(incident, after)
        return
    arguments = ActArguments(has_unsent=has_unsent)
    transition = apply_act(incident.state_values, Act.SILENCE_ENDS, recorder.now, arguments)
    if isinstance(transition, Transitioned):
        by = actor(silence_id, name)
        enter("silence_ended", incident, transition.incident, by, recorder)
        recorder.update(incident, transition.incident)
        if transition.reason is not None:
            recorder.add_notice(IncidentNotice(incident, transition.reason, by=by))


def apply_silences(incident: IncidentRow, after: Incident, writer: IncidentWriter) -> Incident:
    """Returns the values of a stored incident after a person's act, covered by the first matching silence, if any."""
    if after.state in (State.RESOLVED, State.SILENCED):
        return after
    active_silences = [
        each for each in writer.plans.config(incident.workspace_id).silences if each.active.covers(writer.now)
    ]
    if not active_silences:
        return after
    [latest_event] = silences.matchable_incidents(
        [incident.id], frozenset().union(*(each.needs for each in active_silences))
    )
    work_budget.spend("The silences of the workspace cost too much: choose fewer incidents, or simplify the silences.")
    views = latest_event.with_names(incident, after.severity).views
    covering = active_silence(active_silences, views, incident.source_id, writer.now)
    transition = (
        None
        if covering is None
        else apply_act(after, Act.SILENCE_BEGINS, writer.now, ActArguments(silence=covering.id))
    )
    if covering is None or not isinstance(transition, Transitioned):
        return after
    writer.add_timeline_entry(
        incident, "silenced", actor(covering.id, covering.name), {"from": after.state, "to": transition.incident.state}
    )
    return transition.incident


def enter(kind: str, incident: IncidentRow, after: Incident, by: Actor, recorder: IncidentRecorder) -> None:
    """Adds a timeline entry for a change of state by a silence."""
    recorder.add_timeline_entry(incident, kind, by, {"from": incident.state_values.state, "to": after.state})


def actor(silence_id: UUID, name: str | None) -> Actor:
    """Returns the actor of a silence, for timelines and notices."""
    return Actor("silence", ids.encode(Prefix.SILENCE, silence_id), name or UNNAMED)
