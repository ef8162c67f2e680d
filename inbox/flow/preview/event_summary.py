"""The identity of an event in a preview (specification 6.9)."""

from __future__ import annotations

from typing import Any

from inbox.domain.routing.matchers import MatchSubject
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.times import rfc3339
from inbox.models.events.preview_events import StoredEvent


def identity(event: StoredEvent, subject: MatchSubject) -> dict[str, Any]:
    """Serializes a stored event in the format of the API."""
    return {
        "eventId": ids.encode(Prefix.EVENT, event.id),
        "title": event.title,
        "severity": str(event.severity),
        "sourceId": subject.source_id,
        "sourceName": subject.source_name,
        "receivedAt": rfc3339(event.received_at),
    }
