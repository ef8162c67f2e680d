"""Ingest: validate, limit, deduplicate and store a group of requests in one transaction (specification 4.7).

The rate limits are per source and per workspace, shared by all web processes (specification 2.8).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import orjson

from inbox.domain.events import grouping
from inbox.domain.events import validation as events
from inbox.domain.events.grouping import IncidentFor
from inbox.domain.values.jsonbody import not_json
from inbox.domain.values.refusals import Fault, RateLimited, Refusal, Unauthenticated, ValidationFailed
from inbox.flow.ingest.request import Accepted, Deduplicator, GroupResult, IngestRequest, Outcome, ParsedRequest
from inbox.limits.ingest import Charge, IngestRateLimiter
from inbox.models.events.ingest_rows import LookupResult
from inbox.models.events.ingest_store import IngestStore

T = TypeVar("T")

SLICE_SECONDS = 0.01
"""After this much uninterrupted work, the process lets other requests run."""


def store_group(requests: Sequence[IngestRequest], store: IngestStore, rates: IngestRateLimiter) -> GroupResult:
    """Stores the requests in one transaction, and returns the outcome of each.

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
    if not store.insert(deduplicator.acceptance) and any(isinstance(each, Accepted) for each in outcomes.values()):
        store.await_standby()  # these answers repeat earlier ones
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
    """Returns the requests with a live key and no stored response."""
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
    document = parsed_or_refusal(request.body) if request.document is None else request.document
    return ParsedRequest(position, request, sender, document, [])


def _charged(
    drafts: list[ParsedRequest], rates: IngestRateLimiter, outcomes: dict[int, Outcome]
) -> list[ParsedRequest]:
    """Returns the requests that the rate limits allow; a batch counts as the number of its events."""
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
    """Returns the requests whose events are valid. Their parsed bodies are released."""
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
    if isinstance(parsed.document, Refusal):
        raise parsed.document
    accepted = events.accept(
        parsed.document,
        received_at=request.received_at,
        default_severity=sender.default_severity,
        time=request.time,
    )
    for event, warnings in zip(accepted, request.warnings, strict=False):
        event.warnings.extend(warnings)
    for event in accepted:
        fingerprint = grouping.fingerprint(sender.source_id, event, sender.group_by)
        if request.group and sender.incident_for == IncidentFor.GROUP:
            event.group_fingerprint = grouping.group_fingerprint(
                sender.source_id, event, sender.group_by, request.group
            )
        identity = events.identity(
            event, fingerprint, request_has_key=request.idempotency_key is not None, time=request.time
        )
        key = (sender.source_id, str(identity.kind), identity.digest.hex()) if identity is not None else None
        parsed.events.append((event, fingerprint, key))


def _outcome(step: Callable[..., T], *arguments: object) -> T | Exception:
    # Any failure of a step affects only its own request. The other requests continue.
    try:
        return step(*arguments)
    except Exception as failure:  # noqa: BLE001
        return failure


def parsed_or_refusal(body: bytes) -> Any:
    """Returns the parsed body. Invalid JSON returns the refusal, so that the caller can count it first."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        return not_json(body, error)


def events_in(document: object) -> int:
    """Returns the number of events in a body before validation. Invalid JSON counts as one."""
    batch = document.get("events") if isinstance(document, dict) else None
    return max(1, len(batch)) if isinstance(batch, list) else 1
