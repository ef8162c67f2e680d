"""The values that ingest looks up for a group of requests, and the rows that it stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from inbox.domain.events.grouping import IncidentFor
from inbox.domain.values.severity import Severity


@dataclass(frozen=True, slots=True)
class SourceKeyContext:
    """An active key with the defaults of its source for events (specification 5.1)."""

    key_id: UUID
    source_id: UUID
    workspace_id: UUID
    default_severity: Severity
    group_by: tuple[str, ...]
    incident_for: str = IncidentFor.ALERT


@dataclass(frozen=True, slots=True)
class StoredResponse:
    """The response to an earlier request: the SHA-256 of the request body (hex) and the exact bytes of the response."""

    body_digest: str
    response: bytes


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """An event that was accepted before; `content_digest` (hex) only for an event with its own idempotency key.

    `rank` is the rank of its severity.
    """

    event_id: UUID
    content_digest: str | None
    rank: int


IdentityKey = tuple[UUID, str, str]
"""Source, kind and digest (hex) of an event's identity."""


@dataclass(slots=True)
class LookupResult:
    """The result of one look-up for a group: active keys by digest, stored responses by (source, key)."""

    keys: dict[str, SourceKeyContext]
    responses: dict[tuple[UUID, str], StoredResponse]
    stale: set[tuple[UUID, str]]


@dataclass(slots=True)
class IngestRows:
    """The rows of one transaction, each a JSON object.

    `stale_…` rows replace a row that is past its window, or an identity of a lower severity, which is deleted first.
    """

    records: list[dict[str, Any]] = field(default_factory=list)
    identities: dict[IdentityKey, dict[str, Any]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    queue: list[dict[str, Any]] = field(default_factory=list)
    stale_records: list[dict[str, Any]] = field(default_factory=list)
    stale_identities: dict[IdentityKey, dict[str, Any]] = field(default_factory=dict)


def record_row(record_key: tuple[UUID, str], record: StoredResponse) -> dict[str, Any]:
    """Returns a row of `idempotency_records`."""
    source_id, key = record_key
    return {
        "source_id": source_id,
        "key": key,
        "body_hash": "\\x" + record.body_digest,
        "response": record.response.decode(),
    }


def identity_row(key: IdentityKey, known_event: KnownEvent) -> dict[str, Any]:
    """Returns a row of `event_dedup`."""
    source_id, kind, digest = key
    return {
        "source_id": source_id,
        "kind": kind,
        "digest": "\\x" + digest,
        "event_id": known_event.event_id,
        "content_digest": None if known_event.content_digest is None else "\\x" + known_event.content_digest,
        "severity_rank": known_event.rank,
    }
