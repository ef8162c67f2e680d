"""Requests with a source key in other formats: the key, its source, and the events that are made of the request.

Specification 19.5 and 19.8.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import orjson
from flask import request

from inbox.api.connections import borrowed
from inbox.api.ingest import INCOMPLETE_KEY, submit
from inbox.domain import keys
from inbox.domain.events import BATCH_LIMIT
from inbox.domain.fields import EventWarning
from inbox.domain.keys import KeyKind, SenderKeyKind
from inbox.domain.refusals import Unauthenticated
from inbox.intake.base import Event
from inbox.models import sender_sources
from inbox.models.sender_sources import SenderSource

NO_KEY = (
    "No source key was sent. Send `Authorization: Bearer svc_src_…`, or the key as the password of Basic authorization."
)


def source_of(token: str, *, missing: str = NO_KEY) -> SenderSource:
    """The source of a live source key. Raises `Unauthenticated`, with `missing` for a text that is no source key."""
    if not token.startswith(KeyKind.SOURCE):
        raise Unauthenticated(missing)
    if not keys.well_formed(KeyKind.SOURCE, token):
        raise Unauthenticated(INCOMPLETE_KEY)
    with borrowed():
        source = sender_sources.of_key(keys.digest(token), SenderKeyKind.SOURCE_KEY)
    if source is None:
        raise Unauthenticated()
    return source


def sent_key() -> str:
    """The bearer token, or the password of Basic authorization; empty when neither was sent."""
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    match scheme.lower():
        case "bearer":
            return sent.strip(" ")
        case "basic":
            return _password(sent.strip(" "))
        case _:
            return ""


Warnings = Sequence[Sequence[EventWarning]]
"""The warnings of each event; none for all of them where it is empty."""


def store(source: SenderSource, events: Sequence[Event], warnings: Warnings = ()) -> list[dict[str, Any]]:
    """Store the events, and return the receipt of each. More than a batch are stored in batches."""
    batches = [slice(first, first + BATCH_LIMIT) for first in range(0, len(events), BATCH_LIMIT)]
    stored = [receipt for batch in batches for receipt in _stored(source, events[batch], warnings[batch])]
    return [{**receipt, "index": index} for index, receipt in enumerate(stored)]


def _stored(source: SenderSource, batch: Sequence[Event], warnings: Warnings) -> list[dict[str, Any]]:
    # A single event stands without the batch around it, so that it may be nested as deep as the request was.
    document: Any = batch[0] if len(batch) == 1 else {"events": batch}
    accepted = submit(request.environ, source.hash_hex, document, None, warnings)
    receipts: list[dict[str, Any]] = orjson.loads(accepted.body)["events"]
    return receipts


def _password(credentials: str) -> str:
    try:
        decoded = base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
    return decoded.partition(":")[2]
