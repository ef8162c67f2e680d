"""Undo tokens: the change of an act is stored for ten seconds (specification 7.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from inbox.database.base import new_id
from inbox.domain.incidents import undo
from inbox.domain.values.refusals import NotFound
from inbox.flow.people import undo as undoing
from inbox.models.incidents import lock as incident_lock
from inbox.models.incidents import undo_tokens
from inbox.models.incidents.lock import IncidentRow


@dataclass(frozen=True, slots=True)
class UndoToken:
    """The id by which an act can be undone, and the end of the undo window."""

    id: UUID
    until: datetime

    @classmethod
    def after(cls, now: datetime) -> Self:
        """Create the token for an act now."""
        return cls(new_id(now), now + undo.WINDOW)


def run_with_undo(
    token: UndoToken, act: str, incident_id: UUID, do: Callable[[IncidentRow], None], *, person: UUID
) -> bool:
    """Apply an act to the locked incident in the caller's unit of work, and store the change.

    Return whether it changed.

    Raises `NotFound`, and the errors of the act.
    """
    before = _locked(incident_id)
    do(before)
    changed = undoing.change(before, _locked(incident_id))
    if changed:
        undo_tokens.save(token.id, incident_id, person, act, changed, token.until)
    return bool(changed)


def _locked(incident_id: UUID) -> IncidentRow:
    incident = incident_lock.lock(incident_id)
    if incident is None:
        raise NotFound
    return incident
