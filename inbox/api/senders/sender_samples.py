"""Keeps bodies that are refused, or read in part, as the sample of their source (specification 19.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from werkzeug.datastructures import EnvironHeaders

from inbox.api.http.connections import borrowed
from inbox.api.senders.refused_bodies import REFUSED, Sender, count, count_read_in_part, counting_refused
from inbox.domain.values.refusals import Fault
from inbox.services.senders import source_samples
from inbox.services.senders.source_samples import Received

LEFT_OUT = "Some items of the payload gave no event."


@dataclass(slots=True)
class SentBody:
    """A body in the format of `sender`, the WSGI environment of its request, and the parsed document."""

    sender: str
    environ: dict[str, Any]
    body: bytes = b""
    document: Any = None


def lower_headers(environ: dict[str, Any]) -> dict[str, str]:
    """Returns the headers of a request, with names in lower case."""
    return {name.lower(): value for name, value in EnvironHeaders(environ).items()}


def keep(sender: Sender, sent: SentBody, detail: str, faults: Iterable[Fault]) -> None:
    """Stores the body as the sample of the source."""
    received = Received(sent.sender, lower_headers(sent.environ), sent.body, sent.document, datetime.now(UTC))
    with borrowed():
        source_samples.record(sender.source_id, received, detail, faults)


def keep_read_in_part(sender: Sender, sent: SentBody, faults: Iterable[Fault], *, is_stored: bool) -> None:
    """Counts and keeps a body with an item that gave no event.

    Raises `RateLimited` above the limit, unless an event of the body is stored.
    """
    size = len(sent.body)
    if is_stored:
        count_read_in_part(sender, size)
    else:
        count(sender, size)
    keep(sender, sent, LEFT_OUT, faults)


@contextmanager
def keeping_refused(sender: Sender, sent: SentBody) -> Iterator[None]:
    """Counts and keeps a body that the block refuses with 400 or 422. Raises `RateLimited` above the limit."""
    try:
        with counting_refused(sender, len(sent.body)):
            yield
    except REFUSED as refused:
        keep(sender, sent, refused.detail, refused.errors)
        raise
