"""Creates silences for tests, as the API stores them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from inbox.database.base import new_id
from inbox.flow.timers.silences import TRANSITION
from inbox.models.incidents import timers
from inbox.models.incidents.tables import Timer
from inbox.models.people.accounts import User
from inbox.models.routing.silences import Silence
from inbox.models.workspaces.tables import Workspace
from tests.cast import present

ANYTHING: dict[str, Any] = {"all": []}
HOUR = timedelta(hours=1)


def make_silence(workspace: Workspace, by: User | None = None, start: datetime | None = None, **more: Any) -> Silence:
    """One hour from `start` or from now, of every event, and due to be looked at when it begins."""
    start = start or present()
    values: dict[str, Any] = {
        "id": new_id(),
        "workspace_id": workspace.id,
        "match": ANYTHING,
        "starts_at": start,
        "ends_at": start + HOUR,
        "comment": "Upgrade",
        "created_by": by and by.id,
        "created_at": start,
    }
    silence: Silence = Silence.create(**{**values, **more})
    Workspace.update(config_rev=Workspace.config_rev + 1).where(Workspace.id == workspace.id).execute()
    timers.set_timer(TRANSITION, silence.id, workspace.id, silence.starts_at)
    return silence


def titled(text: str) -> dict[str, Any]:
    """A match of events in whose title this stands."""
    return {"field": "title", "op": "contains", "value": text}


def change(silence: Silence, at: datetime, **fields: Any) -> None:
    """As the service changes it: it is due at once."""
    Silence.update(**fields, rev=Silence.rev + 1).where(Silence.id == silence.id).execute()
    timers.set_timer(TRANSITION, silence.id, silence.workspace_id, at)


def next_turn(silence: Silence) -> datetime | None:
    """When it is looked at next; None: never."""
    found = Timer.get_or_none(Timer.kind == TRANSITION, Timer.subject_id == silence.id)
    return found and found.due_at
