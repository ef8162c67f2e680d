"""Who leaves a workspace keeps none of its unresolved incidents: they are unassigned, and acknowledged no more.

Specification 3.9.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inbox.domain import ids
from inbox.domain.ids import Prefix
from inbox.domain.incident import Act, Actor, State, Transitioned, apply_act
from inbox.flow.book import Book
from inbox.flow.ledger import Ledger
from inbox.flow.work import Done
from inbox.models import members
from inbox.models.events import queue as event_queue
from inbox.models.incidents import batches as incident_batches
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.members import Person
from inbox.models.tables.incidents import Timer
from inbox.models.timers import Reschedule

DEPARTED = "workspace.departed"
"""The kind of timer that looks for incidents of a workspace that belong to nobody who can act there."""

DEPARTED_AGAIN = "workspace.departed_again"
"""The kind that looks once more, when what people were doing meanwhile is committed."""

KINDS = (DEPARTED, DEPARTED_AGAIN)
"""The errand after somebody left a workspace; `errands.call_for`."""

BATCH = 500
"""How many incidents are changed in one transaction."""


@dataclass(frozen=True, slots=True)
class Departure:
    """Who cannot act in the workspace any more, and why: `left account_disabled account_closed`."""

    user_id: UUID
    name: str
    reason: str

    @property
    def actor(self) -> Actor:
        """As timelines and notices name it."""
        return Actor("system", "", _SPOKEN[self.reason].format(self.name))


_SPOKEN = {
    "left": "{} left the workspace",
    "account_disabled": "The account of {} was disabled",
    "account_closed": "The account of {} was closed",
}


def settle(timer: Timer, now: datetime, done: Done) -> Reschedule | None:
    """Change the next incidents that belong to somebody who is gone. Whoever comes back meanwhile keeps theirs."""
    workspace_id = timer.subject_id
    found = incident_batches.of_former_member(workspace_id, timer.resume_after, BATCH)
    locked = incident_lock.lock_many(found)
    ledger = Ledger(now, done, event_queue.source_contexts({incident.source_id for incident in locked}))
    departures = _departures(workspace_id, {id for each in locked for id in _persons(each)})
    for incident in locked:
        if not ledger.origins[incident.source_id].is_deleted and incident.state_values.state is not State.RESOLVED:
            _unassign(incident, departures.get(incident.assignee_id), ledger)
            _give_up(incident, departures.get(incident.state_values.acknowledged_by), ledger)
    ledger.write()
    return Reschedule(now, found[-1]) if len(found) == BATCH else None


def _persons(incident: IncidentRow) -> list[UUID]:
    return [id for id in (incident.assignee_id, incident.state_values.acknowledged_by) if id is not None]


def _departures(workspace_id: UUID, user_ids: Collection[UUID]) -> dict[UUID | None, Departure]:
    """Those of these people who are gone."""
    people = {person.id: person for person in members.people(workspace_id, user_ids)}
    found: dict[UUID | None, Departure] = {}
    for user_id in user_ids:
        person = people.get(user_id, Person(user_id, "Somebody", False, False, True))
        reason = _reason(person)
        if reason is not None:
            found[user_id] = Departure(user_id, person.name, reason)
    return found


def _reason(person: Person) -> str | None:
    if person.is_closed:
        return "account_closed"
    if not person.is_member:
        return "left"
    return "account_disabled" if person.is_disabled else None


def _unassign(incident: IncidentRow, gone: Departure | None, book: Book) -> None:
    """Nobody is notified of that alone."""
    if gone is None:
        return
    incident.assignee_id, incident.is_renamed = None, True
    changed = {"assigneeId": [ids.encode(Prefix.USER, gone.user_id), None]}
    states = {"from": incident.state_values.state, "to": incident.state_values.state}
    book.enter(incident, "updated", gone.actor, {**states, "changed": changed, "reason": gone.reason})
    book.moved(incident, incident.state_values)


def _give_up(incident: IncidentRow, gone: Departure | None, book: Book) -> None:
    """What was acknowledged is open again, and whoever was notified of it is notified again."""
    moved = None if gone is None else apply_act(incident.state_values, Act.MEMBER_LEFT, book.now)
    if gone is None or not isinstance(moved, Transitioned):
        return
    states = {"from": incident.state_values.state, "to": moved.incident.state}
    book.enter(incident, "unacknowledged", gone.actor, {**states, "reason": gone.reason})
    book.moved(incident, moved.incident)
    if moved.reason is not None:
        book.tell_of(incident, moved.reason, by=gone.actor)
