"""An ingest request, from its receipt to its rows and its answer (specification 4.7).

`Deduplicator` decides which events of a group are new, and collects the rows of all of them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

import orjson

from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.events.validation import EventWarning, NewEvent
from inbox.domain.values import ids
from inbox.domain.values.networks import Client
from inbox.domain.values.refusals import Fault, IdempotencyMismatch
from inbox.models.events.ingest_rows import (
    IdentityKey,
    IngestRows,
    KnownEvent,
    LookupResult,
    SourceKeyContext,
    StoredResponse,
    identity_row,
    record_row,
)
from inbox.models.events.queue import fingerprint_hash, shard_of


@dataclass(slots=True)
class IngestRequest:
    """A received request. `key_digest` is the SHA-256 of the source key in hex; `body` has the exact bytes."""

    key_digest: str
    body: bytes
    idempotency_key: str | None
    received_at: datetime
    client: Client = ("", "")
    charged: bool = False
    """The rate limits counted the request. A retry is not counted again."""
    warnings: Sequence[Sequence[EventWarning]] = ()
    """The changes by an intake of another format, for each event in order; empty when it changed nothing."""
    document: Any = None
    """The parsed body, if an intake of another format made it. It is not parsed again."""
    time: TimeMeaning | None = None
    """The meaning of `occurredAt` in another format; None for events in the form of `POST /v1/events`."""
    group: str = ""
    """The group of the tool to which the events belong; empty without one."""

    @property
    def body_digest(self) -> str:
        """Returns the SHA-256 of the body in hex, which distinguishes a replay from a mismatch."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Accepted:
    """The exact bytes of a 202 response, and whether they repeat the response to an earlier request.

    The metrics count `accepted`, `duplicates` and `warnings` (codes of warnings). A replay has none.
    """

    body: bytes
    replayed: bool = False
    accepted: int = 0
    duplicates: int = 0
    warnings: Sequence[str] = ()


Outcome: TypeAlias = Accepted | Exception
"""The result of a request: an answer, a `Refusal`, or an error that affects only this request."""


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The outcomes of a group in order, a client of each live key, and whether there are events to route.

    `warnings_by_source` has the warnings of each new event, and its source.
    """

    outcomes: list[Outcome]
    clients: dict[UUID, Client]
    new: bool
    warnings_by_source: list[tuple[UUID, list[EventWarning]]]


@dataclass(slots=True)
class ParsedRequest:
    """A request in progress: its position in the group, its sender, its parsed body or refusal, and its valid events."""

    position: int
    request: IngestRequest
    sender: SourceKeyContext
    document: Any
    events: list[tuple[NewEvent, str, IdentityKey | None]]

    @property
    def record_key(self) -> tuple[UUID, str] | None:
        """The key of its stored response; None without the header, or when each event has a key."""
        key = self.request.idempotency_key
        if key is None or all(event.idempotency_key for event, _, _ in self.events):
            return None
        return self.sender.source_id, key


class EventResult(NamedTuple):
    """The result of one event: a new id, or the id of the first event with the same identity."""

    event: NewEvent
    fingerprint: str
    event_id: UUID
    new: bool

    @property
    def repeats_alarm(self) -> bool:
        """Returns whether the sender reports the same alarm again, which routing counts as a sign of life."""
        return not self.new and self.event.idempotency_key is None and not self.event.recovers


class Deduplicator:
    """Deduplicates the requests of a group in order. Each request sees the events of earlier requests."""

    def __init__(
        self, keys: LookupResult, known_events: dict[IdentityKey, KnownEvent], stale: set[IdentityKey]
    ) -> None:
        self._records = dict(keys.responses)
        self._stale_records = keys.stale
        self._known_events = known_events
        self._stale = stale
        self.acceptance = IngestRows()
        self.warnings_by_source: list[tuple[UUID, list[EventWarning]]] = []

    def deduplicate(self, parsed: ParsedRequest) -> Accepted:
        """Returns the answer. The request's rows are added only if none of its events is refused."""
        record_key = parsed.record_key
        if record_key is not None and record_key in self._records:
            return self._replayed(self._records[record_key], parsed.request)
        results, new_identities = self._results(parsed)
        response = response_body(results)
        self._accept(parsed, results, new_identities)
        self._known_events.update(new_identities)
        if record_key is not None:
            record = self._records[record_key] = StoredResponse(parsed.request.body_digest, response)
            self._store_response(record_key, record)
        accepted = sum(result.new for result in results)
        codes = [warning.code for result in results for warning in result.event.warnings]
        return Accepted(response, accepted=accepted, duplicates=len(results) - accepted, warnings=codes)

    def _replayed(self, record: StoredResponse, request: IngestRequest) -> Accepted:
        if record.body_digest != request.body_digest:
            raise IdempotencyMismatch("This Idempotency-Key was used with a different body; nothing was stored.")
        return Accepted(record.response, replayed=True)

    def _results(self, parsed: ParsedRequest) -> tuple[list[EventResult], dict[IdentityKey, KnownEvent]]:
        """Returns the result of each event, new or duplicate, and the new identities of this request."""
        results: list[EventResult] = []
        new_identities: dict[IdentityKey, KnownEvent] = {}
        for index, (event, fingerprint, key) in enumerate(parsed.events):
            digest = event.content_digest.hex() if event.content_digest is not None else None
            known_event = (new_identities.get(key) or self._known_events.get(key)) if key is not None else None
            if known_event is not None and _is_higher(event, known_event):
                known_event = None
            if known_event is None:
                event_id = new_event_id(parsed.request.received_at, index)
                if key is not None:
                    new_identities[key] = KnownEvent(event_id, digest, event.severity.rank)
            elif known_event.content_digest != digest:
                fault = Fault(f"{event.pointer}/idempotencyKey", "was used before with different content")
                raise IdempotencyMismatch("An idempotencyKey was used before; nothing was stored.", errors=[fault])
            stored_id = known_event.event_id if known_event is not None else event_id
            results.append(EventResult(event, fingerprint, stored_id, known_event is None))
        return results, new_identities

    def _accept(
        self, parsed: ParsedRequest, results: list[EventResult], new_identities: dict[IdentityKey, KnownEvent]
    ) -> None:
        acceptance, sender = self.acceptance, parsed.sender
        for result in results:
            if result.new:
                acceptance.events.append(event_row(result, sender, parsed.request.received_at))
                acceptance.queue.append(queue_row(result, sender))
                if result.event.warnings:
                    self.warnings_by_source.append((sender.source_id, result.event.warnings))
            elif result.repeats_alarm:
                acceptance.queue.append(queue_row(result, sender, repeated_at=parsed.request.received_at))
        for key, known_event in new_identities.items():
            row = acceptance.identities[key] = identity_row(key, known_event)
            if key in self._stale or key in self._known_events:
                acceptance.stale_identities[key] = row

    def _store_response(self, record_key: tuple[UUID, str], record: StoredResponse) -> None:
        row = record_row(record_key, record)
        self.acceptance.records.append(row)
        if record_key in self._stale_records:
            self.acceptance.stale_records.append(row)


def _is_higher(event: NewEvent, known_event: KnownEvent) -> bool:
    """Returns whether the severity is higher than the stored one. Such an occurrence is stored as a new event."""
    return event.idempotency_key is None and event.severity.rank > known_event.rank


def new_event_id(received_at: datetime, index: int) -> UUID:
    """Returns a new UUIDv7. The events of a batch sort in the order of the request."""
    noise = os.urandom(8)
    tail = int.from_bytes(noise) >> 2
    return ids.uuid7(int(received_at.timestamp() * 1000), ((index << 62) | tail).to_bytes(10))


def response_body(results: Sequence[EventResult]) -> bytes:
    """Returns the body of a 202, for a single event and for a batch."""
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
    """Returns a row of `events`."""
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
        "group_fingerprint": event.group_fingerprint,
        "flags": event.flags,
        "warnings": _warnings(event),
    }


def queue_row(result: EventResult, sender: SourceKeyContext, *, repeated_at: datetime | None = None) -> dict[str, Any]:
    """Returns a row of `event_queue`. The order of its rows is the order of routing within a source.

    `repeated_at` is the time of receipt of a repeat, which has no row in `received_events`.
    """
    return {
        "shard": shard_of(sender.source_id),
        "workspace_id": sender.workspace_id,
        "event_id": result.event_id,
        "repeated_at": repeated_at,
        "fingerprint_hash": fingerprint_hash(result.fingerprint),
        "may_overtake": repeated_at is None and result.event.may_overtake,
    }


def _warnings(event: NewEvent) -> list[dict[str, str]]:
    return [{"code": warning.code, "pointer": warning.pointer, "detail": warning.detail} for warning in event.warnings]
