"""The requests of an attempt as they are stored and shown, without their secrets (specification 7.7)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from inbox.domain import signing

REBUILT = "webhook"
"""The kind of whose requests only the addresses are stored. The rest follows from the notice, the delivery and the time."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent, without its secrets."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str


def to_text(kind: str, requests: Iterable[SentRequest]) -> str | None:
    """The JSON that is stored; None for no request."""
    kept = [{"url": each.url} if kind == REBUILT else asdict(each) for each in requests]
    return json.dumps(kept, separators=(",", ":")) if kept else None


def from_text(text: str | None, *, delivery_id: str, at: datetime, body: str) -> list[SentRequest]:
    """The requests of a stored text. The other arguments are those of a signed webhook: they complete its request."""
    complete = {
        "method": "POST",
        "headers": {"content-type": "application/json", **signing.masked_headers(delivery_id, at)},
        "body": body,
    }
    return [SentRequest(**{**complete, **each}) for each in json.loads(text or "[]")]
