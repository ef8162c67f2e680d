"""A client that keeps its requests, for the people who ask what was sent. Secrets are masked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from inbox.destinations.http import CallResult, Client
from inbox.destinations.sent_requests import SentRequest
from inbox.domain.addresses import ParsedUrl
from inbox.domain.delivery import Receipt
from inbox.domain.redaction import MARK, cut, redact

VISIBLE_HEADERS = frozenset({"content-type", "content-encoding", "webhook-id", "webhook-timestamp", "ttl", "urgency"})
"""Headers of HTTP whose values are shown. The values of all others may hold a credential."""

LONGEST_BODY = 16 * 1024
"""The part of a body that is shown, in characters."""


class _Call(NamedTuple):
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


class RecordingClient(Client):
    """Passes each call on to `client`, and keeps it."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._calls: list[_Call] = []

    def vet(self, url: str) -> None:
        self._client.vet(url)

    def check(self, place: ParsedUrl, resolved: Sequence[str]) -> None:
        self._client.check(place, resolved)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        return self.exchange("POST", url, headers, body).receipt

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        visible = {name: value if name.lower() in VISIBLE_HEADERS else MARK for name, value in headers.items()}
        self._calls.append(_Call(method, url, visible, body or b""))
        return self._client.exchange(method, url, headers, body)

    def note(self, method: str, url: str, headers: Mapping[str, str], body: str) -> None:
        self._calls.append(_Call(method, url, headers, body.encode()))

    def requests(self, secrets: Iterable[str]) -> tuple[SentRequest, ...]:
        """The requests in their order, with `secrets` and keys of the service masked."""
        forms = _forms(each for each in secrets if each)
        return tuple(
            SentRequest(
                call.method,
                _masked(call.url, [*forms.of_addresses, *forms.of_texts]),
                {name: _masked(value, forms.of_texts) for name, value in call.headers.items()},
                cut(redact(_masked(_text(call.body), forms.of_texts)), LONGEST_BODY),
            )
            for call in self._calls
        )


class _Forms(NamedTuple):
    """The forms in which secrets occur: the hidden parts of addresses, and texts."""

    of_addresses: Sequence[str]
    of_texts: Sequence[str]


def _forms(secrets: Iterable[str]) -> _Forms:
    """The longer ones first: a secret may be a part of another."""
    addresses, texts = set[str](), set[str]()
    for secret in secrets:
        texts |= {
            secret,
            quote(secret, safe=""),
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
        }
        if "://" in secret:
            parts = urlsplit(secret)
            path = parts.path.lstrip("/")
            addresses |= {each for each in (path, parts.query, parts.query and f"{path}?{parts.query}") if each}
    return _Forms(sorted(addresses, key=len, reverse=True), sorted(texts, key=len, reverse=True))


def _masked(text: str, forms: Iterable[str]) -> str:
    for form in forms:
        text = text.replace(form, MARK)
    return text


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return f"{len(body):,} bytes"
