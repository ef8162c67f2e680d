"""A client that keeps the last request, for the person who tests a destination. Its secrets are masked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from inbox.destinations.http import CallResult, Client
from inbox.domain.delivery import Receipt
from inbox.domain.redaction import MARK

VISIBLE_HEADERS = frozenset({"content-type", "content-encoding", "webhook-id", "webhook-timestamp", "ttl", "urgency"})
"""Headers whose values are shown. The values of all others may hold a credential."""

LONGEST_BODY = 16 * 1024
"""The part of a body that is shown, in characters."""


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request as it was sent, without its secrets."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: str


class RecordingClient(Client):
    """Passes each call on to `client`, and keeps the last one."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._last: tuple[str, str, Mapping[str, str], bytes | None] | None = None

    def vet(self, url: str) -> None:
        self._client.vet(url)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        return self.exchange("POST", url, headers, body).receipt

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        self._last = (method, url, headers, body)
        return self._client.exchange(method, url, headers, body)

    def last_request(self, secrets: Iterable[str]) -> SentRequest | None:
        """The last request with `secrets` masked; None when nothing was sent."""
        if self._last is None:
            return None
        method, url, headers, body = self._last
        visible = {name: value if name.lower() in VISIBLE_HEADERS else MARK for name, value in headers.items()}
        texts = [each for each in secrets if each]
        return SentRequest(method, _masked_url(url, texts), visible, _masked(_text(body), texts))


def _masked_url(url: str, secrets: Iterable[str]) -> str:
    """The address; only its beginning where it is a secret or contains one."""
    if not any(each in url for each in secrets):
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/{MARK}"


def _masked(text: str, secrets: Iterable[str]) -> str:
    for secret in secrets:
        for form in (secret, quote(secret, safe="")):
            text = text.replace(form, MARK)
    return text[:LONGEST_BODY]


def _text(body: bytes | None) -> str:
    try:
        return (body or b"").decode()
    except UnicodeDecodeError:
        return f"{len(body or b''):,} bytes"
