"""What people do to one incident: under its lock, by the table of moves, with timeline and notices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain import fields, ids, times
from inbox.domain.explanation import changes
from inbox.domain.ids import Prefix
from inbox.domain.incident import (
    Act,
    Actor,
    Incident,
    NoChange,
    Reason,
    State,
    Transitioned,
    TransitionRefused,
    apply_act,
)
from inbox.domain.notices import Change, Traits
from inbox.domain.redaction import cut, redact
from inbox.domain.refusals import Conflict, InvalidTransition, NotFound, check_rev
from inbox.domain.severity import Severity
from inbox.flow.coverage import covered
from inbox.flow.ledger import Ledger
from inbox.flow.work import Done
from inbox.models import explanations
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow

DONE: Mapping[Act, str] = {
    Act.ACKNOWLEDGE: "acknowledged",
    Act.UNACKNOWLEDGE: "unacknowledged",
    Act.SNOOZE: "snoozed",
    Act.UNSNOOZE: "unsnoozed",
    Act.RESOLVE: "resolved",
    Act.REOPEN: "reopened",
    Act.EDIT: "updated",
    Act.EDIT_HIGHER: "escalated",
}
"""What the timeline calls an act."""

TURNED = frozenset({Act.REOPEN, Act.EDIT, Act.EDIT_HIGHER})
"""After which a silence may take what it did not take before."""

INSTEAD: Mapping[State, str] = {
    State.SILENCED: "; end its silence first, or resolve it",
    State.RESOLVED: "; reopen it first",
}
"""What can be done where an act cannot."""


RESOLVED_STAYS = "The title and the severity of a resolved incident cannot be changed; reopen it first."


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changes of an incident; None leaves it. `assignee_id` counts only with `assigns`."""

    title: str | None = None
    severity: Severity | None = None
    tags: tuple[str, ...] | None = None
    assigns: bool = False
    assignee_id: UUID | None = None


def move(
    incident_id: UUID,
    act: Act,
    now: datetime,
    done: Done,
    *,
    by: Actor,
    person: UUID | None = None,
    until: datetime | None = None,
) -> None:
    """One act of a person; repeating one whose state is reached changes nothing.

    `person` is the user of `by`, `until` the end of a snooze. Raises `NotFound`, `InvalidTransition`, and `Conflict` for
    a reopening while a newer incident of the same fingerprint is unresolved.
    """
    incident = _lock(incident_id)
    moved = apply_act(incident.state_values, act, now, by=by, person=person, until=until)
    if isinstance(moved, NoChange):
        return
    if isinstance(moved, TransitionRefused):
        raise _impossible(moved)
    if act is Act.REOPEN and incident_lock.has_other_unresolved(incident):
        raise Conflict("A newer incident with the same fingerprint is unresolved.")
    details = {} if until is None else {"until": times.rfc3339(until)}
    _carry_out(incident, moved, by, now, done, details)


def edit(incident_id: UUID, wanted: Edit, now: datetime, done: Done, *, by: Actor, expected_rev: int | None) -> None:
    """Change title, severity, tags or assignee of an incident; what is as wanted already changes nothing.

    Who raises the severity escalates it. A resolved incident takes tags and an assignee, of which nobody is told. Raises
    `NotFound`, `RevMismatch`, and `InvalidTransition` for the title or severity of a resolved one.
    """
    incident = _lock(incident_id)
    check_rev(incident.rev, expected_rev)
    if incident.state_values.state is State.RESOLVED and (wanted.title is not None or wanted.severity is not None):
        raise InvalidTransition(RESOLVED_STAYS, extra={"state": str(State.RESOLVED)})
    rises = wanted.severity is not None and wanted.severity.rank > incident.state_values.severity.rank
    moved = apply_act(incident.state_values, Act.EDIT_HIGHER if rises else Act.EDIT, now, severity=wanted.severity)
    changed = _rename(incident, wanted)
    if wanted.severity is not None and wanted.severity is not incident.state_values.severity:
        changed["severity"] = [incident.state_values.severity, wanted.severity]
    if changed and isinstance(moved, Transitioned):
        details: dict[str, Any] = {"changed": changed}
        if moved.escalation is not None:
            details["escalation"] = moved.escalation.record()
        change = Change(tuple(changed), changes.of_edit(by.name, changed, _people(changed)))
        _carry_out(incident, moved, by, now, done, details, change, named=True)


def note(incident_id: UUID, text: str, now: datetime, done: Done, *, by: Actor) -> UUID:
    """Add a person's note to the timeline, also of a resolved incident, of which nobody is told; answers its id."""
    incident = _lock(incident_id)
    ledger = _ledger(incident, now, done)
    entry_id = ledger.enter(incident, "note", by, {"text": text})
    ledger.moved(incident, incident.state_values)
    if incident.state_values.state is not State.RESOLVED:
        change = Change((changes.NOTE,), changes.of_note(by.name))
        ledger.tell_of(incident, Reason.UPDATED, by=by, traits=Traits(is_note=True), change=change)
    ledger.write()
    return entry_id


def _lock(incident_id: UUID) -> IncidentRow:
    incident = incident_lock.lock(incident_id)
    if incident is None:
        raise NotFound
    return incident


def _impossible(refused: TransitionRefused) -> InvalidTransition:
    instead = INSTEAD.get(refused.state, "")
    act = Act.EDIT if refused.act is Act.EDIT_HIGHER else refused.act
    article = "An" if refused.state[:1] in "aeiou" else "A"
    said = f"{article} {refused.state} incident cannot be {DONE[act]}{instead}."
    return InvalidTransition(said, extra={"state": str(refused.state)})


def _rename(incident: IncidentRow, wanted: Edit) -> dict[str, Any]:
    """Keys of ours in what is told are redacted as in an event, and each tag is there once."""
    changed: dict[str, Any] = {}
    title = incident.title if wanted.title is None else cut(redact(wanted.title), fields.TITLE_LIMIT)
    if title != incident.title:
        changed["title"] = [incident.title, title]
        incident.title = title
    tags = incident.tags if wanted.tags is None else _distinct(wanted.tags)
    if tags != incident.tags:
        changed["tags"] = [incident.tags, tags]
        incident.tags = tags
    if wanted.assigns and wanted.assignee_id != incident.assignee_id:
        changed["assigneeId"] = [_person(incident.assignee_id), _person(wanted.assignee_id)]
        incident.assignee_id = wanted.assignee_id
    return changed


def _distinct(tags: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(cut(redact(tag), fields.TAG_LIMIT) for tag in tags))


def _people(changed: Mapping[str, Any]) -> dict[str, str]:
    """The names of who is or was assigned, by id."""
    named = {ids.decode(Prefix.USER, each): each for each in changed.get("assigneeId", ()) if each is not None}
    return {named[id]: name for id, name in explanations.people(named).items() if id is not None}


def _person(user_id: UUID | None) -> str | None:
    return None if user_id is None else ids.encode(Prefix.USER, user_id)


def _carry_out(
    incident: IncidentRow,
    moved: Transitioned,
    by: Actor,
    now: datetime,
    done: Done,
    details: Mapping[str, Any],
    change: Change | None = None,
    *,
    named: bool = False,
) -> None:
    ledger = _ledger(incident, now, done)
    states = {"from": incident.state_values.state, "to": moved.incident.state}
    reason = _as_news(incident.state_values, moved)
    ledger.enter(incident, DONE[moved.act], by, {**states, **details})
    after = covered(incident, moved.incident, ledger) if moved.act in TURNED else moved.incident
    if reason is Reason.FLAPPING and after.state is State.SILENCED:
        reason = Reason.REOPENED
    ledger.moved(incident, after)
    if moved.act is Act.UNSNOOZE and reason is Reason.UPDATED:
        change = Change(changes.UNSNOOZED, changes.of_unsnooze(by.name))
    if reason is not None:
        ledger.tell_of(incident, reason, by=by, escalation=moved.escalation, change=change)
    ledger.write(named=named)


def _as_news(before: Incident, moved: Transitioned) -> Reason | None:
    """What is told. The end of a snooze is no update where nobody was told since it opened or reopened: somebody must be.

    Of what flaps and was told before the reopening is withheld, so that only the update would be heard.
    """
    if moved.act is not Act.UNSNOOZE:
        return moved.reason
    if before.told_at is None:
        return Reason.OPENED
    return Reason.REOPENED if before.told_at < before.opened_at and not before.flapping else moved.reason


def _ledger(incident: IncidentRow, now: datetime, done: Done) -> Ledger:
    return Ledger(now, done, event_queue.source_contexts([incident.source_id]))
