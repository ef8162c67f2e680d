"""Ingest: validate, deduplicate and store a group of requests in one transaction (specification 4.7)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

import orjson

from inbox.domain import events, grouping
from inbox.domain.events import EventWarning, NewEvent
from inbox.domain.jsonbody import not_json
from inbox.domain.networks import Client
from inbox.domain.refusals import Fault, IdempotencyMismatch, RateLimited, Unauthenticated, ValidationFailed
from inbox.flow.ingest import ingest_rows
from inbox.flow.ingest.ingest_rows import EventResult
from inbox.flow.ingest.rate_limit import Charge, IngestRateLimiter, events_in
from inbox.models.events.ingest_store import (
    IdentityKey,
    IngestRows,
    IngestStore,
    KnownEvent,
    LookupResult,
    SourceKeyContext,
    StoredResponse,
)

T = TypeVar("T")

SLICE_SECONDS = 0.01
"""After this much uninterrupted work, other requests of the process run."""


@dataclass(slots=True)
class IngestRequest:
    """A received request. `key_digest` is the SHA-256 of the source key in hex; `body` has the exact bytes."""

    key_digest: str
    body: bytes
    idempotency_key: str | None
    received_at: datetime
    client: Client = ("", "")
    charged: bool = False
    """Whether the rate limits counted the request. A retry is not counted again."""
    warnings: Sequence[Sequence[EventWarning]] = ()
    """What an intake of another format changed, for each event in order; empty when it changed nothing."""
    document: Any = None
    """The parsed body, when an intake of another format made it. It is not parsed again."""

    @property
    def body_digest(self) -> str:
        """SHA-256 of the body in hex. It distinguishes a replay from a mismatch."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Accepted:
    """The exact bytes of a 202, and whether an earlier request got them first.

    The metrics count `accepted`, `duplicates` and `warnings` (codes of warnings). A replay has none.
    """

    body: bytes
    replayed: bool = False
    accepted: int = 0
    duplicates: int = 0
    warnings: Sequence[str] = ()


Outcome: TypeAlias = Accepted | Exception
"""The result of a request: an answer, a `Refusal`, or the error of this request alone."""


@dataclass(frozen=True, slots=True)
class GroupResult:
    """One outcome per request in order, a client of each live key, and whether there are events to route.

    `warnings_by_source` has the warnings of each new event with warnings, and its source.
    """

    outcomes: list[Outcome]
    clients: dict[UUID, Client]
    new: bool
    warnings_by_source: list[tuple[UUID, list[EventWarning]]]


@dataclass(slots=True)
class ParsedRequest:
    """A request in progress: its position in the group, its sender, and its valid events."""

    position: int
    request: IngestRequest
    sender: SourceKeyContext
    document: Any
    events: list[tuple[NewEvent, str, IdentityKey | None]]

    @property
    def record_key(self) -> tuple[UUID, str] | None:
        """The key of its stored response; None without the header, or when each event has its own key."""
        key = self.request.idempotency_key
        if key is None or all(event.idempotency_key for event, _, _ in self.events):
            return None
        return self.sender.source_id, key


def store_group(requests: Sequence[IngestRequest], store: IngestStore, rates: IngestRateLimiter) -> GroupResult:
    """Store the requests in one transaction, and return the outcome of each.

    An invalid request affects only its own outcome. Only errors of the database are raised (see `IngestStore`). The
    caller can then store the group again.
    """
    keys = store.find_keys((request.key_digest, _record_keys(request)) for request in requests)
    outcomes: dict[int, Outcome] = {}
    drafts = _parse_valid(requests, keys, outcomes)
    drafts = _charged(drafts, rates, outcomes)
    drafts = _valid(drafts, outcomes)
    identity_keys = {key for draft in drafts for _, _, key in draft.events if key is not None}
    known_events, stale = store.find_events(identity_keys) if identity_keys else ({}, set())
    deduplicator = Deduplicator(keys, known_events, stale)
    for parsed in drafts:
        outcomes[parsed.position] = _outcome(deduplicator.deduplicate, parsed)
    store.insert(deduplicator.acceptance)
    return GroupResult(
        [outcomes[position] for position in range(len(requests))],
        {keys.keys[each.key_digest].key_id: each.client for each in requests if each.key_digest in keys.keys},
        bool(deduplicator.acceptance.queue),
        deduplicator.warnings_by_source,
    )


def _record_keys(request: IngestRequest) -> str | None:
    key = request.idempotency_key
    return key if key is not None and events.well_formed_idempotency_key(key) else None


def _parse_valid(
    requests: Sequence[IngestRequest], keys: LookupResult, outcomes: dict[int, Outcome]
) -> list[ParsedRequest]:
    """The requests with a live key, no stored response, and a JSON body."""
    drafts = []
    for position, request in enumerate(requests):
        outcome = _outcome(_parsed, position, request, keys)
        if isinstance(outcome, ParsedRequest):
            drafts.append(outcome)
        else:
            outcomes[position] = outcome
    return drafts


def _parsed(position: int, request: IngestRequest, keys: LookupResult) -> ParsedRequest | Accepted:
    sender = keys.keys.get(request.key_digest)
    if sender is None:
        raise Unauthenticated()
    if request.idempotency_key is not None:
        if not events.well_formed_idempotency_key(request.idempotency_key):
            fault = Fault("/header/Idempotency-Key", "must be 1 to 255 visible ASCII characters")
            raise ValidationFailed("The Idempotency-Key header is invalid; nothing was stored.", errors=[fault])
        record = keys.responses.get((sender.source_id, request.idempotency_key))
        if record is not None and record.body_digest == request.body_digest:
            return Accepted(record.response, replayed=True)
    try:
        document = orjson.loads(request.body) if request.document is None else request.document
    except orjson.JSONDecodeError as error:
        raise not_json(request.body, error) from None
    return ParsedRequest(position, request, sender, document, [])


def _charged(
    drafts: list[ParsedRequest], rates: IngestRateLimiter, outcomes: dict[int, Outcome]
) -> list[ParsedRequest]:
    """The requests that the rate limits allow; a batch counts as the number of its events."""
    uncharged = [draft for draft in drafts if not draft.request.charged]
    charges = [
        Charge(draft.sender.source_id, draft.sender.workspace_id, events_in(draft.document)) for draft in uncharged
    ]
    for parsed, wait in zip(uncharged, rates.consume(charges), strict=True):
        if wait:
            outcomes[parsed.position] = RateLimited(
                "Events arrive faster than the rate limit allows.", retry_after=wait
            )
        else:
            parsed.request.charged = True
    return [draft for draft in drafts if draft.request.charged]


def _valid(drafts: list[ParsedRequest], outcomes: dict[int, Outcome]) -> list[ParsedRequest]:
    """The requests whose events are valid. Their parsed bodies are released."""
    valid = []
    pause_at = time.monotonic() + SLICE_SECONDS
    for parsed in drafts:
        outcome = _outcome(_read, parsed)
        parsed.document = None
        if isinstance(outcome, Exception):
            outcomes[parsed.position] = outcome
        else:
            valid.append(parsed)
        if time.monotonic() > pause_at:
            time.sleep(0)
            pause_at = time.monotonic() + SLICE_SECONDS
    return valid


def _read(parsed: ParsedRequest) -> None:
    sender, request = parsed.sender, parsed.request
    accepted = events.accept(parsed.document, received_at=request.received_at, default_severity=sender.default_severity)
    for event, warnings in zip(accepted, request.warnings, strict=False):
        event.warnings.extend(warnings)
    for event in accepted:
        fingerprint = grouping.fingerprint(sender.source_id, event, sender.group_by)
        identity = events.identity(event, fingerprint, request_has_key=request.idempotency_key is not None)
        key = (sender.source_id, str(identity.kind), identity.digest.hex()) if identity is not None else None
        parsed.events.append((event, fingerprint, key))


class Deduplicator:
    """Deduplicates the requests of a group in order. Each request sees the events of those before it."""

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
        """The answer. The rows of the request are added only when none of its events is refused."""
        record_key = parsed.record_key
        if record_key is not None and record_key in self._records:
            return self._replayed(self._records[record_key], parsed.request)
        results, new_identities = self._results(parsed)
        response = ingest_rows.response_body(results)
        self._known_events.update(new_identities)
        self._accept(parsed, results, new_identities)
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
        """The result of each event, new or duplicate, and the new identities of this request."""
        results: list[EventResult] = []
        new_identities: dict[IdentityKey, KnownEvent] = {}
        for index, (event, fingerprint, key) in enumerate(parsed.events):
            digest = event.content_digest.hex() if event.content_digest is not None else None
            known_event = (new_identities.get(key) or self._known_events.get(key)) if key is not None else None
            if known_event is None:
                event_id = ingest_rows.event_id(parsed.request.received_at, index)
                if key is not None:
                    new_identities[key] = KnownEvent(event_id, digest)
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
                acceptance.events.append(ingest_rows.event_row(result, sender, parsed.request.received_at))
                acceptance.queue.append(ingest_rows.queue_row(result, sender))
                if result.event.warnings:
                    self.warnings_by_source.append((sender.source_id, result.event.warnings))
        for key, known_event in new_identities.items():
            row = ingest_rows.identity_row(key, known_event)
            acceptance.identities.append(row)
            if key in self._stale:
                acceptance.stale_identities.append(row)

    def _store_response(self, record_key: tuple[UUID, str], record: StoredResponse) -> None:
        row = ingest_rows.record_row(record_key, record)
        self.acceptance.records.append(row)
        if record_key in self._stale_records:
            self.acceptance.stale_records.append(row)


def _outcome(step: Callable[..., T], *arguments: object) -> T | Exception:
    # Any failure of a step affects only its own request. The other requests continue.
    try:
        return step(*arguments)
    except Exception as failure:  # noqa: BLE001
        return failure
