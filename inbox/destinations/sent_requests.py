"""Stores and restores the requests of an attempt, without their secrets (specification 7.7)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime

from inbox.domain.deliveries import signing


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent, without its secrets."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str


def to_text(requests: Iterable[SentRequest]) -> str:
    """Returns the JSON that is stored."""
    return json.dumps([asdict(each) for each in requests], separators=(",", ":"))


def from_text(text: str | None, *, delivery_id: str, at: datetime, body: str) -> list[SentRequest]:
    """Returns the requests of a stored text; an empty tuple for None.

    Only the address of a signed webhook is stored. The other arguments complete its request.
    """
    complete = {
        "method": "POST",
        "headers": {"content-type": "application/json", **signing.masked_headers(delivery_id, at)},
        "body": body,
    }
    return [SentRequest(**{**complete, **each}) for each in json.loads(text or "[]")]
