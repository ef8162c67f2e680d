"""Pages people because a person asks for it, and takes the next step early (specification 23.17)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.deliveries.hastening import next_accepting, taken_at, without_wait
from inbox.domain.deliveries.notices import Change
from inbox.domain.deliveries.pages import BY_HAND, MAX_ROUND, has_nobody
from inbox.domain.explaining import changes, page_text
from inbox.domain.explaining.formatting import series
from inbox.domain.incidents.incident import Actor, Reason, State
from inbox.domain.routing.people import PageTarget
from inbox.domain.routing.profiles import Step
from inbox.domain.values.refusals import Conflict, InvalidTransition, NotFound
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.oncall.pages import expected_pages
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.timers.incident_timers import TimerContext, take_step
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow

OVER = "A resolved incident pages nobody; reopen it first."
NOT_OPEN = "Only an open incident has a next step."
NO_STEP = "No step of the routing profile follows that takes this severity."


def page(
    incident_id: UUID,
    people: Sequence[PageTarget],
    now: datetime,
    done: AfterCommit,
    *,
    by: Actor,
    note: str | None = None,
) -> None:
    """Pages these people now, in every state but `resolved`: silences, snoozes and delays of the profile do not hold it.

    Raises `NotFound`, `InvalidTransition` for a resolved incident, and `Conflict` if nobody of them can be paged.
    """
    incident = _lock(incident_id)
    if incident.state_values.state is State.RESOLVED:
        raise InvalidTransition(OVER, extra={"state": str(State.RESOLVED)})
    pages = expected_pages(incident.workspace_id, people, incident.state_values.severity, now)
    if has_nobody(pages):
        raise Conflict(page_text.of_pages([each.record() for each in pages]))
    writer = _writer(incident, now, done, by, note)
    writer.update(incident, incident.state_values)
    names = series([each.name for each in pages if each.cause is None])
    step = Step(
        timedelta(), None, (), number=BY_HAND, round=min(incident.notice_count + 1, MAX_ROUND), people=tuple(people)
    )
    change = Change((), changes.of_page(by.name, names))
    writer.add_notice(
        IncidentNotice(incident, Reason.RENOTIFY, by=by, steps=(step,), change=change, is_page=True),
    )
    write_changes(writer)


def escalate(incident_id: UUID, now: datetime, done: AfterCommit, *, by: Actor, note: str | None = None) -> None:
    """Takes the next step that accepts the severity now. The steps after it keep their distance.

    Raises `NotFound`, `InvalidTransition` unless the incident is open, and `Conflict` if no step follows.
    """
    incident = _lock(incident_id)
    values = incident.state_values
    if values.state is not State.OPEN:
        raise InvalidTransition(NOT_OPEN, extra={"state": str(values.state)})
    writer = _writer(incident, now, done, by, note)
    plan = writer.plans.of(incident)
    step = next_accepting(plan, values)
    if step is None:
        raise Conflict(NO_STEP)
    if values.steps_taken:
        writer.update(incident, taken_at(plan, values, step, now))
    else:
        plan = without_wait(plan, values, step, now)
    take_step(TimerContext(incident, plan, writer, by))
    write_changes(writer)


def _lock(incident_id: UUID) -> IncidentRow:
    incident = incident_lock.lock(incident_id)
    if incident is None:
        raise NotFound
    return incident


def _writer(incident: IncidentRow, now: datetime, done: AfterCommit, by: Actor, note: str | None) -> IncidentWriter:
    """Returns a writer of changes of the incident, with the entry of the note."""
    writer = IncidentWriter(now, done, event_queue.source_contexts([incident.source_id]))
    if note is not None:
        writer.add_timeline_entry(incident, "note", by, {"text": note})
    return writer
