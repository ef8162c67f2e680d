"""Requests with a source key in other formats: the key, its source, and the events made from the request.

Specification 19.5 and 19.8.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

import orjson

from inbox.api.senders import reported_acts
from inbox.api.senders.ingest import Translation, Warnings, submit
from inbox.api.senders.key_holder import NO_KEY, live_source
from inbox.api.senders.refused_bodies import Sender
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.events.validation import BATCH_LIMIT
from inbox.domain.senders import keys
from inbox.intake.base import Event
from inbox.models.events.sender_sources import SenderSource


def source_of(token: str, *, missing: str = NO_KEY) -> SenderSource:
    """Returns the source of a live source key.

    Raises `Unauthenticated`, with `missing` for a text that is no source key.
    """
    return live_source(keys.source_digest(token, missing))


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


def store(
    environ: dict[str, Any],
    sender: Sender,
    events: Sequence[Event],
    warnings: Warnings = (),
    *,
    time: TimeMeaning,
    group: str = "",
) -> list[dict[str, Any]]:
    """Stores the events, and returns the receipt of each. More than a batch are stored in batches.

    `time` says what their `occurredAt` means. `group` is the group of the tool to which they belong.
    Acts that the events report stand on the incidents of their alerts afterwards.
    """
    if not events:
        require_live(sender)
    events = reported_acts.with_open_ends(sender, events)
    receipts: list[dict[str, Any]] = []
    for first in range(0, len(events), BATCH_LIMIT):
        batch = slice(first, first + BATCH_LIMIT)
        # A single event is sent without a batch, so that it may be nested as deep as the request.
        document: Any = events[first] if len(events[batch]) == 1 else {"events": events[batch]}
        accepted = submit(environ, sender.hash_hex, document, None, Translation(warnings[batch], time, group))
        receipts += orjson.loads(accepted.body)["events"]
    reported_acts.apply(sender, events, receipts)
    return [{**receipt, "index": index} for index, receipt in enumerate(receipts)]


def _password(credentials: str) -> str:
    try:
        decoded = base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
    return decoded.partition(":")[2]
