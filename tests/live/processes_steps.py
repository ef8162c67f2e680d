"""Two web workers, and clients of their stream."""

from __future__ import annotations

from inbox.database.base import new_id
from inbox.domain.values import ids
from inbox.flow.unit_of_work import work
from inbox.models.workspaces.tables import Workspace


def change(workspace: Workspace, **more: object) -> str:
    """A committed change of an incident there; answers its id on the stream."""
    incident = new_id()
    with work() as done:
        done.publish_change("incident", incident, workspace.id, **more)  # type: ignore[arg-type]
    return ids.encode("inc", incident)
