"""A silence takes an incident, or lets it go: its state, its timeline and what is told of it (specification 3.6)."""

from __future__ import annotations

from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Act, Actor, Incident, State, Transitioned, apply_act, replace_fast
from inbox.domain.silences import CompiledSilence, active_silence
from inbox.flow.routing.incident_writer import IncidentWriter
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.models.incidents.lock import IncidentRow
from inbox.models.tables import silences

UNNAMED = "Silence"
"""What one is called of which no more is known."""


def silence_incident(
    incident: IncidentRow, silence_id: UUID, recorder: IncidentRecorder, name: str | None = None
) -> None:
    """The silence takes an incident; `name` is what it is called where that is written down."""
    changed = apply_act(incident.state_values, Act.SILENCE_BEGINS, recorder.now, silence=silence_id)
    if isinstance(changed, Transitioned):
        enter("silenced", incident, changed.incident, actor(silence_id, name), recorder)
        recorder.update(incident, changed.incident)


def unsilence_incident(
    incident: IncidentRow, other: CompiledSilence | None, recorder: IncidentRecorder, name: str | None = None
) -> None:
    """What another silence covers goes over to that one; all else is as it was before. `name` is what the first is called."""
    silence_id = incident.state_values.silenced_by
    assert silence_id is not None
    if other is not None:
        after = replace_fast(incident.state_values, silenced_by=other.id)
        enter("silenced", incident, after, actor(other.id, other.name), recorder)
        recorder.update(incident, after)
        return
    changed = apply_act(incident.state_values, Act.SILENCE_ENDS, recorder.now)
    if isinstance(changed, Transitioned):
        by = actor(silence_id, name)
        enter("silence_ended", incident, changed.incident, by, recorder)
        recorder.update(incident, changed.incident)
        if changed.reason is not None:
            recorder.add_notice(incident, changed.reason, by=by)


def apply_silences(incident: IncidentRow, after: Incident, writer: IncidentWriter) -> Incident:
    """The values `after` which a person leaves a stored incident, under the first silence that takes it so, if any."""
    if after.state in (State.RESOLVED, State.SILENCED):
        return after
    active_silences = [
        each for each in writer.plans.config(incident.workspace_id).silences if each.active.covers(writer.now)
    ]
    if not active_silences:
        return after
    [seen] = silences.latest_events([incident.id], frozenset().union(*(each.needs for each in active_silences)))
    views = seen.renamed(incident, after.severity).views
    covering = active_silence(active_silences, views, incident.source_id, writer.now)
    changed = None if covering is None else apply_act(after, Act.SILENCE_BEGINS, writer.now, silence=covering.id)
    if covering is None or not isinstance(changed, Transitioned):
        return after
    writer.add_timeline_entry(
        incident, "silenced", actor(covering.id, covering.name), {"from": after.state, "to": changed.incident.state}
    )
    return changed.incident


def enter(kind: str, incident: IncidentRow, after: Incident, by: Actor, recorder: IncidentRecorder) -> None:
    """The timeline says by which silence the incident goes from one state to another."""
    recorder.add_timeline_entry(incident, kind, by, {"from": incident.state_values.state, "to": after.state})


def actor(silence_id: UUID, name: str | None) -> Actor:
    """A silence, as timelines and notices name who did something."""
    return Actor("silence", ids.encode(Prefix.SILENCE, silence_id), name or UNNAMED)
