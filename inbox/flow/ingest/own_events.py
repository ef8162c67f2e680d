"""Stores events that the service writes itself, validated like received events, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from inbox.database.base import db
from inbox.domain.events import grouping, validation
from inbox.domain.events.validation import EventFlag
from inbox.flow.ingest.request import EventResult, event_row, new_event_id, queue_row
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.ingest_rows import IngestRows, SourceKeyContext
from inbox.models.events.ingest_store import IngestStore
from inbox.runtime.queue import QueueName

LOCK_MS = 3_000


class OwnEvent(NamedTuple):
    """One event in the shape of `POST /v1/events`, with its sender and its time."""

    document: dict[str, Any]
    sender: SourceKeyContext
    now: datetime


def store(
    documents: Sequence[dict[str, Any]],
    sender: SourceKeyContext,
    now: datetime,
    done: AfterCommit,
    *,
    flag: EventFlag | None = None,
) -> list[EventResult]:
    """Stores 1 to 100 events of one sender in their order, and wakes routing.

    Each has the shape of `POST /v1/events`.
    """
    return store_all([OwnEvent(document, sender, now) for document in documents], done, flag=flag)


def store_all(own: Sequence[OwnEvent], done: AfterCommit, *, flag: EventFlag | None = None) -> list[EventResult]:
    """Stores events of any senders in one statement for each table, in their order, and wakes routing."""
    rows, results = IngestRows(), []
    for index, (document, sender, now) in enumerate(own):
        [event] = validation.accept(document, received_at=now, default_severity=sender.default_severity)
        if flag is not None:
            event.flags.append(str(flag))
        fingerprint = grouping.fingerprint(sender.source_id, event, sender.group_by)
        result = EventResult(event, fingerprint, new_event_id(now, index), True)
        rows.events.append(event_row(result, sender, now))
        rows.queue.append(queue_row(result, sender))
        results.append(result)
    IngestStore(db.connection(), lock_ms=LOCK_MS).insert(rows)
    done.wake(QueueName.ROUTING)
    return results
