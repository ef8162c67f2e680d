"""Notifies destinations of an open incident that nobody told them of, because a person asks for it (specification 7.3)."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from inbox.domain.deliveries.notices import Change
from inbox.domain.deliveries.notification_plan import NotificationPlan, first_steps, taken_steps
from inbox.domain.explaining import changes
from inbox.domain.incidents.incident import Actor, Incident, Reason, State
from inbox.domain.incidents.timeline import EntryKind
from inbox.domain.routing.profiles import Step
from inbox.domain.values.refusals import Conflict, InvalidTransition, NotFound
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.deliveries import notified
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock

NOTIFIED_IN = (State.OPEN, State.ACKNOWLEDGED)
"""The states in which people can be notified. A snooze, a silence and an end keep notices away on purpose."""

WAITS = "The routing profile still waits before the first notification. Nobody was notified."
ALL_TOLD = "Every destination on the incident's route was already notified of it."
NO_ROUTE = "No destination is on the incident's route. Add one to the default route, or to a rule or profile."


def notify_now(incident_id: UUID, now: datetime, done: AfterCommit, *, by: Actor) -> None:
    """Sends a reminder to the destinations on the incident's present route that got no notice since it last opened.

    Raises `NotFound`, `InvalidTransition` while the incident is neither open nor acknowledged, and `Conflict` if there is
    no such destination or the routing profile still waits.
    """
    incident = incident_lock.lock(incident_id)
    if incident is None:
        raise NotFound
    values = incident.state_values
    if values.state not in NOTIFIED_IN:
        article = "An" if values.state[:1] in "aeiou" else "A"
        sentence = f"{article} {values.state} incident notifies nobody; reopen, unsnooze or unsilence it first."
        raise InvalidTransition(sentence, extra={"state": str(values.state)})
    writer = IncidentWriter(now, done, event_queue.source_contexts([incident.source_id]))
    steps = _steps(writer.plans.of(incident), values, notified.told(incident_id, values.opened_at))
    writer.add_timeline_entry(incident, EntryKind.NOTIFIED_NOW, by, {})
    writer.update(incident, values)
    change = Change((), changes.of_notify_now(by.name))
    writer.add_notice(IncidentNotice(incident, Reason.RENOTIFY, by=by, steps=steps, change=change))
    write_changes(writer)


def _steps(plan: NotificationPlan, values: Incident, told: Container[UUID]) -> Sequence[Step]:
    """Returns the reached steps with the destinations that were not told, or the first ones of an acknowledged incident."""
    if not values.steps_taken and values.state is State.OPEN:
        raise Conflict(WAITS)
    reached = taken_steps(plan, values) or first_steps(plan)
    if not any(step.destination_ids for step in reached):
        raise Conflict(NO_ROUTE)
    untold = [
        replace(step, destination_ids=tuple(id for id in step.destination_ids if id not in told), people=())
        for step in reached
    ]
    steps = [step for step in untold if step.destination_ids]
    if not steps:
        raise Conflict(ALL_TOLD)
    return steps
