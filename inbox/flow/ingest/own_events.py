"""Events that the service writes itself: validated and stored as received events are, in the transaction of the caller."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from inbox.domain import events, grouping
from inbox.domain.events import EventFlag
from inbox.flow.ingest import ingest_rows
from inbox.flow.ingest.ingest_rows import EventResult
from inbox.flow.unit_of_work import AfterCommit
from inbox.models.events.ingest_store import IngestRows, IngestStore, SourceKeyContext
from inbox.models.sql.base import db
from inbox.queue import QueueName

LOCK_MS = 3_000


def store(
    documents: Sequence[dict[str, Any]],
    sender: SourceKeyContext,
    now: datetime,
    done: AfterCommit,
    *,
    flag: EventFlag | None = None,
) -> list[EventResult]:
    """Store 1 to 100 events, each in the shape of `POST /v1/events`, in their order, and wake routing."""
    body = documents[0] if len(documents) == 1 else {"events": list(documents)}
    accepted = events.accept(body, received_at=now, default_severity=sender.default_severity)
    rows, results = IngestRows(), []
    for index, event in enumerate(accepted):
        if flag is not None:
            event.flags.append(str(flag))
        fingerprint = grouping.fingerprint(sender.source_id, event, sender.group_by)
        result = EventResult(event, fingerprint, ingest_rows.event_id(now, index), True)
        rows.events.append(ingest_rows.event_row(result, sender, now))
        rows.queue.append(ingest_rows.queue_row(result, sender))
        results.append(result)
    IngestStore(db.connection(), lock_ms=LOCK_MS).insert(rows)
    done.wake(QueueName.ROUTING)
    return results
