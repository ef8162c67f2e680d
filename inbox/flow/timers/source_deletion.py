"""Resolves the incidents of a deleted source, so that none of them continues to alert.

Specification 5.5.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain.incidents.incident import Act, ActArguments, Actor, Transitioned, apply_act
from inbox.domain.values import ids
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.flow.timers import batch_size
from inbox.flow.timers.batch_size import MAX_INCIDENTS
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events import queue as event_queue
from inbox.models.events import queue_reads
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule
from inbox.models.routing.silences import IN_FLIGHT_GRACE
from inbox.models.senders.sources import Source

DELETED = "source.deleted"
"""The kind of timer that resolves the unresolved incidents of a source."""

DELETED_LATE = "source.deleted_late"
"""The kind that repeats the resolution until all events accepted before the deletion are routed."""

KINDS = (DELETED, DELETED_LATE)
"""The timers after the deletion of a source, for `recheck.schedule_with_recheck`."""

BATCH = MAX_INCIDENTS
"""The number of incidents resolved in one transaction."""

DELETION = Actor("system", "", "Source deleted")


def resolve_batch(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Resolves the next unresolved incidents of the source. Destinations that were notified get the resolution."""
    source_id = timer.subject_id
    batch = batch_size.of_workspace(timer.workspace_id, now, BATCH)
    incidents = incident_batches.in_source(source_id, timer.resume_after, batch)
    origin = event_queue.source_contexts([source_id]).get(source_id)
    if origin is None or not origin.source_is_deleted or origin.is_deleted:
        return None
    writer = IncidentWriter(now, done, {origin.source_id: origin})
    for incident in incident_lock.lock_many(timer.workspace_id, incidents):
        resolve(incident, writer)
    write_changes(writer)
    if len(incidents) == batch:
        return Reschedule(now, incidents[-1])
    is_done = timer.kind == DELETED or not queue_reads.has_older(source_id, _last_id(source_id))
    return None if is_done else Reschedule(now + IN_FLIGHT_GRACE)


def _last_id(source_id: UUID) -> UUID:
    """Returns an id above the id of every event of the source: requests after the deletion were refused."""
    deleted_at: datetime = Source.get_by_id(source_id).deleted_at
    return ids.uuid7(int((deleted_at + IN_FLIGHT_GRACE).timestamp() * 1000), b"\xff" * 10)


def resolve(incident: IncidentRow, writer: IncidentRecorder) -> None:
    """Resolves the incident, because its source can no longer send a recovery."""
    transition = apply_act(incident.state_values, Act.RESOLVE, writer.now, ActArguments(by=DELETION))
    if not isinstance(transition, Transitioned):
        return
    writer.add_timeline_entry(
        incident, "resolved", DELETION, {"from": incident.state_values.state, "to": transition.incident.state}
    )
    writer.update(incident, transition.incident)
    if transition.reason is not None:
        writer.add_notice(IncidentNotice(incident, transition.reason))
