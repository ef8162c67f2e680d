"""The quarantine of events whose routing failed: an operator inspects and releases them (decision 0011)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from inbox.flow.unit_of_work import work
from inbox.models.events import quarantine as event_quarantine
from inbox.runtime.queue import QueueName
from inbox.services.records import audit


def release(event_ids: Sequence[UUID] | None, now: datetime) -> list[UUID]:
    """Queue these events for routing again, or all with None. Return the released ones. A second call is allowed.

    Each event keeps its position in the order of acceptance, before later unrouted events. A further failure returns it
    to the quarantine.
    """
    with work() as done:
        released = event_quarantine.release(event_ids)
        for workspace_id, event_id in released:
            about = audit.target("event", event_id)
            audit.record("event.released", target=about, workspace_id=workspace_id, now=now)
        if released:
            done.wake(QueueName.ROUTING)
    return [event_id for _, event_id in released]
