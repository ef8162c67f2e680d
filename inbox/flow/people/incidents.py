"""Applies acts of people to one incident: under its lock, by the table of transitions, with timeline and notices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from inbox.domain.deliveries.notices import Change, NoticeTraits
from inbox.domain.events import fields
from inbox.domain.explaining import changes
from inbox.domain.incidents.incident import (
    Act,
    ActArguments,
    Actor,
    Incident,
    NoChange,
    Reason,
    State,
    Transitioned,
    TransitionRefused,
    apply_act,
)
from inbox.domain.values import ids, times
from inbox.domain.values.ids import Prefix
from inbox.domain.values.redaction import cut, redact
from inbox.domain.values.refusals import Conflict, InvalidTransition, NotFound, check_rev
from inbox.domain.values.severity import Severity
from inbox.flow.notices.notice import IncidentNotice
from inbox.flow.routing.incidents import IncidentWriter, write_changes
from inbox.flow.routing.silence_coverage import apply_silences
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events import queue as event_queue
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents.lock import IncidentRow
from inbox.models.insight import explanations

TIMELINE_KINDS: Mapping[Act, str] = {
    Act.ACKNOWLEDGE: "acknowledged",
    Act.UNACKNOWLEDGE: "unacknowledged",
    Act.SNOOZE: "snoozed",
    Act.UNSNOOZE: "unsnoozed",
    Act.RESOLVE: "resolved",
    Act.REOPEN: "reopened",
    Act.EDIT: "updated",
    Act.EDIT_HIGHER: "escalated",
}
"""The kind of the timeline entry of an act."""

SILENCE_RECHECK_ACTS = frozenset({Act.REOPEN, Act.EDIT, Act.EDIT_HIGHER})
"""The acts after which a silence may cover an incident that it did not cover before."""

ADVICE: Mapping[State, str] = {
    State.SILENCED: "; end its silence first, or resolve it",
    State.RESOLVED: "; reopen it first",
}
"""The advice for a refused act, by state."""


RESOLVED_STAYS = "The title and the severity of a resolved incident cannot be changed; reopen it first."


@dataclass(frozen=True, slots=True)
class Edit:
    """A person's changes to an incident; None leaves a field unchanged. `assignee_id` counts only with `assigns`."""

    title: str | None = None
    severity: Severity | None = None
    tags: tuple[str, ...] | None = None
    assigns: bool = False
    assignee_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class ActRequest:
    """A person's act. `person` is the user of `by`, `until` the end of a snooze. `note` is added to the timeline."""

    act: Act
    by: Actor
    person: UUID | None = None
    until: datetime | None = None
    note: str | None = None
    assigns: bool = False
    """Whether the person becomes the assignee, too."""


def act(incident_id: UUID, request: ActRequest, now: datetime, done: AfterCommit) -> None:
    """Applies one act of a person. Repeating an act in the state it leads to changes nothing, but adds the note and assigns.

    Raises `NotFound`, `InvalidTransition`, and `Conflict` for a reopening while a newer incident of the same
    fingerprint is unresolved.
    """
    incident = _lock(incident_id)
    arguments = ActArguments(by=request.by, person=request.person, until=request.until)
    transitioned = apply_act(incident.state_values, request.act, now, arguments)
    if isinstance(transitioned, NoChange):
        _repeat(incident_id, request, now, done)
        return
    if isinstance(transitioned, TransitionRefused):
        raise _impossible(transitioned)
    if request.act is Act.REOPEN and incident_lock.has_other_unresolved(incident):
        raise Conflict("A newer incident with the same fingerprint is unresolved.")
    details: dict[str, Any] = {} if request.until is None else {"until": times.rfc3339(request.until)}
    assigned = _rename(incident, Edit(assigns=True, assignee_id=request.person)) if request.assigns else {}
    details |= {"changed": assigned} if assigned else {}
    writer = _writer(incident, now, done)
    if request.note is not None:
        writer.add_timeline_entry(incident, "note", request.by, {"text": request.note})
    _apply(incident, transitioned, request.by, writer, details)


def _repeat(incident_id: UUID, request: ActRequest, now: datetime, done: AfterCommit) -> None:
    """Adds the note of an act that changes no state, and assigns the incident if the act does."""
    if request.note is not None:
        note(incident_id, request.note, now, done, by=request.by)
    if request.assigns:
        assigned = Edit(assigns=True, assignee_id=request.person)
        edit(incident_id, assigned, now, done, by=request.by, expected_rev=None)


def edit(
    incident_id: UUID, edit: Edit, now: datetime, done: AfterCommit, *, by: Actor, expected_rev: int | None
) -> None:
    """Changes title, severity, tags or assignee of an incident; equal values change nothing.

    A higher severity escalates the incident. Tags and assignee of a resolved incident change without a notice. Raises
    `NotFound`, `RevMismatch`, and `InvalidTransition` for the title or severity of a resolved one.
    """
    incident = _lock(incident_id)
    check_rev(incident.rev, expected_rev)
    if incident.state_values.state is State.RESOLVED and (edit.title is not None or edit.severity is not None):
        raise InvalidTransition(RESOLVED_STAYS, extra={"state": str(State.RESOLVED)})
    rises = edit.severity is not None and edit.severity.rank > incident.state_values.severity.rank
    transitioned = apply_act(
        incident.state_values, Act.EDIT_HIGHER if rises else Act.EDIT, now, ActArguments(severity=edit.severity)
    )
    changed = _rename(incident, edit)
    if edit.severity is not None and edit.severity is not incident.state_values.severity:
        changed["severity"] = [incident.state_values.severity, edit.severity]
    if changed and isinstance(transitioned, Transitioned):
        details: dict[str, Any] = {"changed": changed}
        if transitioned.escalation is not None:
            details["escalation"] = transitioned.escalation.record()
        change = Change(tuple(changed), changes.of_edit(by.name, changed, _people(changed)))
        _apply(incident, transitioned, by, _writer(incident, now, done), details, change)


def note(incident_id: UUID, text: str, now: datetime, done: AfterCommit, *, by: Actor, is_quiet: bool = False) -> UUID:
    """Adds a person's note to the timeline; returns its id. A quiet one, or one on a resolved incident, causes no notice."""
    incident = _lock(incident_id)
    writer = _writer(incident, now, done)
    entry_id = writer.add_timeline_entry(incident, "note", by, {"text": text})
    writer.update(incident, incident.state_values)
    if incident.state_values.state is not State.RESOLVED and not is_quiet:
        change = Change((changes.NOTE,), changes.of_note(by.name))
        writer.add_notice(
            IncidentNotice(incident, Reason.UPDATED, by=by, traits=NoticeTraits(is_note=True), change=change)
        )
    write_changes(writer)
    return entry_id


def _lock(incident_id: UUID) -> IncidentRow:
    incident = incident_lock.lock(incident_id)
    if incident is None:
        raise NotFound
    return incident


def _impossible(refused: TransitionRefused) -> InvalidTransition:
    instead = ADVICE.get(refused.state, "")
    act = Act.EDIT if refused.act is Act.EDIT_HIGHER else refused.act
    article = "An" if refused.state[:1] in "aeiou" else "A"
    sentence = f"{article} {refused.state} incident cannot be {TIMELINE_KINDS[act]}{instead}."
    return InvalidTransition(sentence, extra={"state": str(refused.state)})


def _rename(incident: IncidentRow, edit: Edit) -> dict[str, Any]:
    """Returns the changed fields. Redacts the service's keys in texts as in an event, and deduplicates tags."""
    changed: dict[str, Any] = {}
    title = incident.title if edit.title is None else cut(redact(edit.title), fields.TITLE_LIMIT)
    if title != incident.title:
        changed["title"] = [incident.title, title]
        incident.title, incident.title_edited = title, True
    tags = incident.tags if edit.tags is None else _distinct(edit.tags)
    if tags != incident.tags:
        changed["tags"] = [incident.tags, tags]
        incident.tags = tags
    if edit.assigns and edit.assignee_id != incident.assignee_id:
        changed["assigneeId"] = [_person(incident.assignee_id), _person(edit.assignee_id)]
        incident.assignee_id = edit.assignee_id
    return changed


def _distinct(tags: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(cut(redact(tag), fields.TAG_LIMIT) for tag in tags))


def _people(changed: Mapping[str, Any]) -> dict[str, str]:
    """Returns the names of the assigned persons, before and after, by id."""
    named = {ids.decode(Prefix.USER, each): each for each in changed.get("assigneeId", ()) if each is not None}
    return {named[id]: name for id, name in explanations.people(named).items() if id is not None}


def _person(user_id: UUID | None) -> str | None:
    return None if user_id is None else ids.encode(Prefix.USER, user_id)


def _apply(
    incident: IncidentRow,
    transitioned: Transitioned,
    by: Actor,
    writer: IncidentWriter,
    details: Mapping[str, Any],
    change: Change | None = None,
) -> None:
    """Writes the transition, its timeline entry and its notice. `change` describes edited fields."""
    is_edited = change is not None or "changed" in details
    states = {"from": incident.state_values.state, "to": transitioned.incident.state}
    reason = _notice_of(incident.state_values, transitioned)
    writer.add_timeline_entry(incident, TIMELINE_KINDS[transitioned.act], by, {**states, **details})
    after = (
        apply_silences(incident, transitioned.incident, writer)
        if transitioned.act in SILENCE_RECHECK_ACTS
        else transitioned.incident
    )
    if reason is Reason.FLAPPING and after.state is State.SILENCED:
        reason = Reason.REOPENED
    writer.update(incident, after)
    if transitioned.act is Act.UNSNOOZE and reason is Reason.UPDATED:
        change = Change(changes.UNSNOOZE_FIELDS, changes.of_unsnooze(by.name))
    if reason is not None:
        writer.add_notice(IncidentNotice(incident, reason, by=by, escalation=transitioned.escalation, change=change))
    write_changes(writer, named=is_edited)


def _notice_of(before: Incident, transitioned: Transitioned) -> Reason | None:
    """Returns the reason of the notice. The end of a snooze without a notice since opening is `opened` or `reopened`.

    Nobody would be notified otherwise. A flapping incident with an earlier notice is the exception: its reopening is
    withheld, so only the update is sent.
    """
    if transitioned.act is not Act.UNSNOOZE:
        return transitioned.reason
    if before.notified_at is None:
        return Reason.OPENED
    return Reason.REOPENED if before.notified_at < before.opened_at and not before.flapping else transitioned.reason


def _writer(incident: IncidentRow, now: datetime, done: AfterCommit) -> IncidentWriter:
    return IncidentWriter(now, done, event_queue.source_contexts([incident.source_id]))
