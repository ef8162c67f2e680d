"""Finds the silence that covers an event, and names the silences that cost too much for it (specification 8.2)."""

from __future__ import annotations

from datetime import datetime

from inbox.domain.explanation import formatting
from inbox.domain.severity import higher
from inbox.domain.silences import CompiledSilence, coverage, views
from inbox.domain.state_machine import RESOLVED
from inbox.domain.subject import Subject
from inbox.flow.routing.evaluate import EvaluatedEvent
from inbox.flow.routing.incident_index import IncidentIndex
from inbox.flow.routing.silence_coverage import UNNAMED
from inbox.models.incidents.lock import IncidentRow


def active_silence(
    evaluated: EvaluatedEvent, index: IncidentIndex, now: datetime, incident: IncidentRow | None
) -> CompiledSilence | None:
    """The silence that covers the incident with this event counted; None as incident means a new one.

    The time is now, not the receipt of the event: only a silence that is active now can release the incident later.
    The index counts the silences that cost too much for the event.
    """
    silences = evaluated.routing.config.silences
    if not silences or evaluated.subject is None:
        return None
    subjects: tuple[Subject, ...]
    subject, severity = evaluated.subject._replace(severity=evaluated.decision.severity), evaluated.decision.severity
    if incident is None:
        subjects = (subject._replace(tags=tags_of(evaluated)),)
    else:
        is_over = incident.state_values.state is RESOLVED
        subjects = views(incident, severity if is_over else higher(incident.state_values.severity, severity), subject)
    found = coverage(silences, subjects, evaluated.event.source_id, now)
    if found.left_out:
        index.leave_out(evaluated.event.workspace_id, found.left_out, evaluated.event.received_at)
    return found.silence


def tags_of(evaluated: EvaluatedEvent) -> list[str]:
    """The tags of the event and those that rules add."""
    return list(dict.fromkeys((*evaluated.event.tags, *evaluated.decision.rules_result.tags)))


def left_out_text(index: IncidentIndex) -> str:
    """The sentence about the silences that cost too much for the present event."""
    names = [f'"{silence.name or UNNAMED}"' for silence in index.left_out]
    verb = "silence costs" if len(names) == 1 else "silences cost"
    return f"the {verb} too much for this event and cannot cover it: {formatting.names(names)}"
