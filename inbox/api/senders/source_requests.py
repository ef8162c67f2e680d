"""Requests with a source key in other formats: the key, its source, and the events made from the request.

Specification 19.5 and 19.8.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

import orjson

from inbox.api.http.connections import borrowed
from inbox.api.senders.ingest import submit
from inbox.api.senders.refused_bodies import Sender
from inbox.domain.events.fields import EventWarning
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.events.validation import BATCH_LIMIT
from inbox.domain.senders import keys
from inbox.domain.senders.keys import SenderKeyKind
from inbox.domain.values.refusals import Unauthenticated
from inbox.intake.base import Event
from inbox.models.events import sender_sources
from inbox.models.events.sender_sources import SenderSource

NO_KEY = (
    "No source key was sent. Send `Authorization: Bearer svc_src_…`, or the key as the password of Basic authorization."
)


def source_of(token: str, *, missing: str = NO_KEY) -> SenderSource:
    """Returns the source of a live source key.

    Raises `Unauthenticated`, with `missing` for a text that is no source key.
    """
    return _live_source(keys.source_digest(token, missing))


class KeyHolder:
    """The sender with a well-formed source key. Its source is read when needed; storing events checks the key."""

    def __init__(self, token: str) -> None:
        self._digest = keys.source_digest(token, NO_KEY)

    @property
    def hash_hex(self) -> str:
        """The digest of the key in hex."""
        return self._digest.hex()

    @property
    def source_id(self) -> UUID:
        """The source of the key. Raises `Unauthenticated`."""
        return self._source.source_id

    @property
    def workspace_id(self) -> UUID:
        """The workspace of the source. Raises `Unauthenticated`."""
        return self._source.workspace_id

    @cached_property
    def _source(self) -> SenderSource:
        return _live_source(self._digest)


def require_live(sender: Sender) -> None:
    """Raises `Unauthenticated` for an ended key. Call it where no event is stored, which would check the key."""
    _ = sender.source_id  # only a live key has a source


def sent_key(environ: dict[str, Any]) -> str:
    """Returns the bearer token, or the password of Basic authorization; empty when neither was sent."""
    scheme, _, sent = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    match scheme.lower():
        case "bearer":
            return sent.strip(" ")
        case "basic":
            return _password(sent.strip(" "))
        case _:
            return ""


Warnings = Sequence[Sequence[EventWarning]]
"""The warnings of each event. An empty sequence means none at all."""


def store(
    environ: dict[str, Any],
    sender: Sender,
    events: Sequence[Event],
    warnings: Warnings = (),
    *,
    time: TimeMeaning,
) -> list[dict[str, Any]]:
    """Stores the events, and returns the receipt of each. More than a batch are stored in batches.

    `time` says what their `occurredAt` means.
    """
    if not events:
        require_live(sender)
    receipts: list[dict[str, Any]] = []
    for first in range(0, len(events), BATCH_LIMIT):
        batch = slice(first, first + BATCH_LIMIT)
        receipts += _stored(environ, sender, events[batch], warnings[batch], time)
    return [{**receipt, "index": index} for index, receipt in enumerate(receipts)]


def _stored(
    environ: dict[str, Any], sender: Sender, batch: Sequence[Event], warnings: Warnings, time: TimeMeaning
) -> list[dict[str, Any]]:
    # A single event is sent without a batch, so that it may be nested as deep as the request.
    document: Any = batch[0] if len(batch) == 1 else {"events": batch}
    accepted = submit(environ, sender.hash_hex, document, None, warnings, time)
    receipts: list[dict[str, Any]] = orjson.loads(accepted.body)["events"]
    return receipts


def _live_source(digest: bytes) -> SenderSource:
    with borrowed():
        source = sender_sources.of_key(digest, SenderKeyKind.SOURCE_KEY)
    if source is None:
        raise Unauthenticated()
    return source


def _password(credentials: str) -> str:
    try:
        decoded = base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
    return decoded.partition(":")[2]
