"""Bodies of senders that are refused, or read in part, become the sample of their source (specification 19.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import UUID

from werkzeug.datastructures import EnvironHeaders

from inbox.api.connections import borrowed
from inbox.domain.refusals import BadRequest, Fault, TooCostly, ValidationFailed
from inbox.services import source_samples
from inbox.services.source_samples import Received

LEFT_OUT = "Some items of the payload gave no event."


class Sender(Protocol):
    """Who sends: the digest of the key in hex, and the source of the key."""

    @property
    def hash_hex(self) -> str:
        """The digest of the key in hex."""

    @property
    def source_id(self) -> UUID:
        """The source of the key. May raise `Unauthenticated`."""


@dataclass(slots=True)
class SentBody:
    """A body in the format of `sender`, the WSGI environment of its request, and the document in it, once it is parsed."""

    sender: str
    environ: dict[str, Any]
    body: bytes = b""
    document: Any = None


def lower_headers(environ: dict[str, Any]) -> dict[str, str]:
    """The headers of a request, with names in lower case."""
    return {name.lower(): value for name, value in EnvironHeaders(environ).items()}


def keep(sender: Sender, sent: SentBody, detail: str, faults: Iterable[Fault]) -> None:
    """Store what was sent as the sample of the source."""
    received = Received(sent.sender, lower_headers(sent.environ), sent.body, sent.document, datetime.now(UTC))
    with borrowed():
        source_samples.record(sender.source_id, received, detail, faults)


@contextmanager
def keeping_refused(sender: Sender, sent: SentBody) -> Iterator[None]:
    """Keep the body when it is refused with 400 or 422 inside."""
    try:
        yield
    except (BadRequest, TooCostly, ValidationFailed) as refused:
        keep(sender, sent, refused.detail, refused.errors)
        raise
