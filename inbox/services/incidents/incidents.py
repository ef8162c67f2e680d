"""Use cases of incidents apart from state changes: edit, note, count (specification 7.3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from inbox.domain.incidents.incident import Act, Actor
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.flow.notices.create import incident_url
from inbox.flow.people import incidents
from inbox.flow.people.incidents import Edit
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.models.incidents import read as incident_read
from inbox.models.incidents.tables import Incident, TimelineEntry
from inbox.services.incidents.undo_tokens import UndoToken, run_with_undo

__all__ = ["add_note", "edit", "incident_url"]


def edit(
    incident: Incident, fields: Mapping[str, Any], now: datetime, *, by: Actor, person: UUID, expected_rev: int | None
) -> UndoToken | None:
    """Change the given fields of `title severity tags assignee_id`. Return an undo token if anything changed.

    `person` is the user of `by`.

    Raises `RevMismatch`, and `InvalidTransition` for the title or severity of a resolved incident. Raises
    `ValidationFailed` for an assignee outside the workspace, with the same text for an unknown person.
    """
    check(incident, fields)
    requested_edit = Edit(
        title=fields.get("title"),
        severity=fields.get("severity"),
        tags=tuple(fields["tags"]) if "tags" in fields else None,
        assigns="assignee_id" in fields,
        assignee_id=fields.get("assignee_id"),
    )

    chance = UndoToken.after(now)

    def once() -> bool:
        with work() as done:
            do = partial(incidents.edit, edit=requested_edit, now=now, done=done, by=by, expected_rev=expected_rev)
            return run_with_undo(chance, str(Act.EDIT), incident.id, lambda before: do(before.id), person=person)

    return chance if retry_on_conflict(once) else None


def check(incident: Incident, fields: Mapping[str, Any]) -> None:
    """Check that the assignee is a member of the workspace. Raises `ValidationFailed`."""
    assignee = fields.get("assignee_id")
    if assignee is not None and not incident_read.is_member(incident.workspace_id, assignee):
        raise ValidationFailed(errors=[Fault("/assigneeId", "Not a member of this workspace.")])


def add_note(incident: Incident, text: str, now: datetime, *, by: Actor) -> TimelineEntry:
    """Add a note to the timeline. Keys of the service in it are redacted, as in an event."""

    def once() -> UUID:
        with work() as done:
            return incidents.note(incident.id, redact(text), now, done, by=by)

    return incident_read.timeline_entry(retry_on_conflict(once))
