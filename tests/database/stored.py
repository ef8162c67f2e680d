"""Reads stored events: received, and routed or queued."""

from __future__ import annotations

from typing import Any

from inbox.database.base import db, new_id
from inbox.models.events.queue import shard_of
from inbox.models.events.tables import Event, ReceivedEvent, RoutedEvent

_OF_ROUTING = "disposition", "incident_id", "routing"


def store(**fields: Any) -> Event:
    """An event with these columns; without a `disposition` (or with `pending`) it waits in the queue."""
    became = {name: fields.pop(name) for name in _OF_ROUTING if name in fields}
    existing = {
        "id": new_id(), "title": "Disk full", "severity": "ERROR", "action": "trigger", "fingerprint": "f1:x", **fields,
    }  # fmt: skip
    ReceivedEvent.insert(**existing).execute()
    if became.get("disposition", "pending") == "pending":
        wait(existing["workspace_id"], existing["id"], existing["source_id"])
    else:
        here = {"workspace_id": existing["workspace_id"], "event_id": existing["id"]}
        RoutedEvent.insert(**here, trace=became.pop("routing", {"trace": []}), **became).execute()
    found: Event = Event.get(Event.workspace_id == existing["workspace_id"], Event.id == existing["id"])
    return found


def wait(workspace_id: Any, event_id: Any, source_id: Any) -> None:
    """Put an event last in the queue of its shard."""
    db.execute_sql(
        "INSERT INTO event_queue (shard, workspace_id, event_id) VALUES (%s, %s, %s)",
        (shard_of(source_id), workspace_id, event_id),
    )
