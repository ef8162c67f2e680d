"""Shows on the source what the ways in refuse: a sample with the reason, and an incident for a body that is too large.

Specification 19.5 and 19.14.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import orjson
import structlog
from cachetools import TTLCache

from inbox.api.http.connections import borrowed
from inbox.api.senders.key_holder import KeyHolder
from inbox.api.senders.refused_bodies import REFUSED, Sender
from inbox.api.senders.sender_samples import SentBody, keep
from inbox.domain.values.refusals import PayloadTooLarge, Refusal, Unauthenticated
from inbox.services.senders import body_reports
from inbox.services.senders.body_reports import Reporter

log = structlog.get_logger(__name__)

SHOWN = (*REFUSED, PayloadTooLarge)
"""The refusals that are shown on the source."""

LARGEST_PARSED = 64 * 1024
"""The most bytes of a refused event that are parsed again for its sample."""

MOST_KEYS, PAUSE_SECONDS = 10_000, 1.0
_shown: TTLCache[str, bool] = TTLCache(MOST_KEYS, PAUSE_SECONDS)
"""The keys whose refusal was shown in the last second."""


@contextmanager
def showing_too_large(sender: Sender, way: str, environ: dict[str, Any]) -> Iterator[None]:
    """Shows a body that the block refuses with 413, if the key of the sender is live."""
    try:
        yield
    except PayloadTooLarge as refused:
        show(sender, SentBody(way, environ), refused)
        raise


def show_of_bearer(environ: dict[str, Any], body: bytes, refused: Refusal) -> None:
    """Shows a refused request to `POST /v1/events`."""
    try:
        sender = KeyHolder(environ.get("HTTP_AUTHORIZATION", "").partition(" ")[2].strip(" "))
    except Unauthenticated:
        return
    show(sender, SentBody("events", environ, body), refused)


def show(sender: Sender, sent: SentBody, refused: Refusal) -> None:
    """Shows a refused body on the source of a live key, at most once a second for a key. Raises nothing."""
    if sender.hash_hex in _shown:
        return
    _shown[sender.hash_hex] = True
    try:
        reporter = Reporter(sender.source_id, sender.workspace_id)
        if sent.document is None and len(sent.body) <= LARGEST_PARSED:
            sent.document = _parsed(sent.body)
        keep(sender, sent, refused.detail, refused.errors)
        if isinstance(refused, PayloadTooLarge):
            with borrowed():
                size, now = announced(sent.environ), datetime.now(UTC)
                body_reports.report_refused(reporter, sent.sender, size, refused.limit, now)
    except Unauthenticated:
        return
    except Exception as fault:  # noqa: BLE001 - the answer of the request does not depend on it
        log.warning("refusal not shown", fault=type(fault).__name__)


def report_unread(sender: Sender, way: str, read: int, unread: int) -> None:
    """Stores an event about a payload with more alerts than are read."""
    with borrowed():
        reporter = Reporter(sender.source_id, sender.workspace_id)
        body_reports.report_unread(reporter, way, read, unread, datetime.now(UTC))


def announced(environ: dict[str, Any]) -> int | None:
    """Returns the size of the body that the request announces."""
    sent = environ.get("CONTENT_LENGTH") or ""
    return int(sent) if sent.isascii() and sent.isdigit() and "HTTP_TRANSFER_ENCODING" not in environ else None


def _parsed(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
