"""The rows and the response body of an accepted request (specification 4.7)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from inbox.domain import ids
from inbox.domain.events import NewEvent
from inbox.models.events.ingest_store import IdentityKey, KnownEvent, SourceKeyContext, StoredResponse
from inbox.models.events.queue import shard_of


class EventResult(NamedTuple):
    """The result of one event: a new id, or the id of the first event with the same identity."""

    event: NewEvent
    fingerprint: str
    event_id: UUID
    new: bool


def event_id(received_at: datetime, index: int) -> UUID:
    """A UUIDv7. The events of a batch sort in the order of the request."""
    noise = os.urandom(8)
    tail = int.from_bytes(noise) >> 2
    return ids.uuid7(int(received_at.timestamp() * 1000), ((index << 62) | tail).to_bytes(10))


def response_body(results: Sequence[EventResult]) -> bytes:
    """The body of a 202, for a single event and for a batch."""
    return orjson.dumps(
        {
            "events": [
                {
                    "id": ids.encode(ids.Prefix.EVENT, result.event_id),
                    "index": index,
                    "status": "accepted" if result.new else "duplicate",
                    "fingerprint": result.fingerprint,
                    "warnings": _warnings(result.event),
                }
                for index, result in enumerate(results)
            ]
        }
    )


def event_row(result: EventResult, sender: SourceKeyContext, received_at: datetime) -> dict[str, Any]:
    """A row of `events`."""
    event = result.event
    return {
        "workspace_id": sender.workspace_id,
        "id": result.event_id,
        "source_id": sender.source_id,
        "received_at": received_at,
        "occurred_at": event.occurred_at,
        "severity": event.severity,
        "action": event.action,
        "title": event.title,
        "type": event.type,
        "resource": event.resource,
        "dedup_key": event.dedup_key,
        "body": event.body,
        "tags": event.tags,
        "url": event.url,
        "external_id": event.external_id,
        "idempotency_key": event.idempotency_key,
        "metadata": event.metadata,
        "fingerprint": result.fingerprint,
        "flags": event.flags,
        "warnings": _warnings(event),
    }


def queue_row(result: EventResult, sender: SourceKeyContext) -> dict[str, Any]:
    """A row of `event_queue`. The order of its rows is the order of routing within a source."""
    return {"shard": shard_of(sender.source_id), "workspace_id": sender.workspace_id, "event_id": result.event_id}


def record_row(record_key: tuple[UUID, str], record: StoredResponse) -> dict[str, Any]:
    """A row of `idempotency_records`."""
    source_id, key = record_key
    return {
        "source_id": source_id,
        "key": key,
        "body_hash": "\\x" + record.body_digest,
        "response": record.response.decode(),
    }


def identity_row(key: IdentityKey, known_event: KnownEvent) -> dict[str, Any]:
    """A row of `event_dedup`."""
    source_id, kind, digest = key
    return {
        "source_id": source_id,
        "kind": kind,
        "digest": "\\x" + digest,
        "event_id": known_event.event_id,
        "content_digest": None if known_event.content_digest is None else "\\x" + known_event.content_digest,
    }


def _warnings(event: NewEvent) -> list[dict[str, str]]:
    return [{"code": warning.code, "pointer": warning.pointer, "detail": warning.detail} for warning in event.warnings]
