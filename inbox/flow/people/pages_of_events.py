"""Pages the people whom somebody named when they opened an incident, once its event is routed (specification 23.17)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from inbox.domain.incidents.incident import Actor, ActorType
from inbox.domain.routing.people import PageTarget, targets_of
from inbox.domain.values.refusals import Refusal
from inbox.flow.people import paging_acts
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.tables import Event
from inbox.models.incidents import timers
from inbox.runtime.queue import QueueName

log = structlog.get_logger(__name__)

PAGE_OF_EVENT = "event.page"
"""The kind of timer of an event by which a person opens an incident and pages people."""

PAUSE = timedelta(seconds=1)
"""The pause until the event is looked at again, while it waits for routing."""

LONGEST_WAIT = timedelta(hours=1)
"""How long the people wait for the routing of the event."""


def metadata(people: Sequence[PageTarget], by: Actor) -> dict[str, Any]:
    """Returns the metadata of the event: whom it pages, and who opened the incident."""
    return {"openedBy": by.record(), "people": [each.record() for each in people]}


def page_people(event_id: UUID, now: datetime, done: AfterCommit) -> None:
    """Runs the timer of an event: pages its people for the incident that it opened. Without an incident, nobody is paged."""
    event = Event.get_or_none(Event.id == event_id)
    if event is None:
        return
    if event.routed_as is None:
        if now < event.received_at + LONGEST_WAIT:
            timers.set_timer(PAGE_OF_EVENT, event_id, event.workspace_id, now + PAUSE)
            done.wake(QueueName.TIMERS, at=now + PAUSE)
        return
    if event.incident_id is None:
        return
    named = event.metadata or {}
    actor = named["openedBy"]
    by = Actor(ActorType(actor["type"]), actor["id"], actor["name"])
    try:
        paging_acts.page(event.incident_id, targets_of(named["people"]), now, done, by=by)
    except Refusal as refusal:
        log.warning("people were not paged", event=str(event_id), reason=refusal.detail)
