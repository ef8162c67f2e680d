"""Releases unresolved incidents of a person who leaves a workspace: unassigns and unacknowledges them.

Specification 3.9.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.domain.incidents.incident import Act, Actor, State, Transitioned, apply_act
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.recorder import IncidentRecorder
from inbox.flow.timers import batch_size
from inbox.flow.timers.batch_size import MAX_INCIDENTS
from inbox.flow.timers.incident_schedule import DEPARTED
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events import queue as event_queue
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.tables import Timer
from inbox.models.incidents.timers import Reschedule
from inbox.models.people import members
from inbox.models.people.members import Person

DEPARTED_LATE = "workspace.departed_again"
"""The kind that repeats the release after concurrent acts of people are committed."""

KINDS = (DEPARTED, DEPARTED_LATE)
"""The timers after a departure, for `recheck.schedule_with_recheck`."""

BATCH = MAX_INCIDENTS
"""The number of incidents changed in one transaction."""


@dataclass(frozen=True, slots=True)
class Departure:
    """A person who can no longer act in the workspace, and the reason: `left account_disabled account_closed`."""

    user_id: UUID
    name: str
    reason: str

    @property
    def actor(self) -> Actor:
        """The actor for timelines and notices."""
        return Actor("system", "", _IN_TEXT[self.reason].format(self.name))


_IN_TEXT = {
    "left": "{} left the workspace",
    "account_disabled": "The account of {} was disabled",
    "account_closed": "The account of {} was closed",
}


def release_batch(timer: Timer, now: datetime, done: AfterCommit) -> Reschedule | None:
    """Releases the next incidents of departed persons. A person who returned in time keeps the incidents."""
    workspace_id = timer.subject_id
    batch = batch_size.of_workspace(workspace_id, now, BATCH)
    incidents = incident_batches.of_former_member(workspace_id, timer.resume_after, batch)
    locked_incidents = incident_lock.lock_many(workspace_id, incidents)
    writer = IncidentWriter(
        now, done, event_queue.source_contexts({incident.source_id for incident in locked_incidents})
    )
    departures = _departures(workspace_id, {id for each in locked_incidents for id in _persons(each)})
    for incident in locked_incidents:
        if not writer.origins[incident.source_id].is_deleted and incident.state_values.state is not State.RESOLVED:
            _unassign(incident, departures.get(incident.assignee_id), writer)
            _unacknowledge(incident, departures.get(incident.state_values.acknowledged_by), writer)
    write_changes(writer)
    return Reschedule(now, incidents[-1]) if len(incidents) == batch else None


def _persons(incident: IncidentRow) -> list[UUID]:
    return [id for id in (incident.assignee_id, incident.state_values.acknowledged_by) if id is not None]


def _departures(workspace_id: UUID, user_ids: Collection[UUID]) -> dict[UUID | None, Departure]:
    """Returns the departed persons among these."""
    people = {person.id: person for person in members.people(workspace_id, user_ids)}
    incidents: dict[UUID | None, Departure] = {}
    for user_id in user_ids:
        person = people.get(user_id, Person(user_id, "Someone", False, False, True))
        reason = _reason(person)
        if reason is not None:
            incidents[user_id] = Departure(user_id, person.name, reason)
    return incidents


def _reason(person: Person) -> str | None:
    if person.is_closed:
        return "account_closed"
    if not person.is_member:
        return "left"
    return "account_disabled" if person.is_disabled else None


def _unassign(incident: IncidentRow, departed: Departure | None, recorder: IncidentRecorder) -> None:
    """Unassigns the incident. An unassignment alone causes no notice."""
    if departed is None:
        return
    incident.assignee_id, incident.is_renamed = None, True
    transition = {"assigneeId": [ids.encode(Prefix.USER, departed.user_id), None]}
    states = {"from": incident.state_values.state, "to": incident.state_values.state}
    recorder.add_timeline_entry(
        incident, "updated", departed.actor, {**states, "changed": transition, "reason": departed.reason}
    )
    recorder.update(incident, incident.state_values)


def _unacknowledge(incident: IncidentRow, departed: Departure | None, recorder: IncidentRecorder) -> None:
    """Opens the acknowledged incident again, and notifies the destinations of its notices."""
    transition = None if departed is None else apply_act(incident.state_values, Act.MEMBER_LEFT, recorder.now)
    if departed is None or not isinstance(transition, Transitioned):
        return
    states = {"from": incident.state_values.state, "to": transition.incident.state}
    recorder.add_timeline_entry(incident, "unacknowledged", departed.actor, {**states, "reason": departed.reason})
    recorder.update(incident, transition.incident)
    if transition.reason is not None:
        recorder.add_notice(IncidentNotice(incident, transition.reason, by=departed.actor))
