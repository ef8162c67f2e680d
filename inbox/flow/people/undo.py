"""Undoes a person's act: restores the earlier values under the incident's lock, with one notice."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.deliveries.notices import Change, NoticeTraits
from inbox.domain.explaining import changes
from inbox.domain.incidents import undo
from inbox.domain.incidents.incident import Actor
from inbox.domain.incidents.state_machine import State
from inbox.domain.routing.active_periods import ActivePeriods
from inbox.domain.values.refusals import Conflict, NotFound
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.silence_coverage import apply_silences
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.routing.silences import Silence

NAMED = ("title", "tags", "assignee_id", "title_edited")


def change(before: IncidentRow, after: IncidentRow) -> dict[str, Any]:
    """Returns the changes of an incident by an act, including title, tags and assignee."""
    pairs = {name: [_stored_values(getattr(before, name)), _stored_values(getattr(after, name))] for name in NAMED}
    named = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    return undo.change(before.state_values, after.state_values) | named


def undo_act(incident_id: UUID, act: str, changed: undo.Change, now: datetime, done: AfterCommit, *, by: Actor) -> None:
    """Reverts the changes of an act. Recipients of its notice get one notice of the current values.

    Raises `NotFound`, and `Conflict` when the incident has changed since. `Conflict` is also raised for a newer
    unresolved incident of its fingerprint, and when the covering silence has ended.
    """
    incident = incident_lock.lock(incident_id)
    if incident is None:
        raise NotFound
    current = incident.state_values
    before = undo.reverted(current, changed)
    if before is None or any(_stored_values(getattr(incident, n)) != changed[n][1] for n in NAMED if n in changed):
        raise Conflict("The incident has changed since.")
    if (
        current.state is State.RESOLVED
        and before.state is not State.RESOLVED
        and incident_lock.has_other_unresolved(incident)
    ):
        raise Conflict("A newer incident with the same fingerprint is unresolved.")
    if before.silenced_by is not None and current.silenced_by is None and not _is_active(before.silenced_by, now):
        raise Conflict("The silence that covered the incident has ended.")
    _restore_names(incident, changed)
    writer = IncidentWriter(now, done, event_queue.source_contexts([incident.source_id]))
    writer.add_timeline_entry(incident, "undone", by, {"act": act, "from": current.state, "to": before.state})
    after = apply_silences(incident, before._replace(notified_at=current.notified_at), writer)
    writer.update(incident, after, is_restored=True)
    if not before.state is current.state is State.RESOLVED:
        change = Change(undo.fields(changed), changes.of_undo(by.name, act))
        reason = undo.correction_reason(before.state, current.state)
        writer.add_notice(IncidentNotice(incident, reason, by=by, traits=NoticeTraits(undone=True), change=change))
    write_changes(writer, named=True)


def _restore_names(incident: IncidentRow, changed: Mapping[str, Any]) -> None:
    incident.title = changed.get("title", [incident.title])[0]
    incident.title_edited = changed.get("title_edited", [incident.title_edited])[0]
    incident.tags = list(changed.get("tags", [incident.tags])[0])
    if "assignee_id" in changed:
        before = changed["assignee_id"][0]
        incident.assignee_id = None if before is None else UUID(before)


def _is_active(silence_id: UUID, now: datetime) -> bool:
    """Returns whether the silence is active. A recurring silence may be between two occurrences."""
    silence: Silence | None = Silence.get_or_none(Silence.id == silence_id, Silence.deleted_at.is_null())
    return silence is not None and ActivePeriods.of_stored(silence).covers(now)


def _stored_values(value: object) -> Any:
    return str(value) if isinstance(value, UUID) else value
