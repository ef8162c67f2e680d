"""Events that are set aside because their routing failed: an operator looks at them and lets them go.

Decision 0005.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from inbox.flow.unit_of_work import work
from inbox.models.events import quarantine as event_quarantine
from inbox.queue import QueueName
from inbox.services import audit


def release(event_ids: Sequence[UUID] | None, now: datetime) -> list[UUID]:
    """Route these again, or with None all that are set aside; answers which were. May be called twice.

    Each keeps its place in the order of acceptance, before those that have come since and are not routed yet. One that
    fails again is set aside again.
    """
    with work() as done:
        released = event_quarantine.release(event_ids)
        for workspace_id, event_id in released:
            about = audit.target("event", event_id)
            audit.record("event.released", target=about, workspace_id=workspace_id, now=now)
        if released:
            done.wake(QueueName.ROUTING)
    return [event_id for _, event_id in released]
