"""The test event of a person: stored like received events, with the rate limits of its source (specification 5.6)."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from inbox.domain.events.validation import EventFlag
from inbox.domain.values.refusals import RateLimited
from inbox.domain.values.severity import Severity
from inbox.flow.ingest import own_events
from inbox.flow.ingest.request import EventResult
from inbox.flow.unit_of_work import AfterCommit
from inbox.limits.ingest import Charge, IngestRateLimiter
from inbox.models.events.ingest_rows import SourceKeyContext
from inbox.models.senders.sources import Source

TITLE = "Test event"
TYPE = "test"


def charge(source_id: UUID, workspace_id: UUID, events: int = 1) -> None:
    """Counts events in the rate limits of the source and its workspace. Raises `RateLimited`."""
    [wait] = IngestRateLimiter().consume([Charge(source_id, workspace_id, events)])
    if wait:
        raise RateLimited("Events arrive faster than the rate limit allows.", retry_after=wait)


def store(
    source: Source, severity: Severity | None, title: str | None, *, by: str, now: datetime, done: AfterCommit
) -> EventResult:
    """Stores the event and wakes routing. An event without a severity gets the default severity of the source."""
    document = {
        "title": title or TITLE,
        "type": TYPE,
        "body": f"{by} sent this event to test the source.",
        "severity": None if severity is None else str(severity),
    }
    default = Severity(source.default_severity)
    sender = SourceKeyContext(source.id, source.id, source.workspace_id, default, tuple(source.group_by))
    [result] = own_events.store([document], sender, now, done, flag=EventFlag.TEST)
    return result
