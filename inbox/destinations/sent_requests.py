"""Stores and restores the requests of an attempt, without their secrets (specification 7.7)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NamedTuple

from inbox.domain.deliveries import signing


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent, without its secrets."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str


class WebhookBody(NamedTuple):
    """The body of a signed webhook: `whole`, and `plain` without what the event says."""

    whole: str
    plain: str


def to_text(requests: Iterable[SentRequest]) -> str:
    """Returns the JSON that is stored."""
    return json.dumps([asdict(each) for each in requests], separators=(",", ":"))


def of_webhook(url: str, *, has_details: bool) -> str:
    """Returns the JSON that is stored for a signed webhook, whose body the notice and its event have."""
    return json.dumps([{"url": url} if has_details else {"url": url, "details": False}])


def from_text(text: str | None, *, delivery_id: str, at: datetime, body: WebhookBody) -> list[SentRequest]:
    """Returns the requests of a stored text; an empty tuple for None.

    The other arguments complete the request of a signed webhook (`of_webhook`).
    """
    complete = {
        "method": "POST",
        "headers": {"content-type": "application/json", **signing.masked_headers(delivery_id, at)},
    }
    return [
        SentRequest(**{**complete, "body": body.whole if each.pop("details", True) else body.plain, **each})
        for each in json.loads(text or "[]")
    ]
