"""Use cases of pages: page people now, take the next step now (specification 23.17)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from inbox.domain.incidents.incident import Actor
from inbox.domain.routing.people import PageTarget
from inbox.domain.values.redaction import redact
from inbox.domain.values.refusals import ValidationFailed
from inbox.flow.people import paging_acts
from inbox.flow.unit_of_work import retry_on_conflict, work
from inbox.models.incidents.tables import Incident
from inbox.services.records import reference_checks


def check(incident: Incident, people: Sequence[PageTarget]) -> None:
    """Check that the people belong to the workspace. Raises `ValidationFailed`."""
    faults = reference_checks.people(incident.workspace_id, people, "/people")
    if faults:
        raise ValidationFailed(errors=faults)


def page(incident: Incident, people: Sequence[PageTarget], note: str | None, now: datetime, *, by: Actor) -> None:
    """Page these people now. It cannot be undone: what was sent stays sent.

    Raises `ValidationFailed`, `InvalidTransition`, and `Conflict` if nobody of them can be paged.
    """
    check(incident, people)
    distinct, text = list(dict.fromkeys(people)), None if note is None else redact(note)

    def once() -> None:
        with work() as done:
            paging_acts.page(incident.id, distinct, now, done, by=by, note=text)

    retry_on_conflict(once)


def escalate(incident: Incident, note: str | None, now: datetime, *, by: Actor) -> None:
    """Take the next step now. Raises `InvalidTransition`, and `Conflict` if no step follows."""
    text = None if note is None else redact(note)

    def once() -> None:
        with work() as done:
            paging_acts.escalate(incident.id, now, done, by=by, note=text)

    retry_on_conflict(once)
