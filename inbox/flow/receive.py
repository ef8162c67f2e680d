"""Receiving events: who sends, what is a replay, what is new; a group of requests is one transaction.

Specification 4.7.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, TypeVar
from uuid import UUID

import orjson

from inbox.domain import events, grouping, idempotency
from inbox.domain.events import EventWarning, NewEvent
from inbox.domain.jsonbody import not_json
from inbox.domain.refusals import Fault, IdempotencyMismatch, RateLimited, Unauthenticated, ValidationFailed
from inbox.flow import stored
from inbox.flow.rates import Charge, Rates
from inbox.flow.stored import Fate
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
"""After so long a stretch of work other requests are let in."""


@dataclass(slots=True)
class Offer:
    """A request as it came: the SHA-256 of its key in hex, its exact body, its `Idempotency-Key`, when it came."""

    key_digest: str
    body: bytes
    idempotency_key: str | None
    received_at: datetime
    paid: bool = False
    """Whether it was counted by the rate limits; a second look at it is not counted again."""

    @property
    def body_digest(self) -> str:
        """SHA-256 of the body in hex, by which a replay is told from a mismatch."""
        return hashlib.sha256(self.body).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """The exact bytes of a 202, and whether they were first sent to an earlier request.

    `accepted`, `duplicates` and `warnings` (their codes) are counted by the metrics; a replay has none.
    """

    body: bytes
    replayed: bool = False
    accepted: int = 0
    duplicates: int = 0
    warnings: Sequence[str] = ()


Outcome: TypeAlias = Answer | Exception
"""What a request gets: an answer, a `Refusal`, or the error that it alone has to bear."""


@dataclass(frozen=True, slots=True)
class Settled:
    """An outcome for each offer in order, the live keys among them, and whether there is something new to route.

    `warned` has the warnings of each new event that has any, with its source.
    """

    outcomes: list[Outcome]
    key_ids: list[UUID]
    new: bool
    warned: list[tuple[UUID, list[EventWarning]]]


@dataclass(slots=True)
class _Draft:
    """An offer on its way: its place in the group, its sender, and its events once they are valid."""

    place: int
    offer: Offer
    sender: SourceKeyContext
    document: Any
    events: list[tuple[NewEvent, str, IdentityKey | None]]

    @property
    def record_place(self) -> tuple[UUID, str] | None:
        """Where its answer is remembered; None when no header speaks, or each event has a key of its own."""
        key = self.offer.idempotency_key
        if key is None or all(event.idempotency_key for event, _, _ in self.events):
            return None
        return self.sender.source_id, key


def settle(offers: Sequence[Offer], ledger: IngestStore, rates: Rates) -> Settled:
    """Store what is to be stored of these requests in one transaction, and say what each is answered.

    What is wrong with one request is its own outcome and touches no other. Raises only what the database raises, for
    which see `IngestStore`; the group can then be settled again.
    """
    known = ledger.find_keys((offer.key_digest, _asked(offer)) for offer in offers)
    outcomes: dict[int, Outcome] = {}
    drafts = _admitted(offers, known, outcomes)
    drafts = _paid(drafts, rates, outcomes)
    drafts = _valid(drafts, outcomes)
    asked = {key for draft in drafts for _, _, key in draft.events if key is not None}
    met, stale = ledger.find_events(asked) if asked else ({}, set())
    desk = _Desk(known, met, stale)
    for draft in drafts:
        outcomes[draft.place] = _outcome(desk.decide, draft)
    ledger.insert(desk.acceptance)
    return Settled(
        [outcomes[place] for place in range(len(offers))],
        [sender.key_id for sender in known.keys.values()],
        bool(desk.acceptance.queue),
        desk.warned,
    )


def _asked(offer: Offer) -> str | None:
    key = offer.idempotency_key
    return key if key is not None and idempotency.well_formed_key(key) else None


def _admitted(offers: Sequence[Offer], known: LookupResult, outcomes: dict[int, Outcome]) -> list[_Draft]:
    """Those with a live key, no answer yet, and a body that is JSON."""
    drafts = []
    for place, offer in enumerate(offers):
        outcome = _outcome(_opened, place, offer, known)
        if isinstance(outcome, _Draft):
            drafts.append(outcome)
        else:
            outcomes[place] = outcome
    return drafts


def _opened(place: int, offer: Offer, known: LookupResult) -> _Draft | Answer:
    sender = known.keys.get(offer.key_digest)
    if sender is None:
        raise Unauthenticated()
    if offer.idempotency_key is not None:
        if not idempotency.well_formed_key(offer.idempotency_key):
            wanted = Fault("/header/Idempotency-Key", "must be 1 to 255 visible ASCII characters")
            raise ValidationFailed("The Idempotency-Key header is invalid; nothing was stored.", errors=[wanted])
        record = known.responses.get((sender.source_id, offer.idempotency_key))
        if record is not None and record.body_digest == offer.body_digest:
            return Answer(record.response, replayed=True)
    try:
        document = orjson.loads(offer.body)
    except orjson.JSONDecodeError as fault:
        raise not_json(offer.body, fault) from None
    return _Draft(place, offer, sender, document, [])


def _paid(drafts: list[_Draft], rates: Rates, outcomes: dict[int, Outcome]) -> list[_Draft]:
    """Those that the rate limits let pass; a batch counts as many as it has events."""
    unpaid = [draft for draft in drafts if not draft.offer.paid]
    charges = [Charge(draft.sender.source_id, draft.sender.workspace_id, events_in(draft.document)) for draft in unpaid]
    for draft, wait in zip(unpaid, rates.take(charges), strict=True):
        if wait:
            outcomes[draft.place] = RateLimited("Events arrive faster than the rate limit allows.", retry_after=wait)
        else:
            draft.offer.paid = True
    return [draft for draft in drafts if draft.offer.paid]


def events_in(document: Any) -> int:
    """How many events a body claims to have, before it is known to be valid."""
    batch = document.get("events") if isinstance(document, dict) else None
    return max(1, len(batch)) if isinstance(batch, list) else 1


def _valid(drafts: list[_Draft], outcomes: dict[int, Outcome]) -> list[_Draft]:
    """Those whose events can be stored; the bodies are let go of."""
    valid = []
    pause_at = time.monotonic() + SLICE_SECONDS
    for draft in drafts:
        outcome = _outcome(_read, draft)
        draft.document = None
        if isinstance(outcome, Exception):
            outcomes[draft.place] = outcome
        else:
            valid.append(draft)
        if time.monotonic() > pause_at:
            time.sleep(0)
            pause_at = time.monotonic() + SLICE_SECONDS
    return valid


def _read(draft: _Draft) -> None:
    sender, offer = draft.sender, draft.offer
    accepted = events.accept(draft.document, received_at=offer.received_at, default_severity=sender.default_severity)
    for event in accepted:
        fingerprint = grouping.fingerprint(sender.source_id, event, sender.group_by)
        identity = idempotency.identity(event, fingerprint, request_has_key=offer.idempotency_key is not None)
        key = (sender.source_id, str(identity.kind), identity.digest.hex()) if identity is not None else None
        draft.events.append((event, fingerprint, key))


class _Desk:
    """Decides the requests of a group one after the other, each seeing what those before it have brought."""

    def __init__(self, known: LookupResult, met: dict[IdentityKey, KnownEvent], stale: set[IdentityKey]) -> None:
        self._records = dict(known.responses)
        self._stale_records = known.stale
        self._met = met
        self._stale = stale
        self.acceptance = IngestRows()
        self.warned: list[tuple[UUID, list[EventWarning]]] = []

    def decide(self, draft: _Draft) -> Answer:
        """The answer; its rows join the acceptance only when nothing of the request is refused."""
        place = draft.record_place
        if place is not None and place in self._records:
            return self._replayed(self._records[place], draft.offer)
        fates, fresh = self._fates(draft)
        response = stored.answer(fates)
        self._met.update(fresh)
        self._accept(draft, fates, fresh)
        if place is not None:
            record = self._records[place] = StoredResponse(draft.offer.body_digest, response)
            self._remember(place, record)
        accepted = sum(fate.new for fate in fates)
        codes = [warning.code for fate in fates for warning in fate.event.warnings]
        return Answer(response, accepted=accepted, duplicates=len(fates) - accepted, warnings=codes)

    def _replayed(self, record: StoredResponse, offer: Offer) -> Answer:
        if record.body_digest != offer.body_digest:
            raise IdempotencyMismatch("This Idempotency-Key was used with a different body; nothing was stored.")
        return Answer(record.response, replayed=True)

    def _fates(self, draft: _Draft) -> tuple[list[Fate], dict[IdentityKey, KnownEvent]]:
        """Which events are new and which were met before, and the identities that this request brings."""
        fates: list[Fate] = []
        fresh: dict[IdentityKey, KnownEvent] = {}
        for index, (event, fingerprint, key) in enumerate(draft.events):
            digest = event.content_digest.hex() if event.content_digest is not None else None
            met = (fresh.get(key) or self._met.get(key)) if key is not None else None
            if met is None:
                event_id = stored.event_id(draft.offer.received_at, index)
                if key is not None:
                    fresh[key] = KnownEvent(event_id, digest)
            elif met.content_digest != digest:
                wrong = Fault(f"{event.pointer}/idempotencyKey", "was used before with different content")
                raise IdempotencyMismatch("An idempotencyKey was used before; nothing was stored.", errors=[wrong])
            fates.append(Fate(event, fingerprint, met.event_id if met is not None else event_id, met is None))
        return fates, fresh

    def _accept(self, draft: _Draft, fates: list[Fate], fresh: dict[IdentityKey, KnownEvent]) -> None:
        acceptance, sender = self.acceptance, draft.sender
        for fate in fates:
            if fate.new:
                acceptance.events.append(stored.event_row(fate, sender, draft.offer.received_at))
                acceptance.queue.append(stored.queue_row(fate, sender))
                if fate.event.warnings:
                    self.warned.append((sender.source_id, fate.event.warnings))
        for key, met in fresh.items():
            row = stored.identity_row(key, met)
            acceptance.identities.append(row)
            if key in self._stale:
                acceptance.stale_identities.append(row)

    def _remember(self, place: tuple[UUID, str], record: StoredResponse) -> None:
        row = stored.record_row(place, record)
        self.acceptance.records.append(row)
        if place in self._stale_records:
            self.acceptance.stale_records.append(row)


def _outcome(step: Callable[..., T], *arguments: Any) -> T | Exception:
    # A failure, expected or not, belongs to the one request whose step it is: its neighbours go on.
    try:
        return step(*arguments)
    except Exception as failure:  # noqa: BLE001
        return failure
