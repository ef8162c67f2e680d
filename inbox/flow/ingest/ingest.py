"""Ingest: validate, limit, deduplicate and store a group of requests in one transaction (specification 4.7).

The rate limits are per source and per workspace, shared by all web processes (specification 2.8).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

import orjson

from inbox.config import settings
from inbox.config.settings import Settings
from inbox.domain.events import grouping
from inbox.domain.events import validation as events
from inbox.domain.values.jsonbody import not_json
from inbox.domain.values.refusals import Fault, RateLimited, Refusal, Unauthenticated, ValidationFailed
from inbox.flow.ingest.request import Accepted, Deduplicator, GroupResult, IngestRequest, Outcome, ParsedRequest
from inbox.limits.buckets import GRAIN_SECONDS, RedisBuckets
from inbox.models.events.ingest_store import IngestStore, LookupResult

T = TypeVar("T")

BURST_SECONDS = 120.0
"""The capacity of a bucket in seconds: twice the limit of a minute."""

SOURCE_SECONDS_PER_MIB, WORKSPACE_SECONDS_PER_MIB = 5.0, 1.0
"""The seconds of refilling that each bucket loses for a body with a refused item."""

MIB = 1024 * 1024

MAX_BUCKETS = 10_000
"""Above this number of local buckets, a process drops the full ones."""

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
    accepted = events.accept(parsed.document, received_at=request.received_at, default_severity=sender.default_severity)
    for event, warnings in zip(accepted, request.warnings, strict=False):
        event.warnings.extend(warnings)
    for event in accepted:
        fingerprint = grouping.fingerprint(sender.source_id, event, sender.group_by)
        identity = events.identity(event, fingerprint, request_has_key=request.idempotency_key is not None)
        key = (sender.source_id, str(identity.kind), identity.digest.hex()) if identity is not None else None
        parsed.events.append((event, fingerprint, key))


def _outcome(step: Callable[..., T], *arguments: object) -> T | Exception:
    # Any failure of a step affects only its own request. The other requests continue.
    try:
        return step(*arguments)
    except Exception as failure:  # noqa: BLE001
        return failure


@dataclass(frozen=True, slots=True)
class Charge:
    """One request: its source, its workspace and its number of events."""

    source_id: UUID
    workspace_id: UUID
    events: int


class IngestRateLimiter:
    """The buckets; threads must not share an instance. While Redis is unavailable, the process counts its own requests."""

    def __init__(self) -> None:
        self._local_buckets: dict[str, float] = {}
        self._shared = RedisBuckets(BURST_SECONDS)

    def consume(self, charges: Sequence[Charge]) -> list[int]:
        """Returns, for each request in order, 0 if it passes, else the seconds until the next request may pass.

        A refused request consumes nothing. A request larger than a bucket passes when the bucket is full.
        """
        current = settings.current()
        per_source, per_workspace = current.events_per_minute_source, current.events_per_minute_workspace
        if not current.rate_limits or not charges or not (per_source or per_workspace):
            return [0] * len(charges)
        buckets = [name for charge in charges for name in _bucket_names(charge)]
        return self._consume(buckets, [share for charge in charges for share in _bucket_shares(charge, current)])

    def consume_body(self, charge: Charge, size: int, *, gives_back: bool = False) -> int:
        """Charges a body of `size` bytes with a refused item, at least as much as the events of `charge`. See `consume`.

        With `gives_back`, the buckets get back the share that the same call consumed.
        """
        current = settings.current()
        if not current.rate_limits:
            return 0
        least = _bucket_shares(charge, current)
        per_mib = (SOURCE_SECONDS_PER_MIB, WORKSPACE_SECONDS_PER_MIB)
        shares = [max(one, size / MIB * each) if one else 0.0 for one, each in zip(least, per_mib, strict=True)]
        return self._consume(_bucket_names(charge), [-share for share in shares] if gives_back else shares)[0]

    def _consume(self, buckets: Sequence[str], shares: list[float]) -> list[int]:
        waits = self._shared.consume(buckets, shares, each=2)
        return self._consume_locally(buckets, shares, time.monotonic()) if waits is None else waits

    def _consume_locally(self, buckets: Sequence[str], shares: Sequence[float], now: float) -> list[int]:
        if len(self._local_buckets) > MAX_BUCKETS:
            self._local_buckets = {name: moment for name, moment in self._local_buckets.items() if moment > now}
        waits = []
        for first in range(0, len(buckets), 2):
            refilled = {
                bucket: max(self._local_buckets.get(bucket, 0.0), now) + min(share, BURST_SECONDS)
                for bucket, share in zip(buckets[first : first + 2], shares[first : first + 2], strict=True)
                if share
            }
            wait = max((moment - now - BURST_SECONDS for moment in refilled.values()), default=0.0)
            if wait <= GRAIN_SECONDS:
                self._local_buckets.update(refilled)
            waits.append(max(1, math.ceil(wait)) if wait > GRAIN_SECONDS else 0)
        return waits


def _bucket_names(charge: Charge) -> tuple[str, str]:
    return f"inbox:rate:source:{charge.source_id.hex}", f"inbox:rate:workspace:{charge.workspace_id.hex}"


def _bucket_shares(charge: Charge, current: Settings) -> tuple[float, float]:
    """Returns the seconds by which the events move each bucket; 0 for a disabled limit."""
    per_source, per_workspace = current.events_per_minute_source, current.events_per_minute_workspace
    return (
        charge.events * 60 / per_source if per_source else 0.0,
        charge.events * 60 / per_workspace if per_workspace else 0.0,
    )


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
