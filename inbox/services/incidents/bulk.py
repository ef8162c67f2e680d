"""One act on many incidents, each in its own transaction, and its undo within ten seconds (specification 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

import structlog

from inbox.domain.events import fields
from inbox.domain.incidents.incident import SNOOZE_LIMIT, Act, Actor
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import Conflict, Fault, NotFound, Refusal, Unavailable, ValidationFailed
from inbox.flow.people import incidents
from inbox.flow.people import undo as undoing
from inbox.flow.people.incidents import Edit
from inbox.flow.people.notify_now import notify_now
from inbox.flow.unit_of_work import AfterCommit, is_outage, retry_on_conflict, work
from inbox.models.incidents import read as incident_read
from inbox.models.incidents import search as incident_search
from inbox.models.incidents import undo_tokens
from inbox.models.incidents.lock import IncidentRow
from inbox.models.incidents.undo_tokens import UndoTokenRow
from inbox.services.incidents.undo_tokens import UndoToken, run_with_undo

log = structlog.get_logger(__name__)

STATE_ACTS = {
    str(act): act for act in (Act.ACKNOWLEDGE, Act.UNACKNOWLEDGE, Act.SNOOZE, Act.UNSNOOZE, Act.RESOLVE, Act.REOPEN)
}
TAKE = "take"
"""Acknowledges the incidents and assigns them to the person."""

EDITS = ("assign", "tag", "untag")
NOTIFY = "notify"
"""Notifies the destinations that were not told. It cannot be undone: what was sent stays sent."""

ACTS = (*STATE_ACTS, TAKE, *EDITS, NOTIFY)
"""The actions that are possible on many incidents."""


@dataclass(frozen=True, slots=True)
class BulkAct:
    """One act for many incidents.

    `until` is the end of a snooze. `note` is added to each timeline. `assignee_id` is the assignee (None:
    nobody). `tags` are added or removed.
    """

    action: str
    until: datetime | None = None
    assignee_id: UUID | None = None
    tags: tuple[str, ...] = ()
    note: str | None = None


Outcomes = dict[UUID, Refusal | None]
"""The refusal for each incident. None means that the act was applied, or that it was not needed."""


def run(
    order: BulkAct, incident_ids: Iterable[UUID], now: datetime, *, by: Actor, person: UUID
) -> tuple[Outcomes, UndoToken | None]:
    """Apply the act to each of these incidents. Return an undo token if any incident changed.

    The caller has checked the access. Each incident has its own transaction: a refusal of one leaves the others
    unaffected. Raises `ValidationFailed` for a snooze that ends in the past or more than 30 days ahead.
    """
    check_until(order.until, now)
    token, changed = UndoToken.after(now), []

    def once(incident_id: UUID) -> None:
        with work() as done:
            if order.action == NOTIFY:
                notify_now(incident_id, now, done, by=by)
                return
            do = partial(_do, order, now=now, done=done, by=by, person=person)
            is_changed = run_with_undo(token, order.action, incident_id, do, person=person)
        if is_changed:
            changed.append(incident_id)

    outcomes = _each(incident_ids, once)
    return outcomes, token if changed else None


def matching(workspace_ids: Sequence[UUID], filters: Mapping[str, Any], *, expected_count: int) -> Sequence[UUID]:
    """Return the incidents of these workspaces that pass the filters, those seen last first.

    Raises `Conflict` when their number differs from the expected one. Raises `ValidationFailed` when finding them would
    examine too many rows.
    """
    found = incident_search.ids(workspace_ids, filters, most=expected_count + 1)
    if found is None:
        raise ValidationFailed(errors=[Fault("/filter", "Too many rows would be examined. Narrow the filter.")])
    if len(found) != expected_count:
        counted = f"More than {expected_count}" if len(found) > expected_count else str(len(found))
        raise Conflict(f"{counted} incidents match the filter now, not {expected_count}. Nothing was changed.")
    return found


def check_until(until: datetime | None, now: datetime) -> None:
    """Raises `ValidationFailed` for an invalid end of a snooze."""
    if until is not None and not now < until <= now + SNOOZE_LIMIT:
        raise ValidationFailed(errors=[Fault("/until", "Must be in the future, at most 30 days ahead.")])


def find_undo(undo_id: UUID, person: UUID) -> Sequence[UndoTokenRow]:
    """Return the changes that this person can undo under this id. Raises `NotFound` when there are none."""
    undone = undo_tokens.find(undo_id, person)
    if not undone:
        raise NotFound
    return undone


def undo(undone: Iterable[UndoTokenRow], now: datetime, *, by: Actor) -> Outcomes:
    """Restore each incident that has not changed since. Each has its own transaction and its own refusal."""
    acts = {each.incident_id: each for each in undone}

    def once(incident_id: UUID) -> None:
        one = acts[incident_id]
        with work() as done:
            if not undo_tokens.mark_used(one.id, incident_id, now):
                raise Conflict("The action was already undone.")
            if now > one.expires_at:
                raise Conflict("An action can be undone only within ten seconds.")
            undoing.undo_act(incident_id, one.act, one.changed, now, done, by=by)

    return _each(acts, once)


def _each(incident_ids: Iterable[UUID], once: Callable[[UUID], None]) -> Outcomes:
    outcomes: Outcomes = {}
    for incident_id in sorted(set(incident_ids)):
        try:
            retry_on_conflict(partial(once, incident_id))
            outcomes[incident_id] = None
        except Refusal as refusal:
            outcomes[incident_id] = refusal
        except Exception as fault:
            if not is_outage(fault):
                raise
            log.exception("an act failed", incident=str(incident_id))
            outcomes[incident_id] = Unavailable("The database did not answer in time; nothing was changed.")
    return outcomes


def _do(order: BulkAct, incident: IncidentRow, *, now: datetime, done: AfterCommit, by: Actor, person: UUID) -> None:
    if order.action in (*STATE_ACTS, TAKE):
        note, act = None if order.note is None else redact(order.note), STATE_ACTS.get(order.action, Act.ACKNOWLEDGE)
        takes = order.action == TAKE
        request = incidents.ActRequest(act, by=by, person=person, until=order.until, note=note, assigns=takes)
        incidents.act(incident.id, request, now, done)
    else:
        incidents.edit(incident.id, _edit(order, incident), now, done, by=by, expected_rev=None)


def _edit(order: BulkAct, incident: IncidentRow) -> Edit:
    match order.action:
        case "assign":
            if order.assignee_id is not None and not incident_read.is_member(incident.workspace_id, order.assignee_id):
                raise ValidationFailed(errors=[Fault("/assigneeId", "Not a member of this workspace.")])
            return Edit(assigns=True, assignee_id=order.assignee_id)
        case "tag":
            tags = tuple(dict.fromkeys((*incident.tags, *order.tags)))
            if len(tags) > fields.TAGS_LIMIT:
                raise ValidationFailed(
                    errors=[Fault("/tags", f"The incident would have more than {fields.TAGS_LIMIT} tags.")]
                )
            return Edit(tags=tags)
        case _:
            return Edit(tags=tuple(tag for tag in incident.tags if tag not in order.tags))
