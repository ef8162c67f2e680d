"""Bodies of senders that are refused, or read in part, become the sample of their source (specification 19.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from flask import request

from inbox.api.connections import borrowed
from inbox.domain.refusals import BadRequest, Fault, ValidationFailed
from inbox.models.sender_sources import SenderSource
from inbox.services import source_samples
from inbox.services.source_samples import Received

LEFT_OUT = "Some items of the payload gave no event."


@dataclass(slots=True)
class SentBody:
    """A body in the format of `sender`, and the document in it, once it is parsed."""

    sender: str
    body: bytes = b""
    document: Any = None


def lower_headers() -> dict[str, str]:
    """The headers of the request, with names in lower case."""
    return {name.lower(): value for name, value in request.headers.items()}


def keep(source: SenderSource, sent: SentBody, detail: str, faults: Iterable[Fault]) -> None:
    """Store what was sent as the sample of the source."""
    received = Received(sent.sender, lower_headers(), sent.body, sent.document, datetime.now(UTC))
    with borrowed():
        source_samples.record(source.source_id, received, detail, faults)


@contextmanager
def keeping_refused(source: SenderSource, sent: SentBody) -> Iterator[None]:
    """Keep the body when it is refused with 400 or 422 inside."""
    try:
        yield
    except (BadRequest, ValidationFailed) as refused:
        keep(source, sent, refused.detail, refused.errors)
        raise
