"""A client that records the requests of one message, so that people can see what was sent.

Secrets are masked.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from inbox.destinations import secret_forms
from inbox.destinations.http import CallResult, Client
from inbox.destinations.sent_requests import SentRequest
from inbox.domain.deliveries.delivery import FailureReason, Receipt
from inbox.domain.values.addresses import ParsedUrl
from inbox.domain.values.redaction import MARK, cut, redact

VISIBLE_HEADERS = frozenset({"content-type", "content-encoding", "webhook-id", "webhook-timestamp", "ttl", "urgency"})
"""HTTP headers whose values are shown. Any other value may contain a credential."""

SHORTEST_CREDENTIAL = 8

LONGEST_BODY = 16 * 1024
"""The number of characters of a body that are shown."""


class _Call(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


class RecordingClient(Client):
    """Passes each call on to `client`, and records it. All calls together take at most `seconds`."""

    def __init__(self, client: Client, seconds: float = math.inf) -> None:
        self._client = client
        self._until = time.monotonic() + seconds
        self._calls: list[_Call] = []
        self._credentials: set[str] = set()

    def vet(self, url: str) -> None:
        self._client.vet(url)

    def check(self, place: ParsedUrl, resolved: Sequence[str]) -> None:
        self._client.check(place, resolved)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        return self.exchange("POST", url, headers, body).receipt

    @property
    def seconds_left(self) -> float:
        return self._until - time.monotonic()

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        left = self.seconds_left
        if left <= 0:
            return CallResult(Receipt(failure=FailureReason.TIMEOUT))
        visible = {name: value if name.lower() in VISIBLE_HEADERS else MARK for name, value in headers.items()}
        self._calls.append(_Call(method, url, visible, body or b""))
        hidden = [value for name, value in headers.items() if name.lower() not in VISIBLE_HEADERS]
        self._credentials |= {part for value in hidden for part in (value, value.rpartition(" ")[2])}
        return self._client.limited(left).exchange(method, url, headers, body)

    def note(self, method: str, url: str, headers: Mapping[str, str], body: str) -> None:
        self._calls.append(_Call(method, url, headers, body.encode()))

    @property
    def credentials(self) -> frozenset[str]:
        """Returns the header values that may contain a credential, with and without the scheme.

        Short values are left out, because they are no credentials.
        """
        return frozenset(each for each in self._credentials if len(each) >= SHORTEST_CREDENTIAL)

    def requests(self, secrets: Iterable[str]) -> tuple[SentRequest, ...]:
        """Returns the requests in order, with `secrets` and keys of the service masked."""
        forms = secret_forms.of_requests(each for each in secrets if each)
        return tuple(
            SentRequest(
                call.method,
                _masked(call.url, [*forms.of_addresses, *forms.of_texts]),
                {name: _masked(value, forms.of_texts) for name, value in call.headers.items()},
                cut(redact(_masked(_text(call.body), forms.of_texts)), LONGEST_BODY),
            )
            for call in self._calls
        )


def _masked(text: str, forms: Iterable[str]) -> str:
    for form in forms:
        text = text.replace(form, MARK)
    return text


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return f"{len(body):,} bytes"
