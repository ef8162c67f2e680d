"""Events as they stand in the tables: received, and routed or waiting to be."""

from __future__ import annotations

from typing import Any

from inbox.models.sql.base import db, new_id
from inbox.models.tables.events import Event, ReceivedEvent, RoutedEvent, shard_of

_OF_ROUTING = "disposition", "incident_id", "routing"


def store(**fields: Any) -> Event:
    """An event with these columns; without a `disposition` (or with `pending`) it waits in the queue."""
    became = {name: fields.pop(name) for name in _OF_ROUTING if name in fields}
    known = {
        "id": new_id(), "title": "Disk full", "severity": "ERROR", "action": "trigger", "fingerprint": "f1:x", **fields,
    }  # fmt: skip
    ReceivedEvent.insert(**known).execute()
    if became.get("disposition", "pending") == "pending":
        wait(known["workspace_id"], known["id"], known["source_id"])
    else:
        here = {"workspace_id": known["workspace_id"], "event_id": known["id"]}
        RoutedEvent.insert(**here, trace=became.pop("routing", {}), **became).execute()
    found: Event = Event.get(Event.workspace_id == known["workspace_id"], Event.id == known["id"])
    return found


def wait(workspace_id: Any, event_id: Any, source_id: Any) -> None:
    """Put an event last in the queue of its shard."""
    db.execute_sql(
        "INSERT INTO event_queue (shard, workspace_id, event_id) VALUES (%s, %s, %s)",
        (shard_of(source_id), workspace_id, event_id),
    )
