"""The only HTTP client that calls out: to a checked address, once, within one deadline, reading little.

Specification 9.6.
"""

from __future__ import annotations

import contextlib
import ssl
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

import requests

from inbox import __version__
from inbox.destinations.connections import NotConnected
from inbox.destinations.http1 import InvalidResponse
from inbox.destinations.lookup import Resolver, system_resolver, within
from inbox.destinations.pinned import Pinned, PinnedAdapter
from inbox.domain.addresses import (
    Address,
    AddressRefused,
    Fault,
    OutboundPolicy,
    ParsedUrl,
    address_class,
    check_resolved,
    parse,
    refuse_own_listeners,
)
from inbox.domain.delivery import FailureReason, Receipt, kept_excerpt, parse_retry_after

USER_AGENT = f"Incident-Inbox/{__version__}"
DEADLINE_SECONDS = 15.0
CONNECT_SECONDS = 5.0
ADDRESSES_TRIED = 3
MAX_CHECKED = 1_024
"""How many URLs are taken apart, and how many findings about addresses made, once only: both depend on nothing else."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came back: the receipt to be kept and, for kinds that read it, the body (at most 64 KiB, as sent, never
    unpacked) and headers."""

    receipt: Receipt
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class CallFailed(Exception):
    """There is no answer; `failure` says why."""

    def __init__(self, trouble: FailureReason) -> None:
        super().__init__(trouble)
        self.failure = trouble


class Client:
    """Calls receivers. One serves all threads of a process; it keeps connections.

    No proxy, cookie, netrc or redirect takes part. `deadline` is the total of one call in seconds: name look-up,
    connection, TLS and a dripped answer included. `ca_file` replaces the public authorities.
    """

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        resolver: Resolver = system_resolver,
        deadline: float = DEADLINE_SECONDS,
        ca_file: str | None = None,
    ) -> None:
        self._resolver = resolver
        self._deadline = deadline
        self._adapter = PinnedAdapter(ca_file)
        self._policy = policy
        self._check_addresses = lru_cache(MAX_CHECKED)(
            lambda place, resolved: tuple(check_resolved(place, resolved, policy))
        )

    def vet(self, url: str) -> None:
        """Raise `AddressRefused` when `url` is one that is not called. A name that is not found yet may come to be."""
        with contextlib.suppress(CallFailed):
            self._checked_addresses(parse(url), time.monotonic() + CONNECT_SECONDS)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        """Send `body`; what came of it is in the receipt, nothing that the world does wrong is raised."""
        return self.exchange("POST", url, headers, body).receipt

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        """One call, and what the receiver said; a status counts even when the rest of the answer stays out."""
        began = time.monotonic()
        try:
            place = _parsed(url)
            response, address = self._call(method, place, headers, body, began + self._deadline)
        except AddressRefused:
            return CallResult(Receipt(failure=FailureReason.ADDRESS_REFUSED, duration_ms=_since(began)))
        except CallFailed as fault:
            return CallResult(Receipt(failure=fault.failure, duration_ms=_since(began)))
        content = response.content or b""
        return CallResult(_receipt(response, address, content, _since(began)), content, response.headers)

    def close(self) -> None:
        """Close the connections that are kept; the client can be used again."""
        self._adapter.close()

    def _checked_addresses(self, place: ParsedUrl, until: float) -> Sequence[Address]:
        resolved: Sequence[str] = ()
        if place.address is None:
            try:
                resolved = within(until - time.monotonic(), lambda: self._resolver(place.host, place.port))
            except TimeoutError:
                raise CallFailed(FailureReason.TIMEOUT) from None
        try:
            found = self._check_addresses(place, tuple(resolved))
            refuse_own_listeners(place, found, self._policy)
        except AddressRefused as refused:
            if refused.fault is Fault.UNKNOWN:
                raise CallFailed(FailureReason.NAME_UNKNOWN) from None
            raise
        return found

    def _call(
        self, method: str, place: ParsedUrl, headers: Mapping[str, str], body: bytes | None, until: float
    ) -> tuple[requests.Response, Address]:
        """What was answered, and from which address."""
        sent = {"Host": place.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
        addresses = self._checked_addresses(place, until)[:ADDRESSES_TRIED]
        for left in range(len(addresses), 0, -1):
            request = Pinned(method, place, str(addresses[-left]), sent, body)
            try:
                answered = self._adapter.send(request, timeout=(CONNECT_SECONDS / left, until - time.monotonic()))
            except NotConnected:
                continue
            except (OSError, ValueError, InvalidResponse) as fault:
                raise CallFailed(_failure_of(fault)) from None
            return answered, addresses[-left]
        raise CallFailed(FailureReason.CONNECT_FAILED)


_parsed = lru_cache(MAX_CHECKED)(parse)


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


def _receipt(response: requests.Response, address: Address, body: bytes, took: int) -> Receipt:
    encoding = response.headers.get("Content-Encoding", "identity")
    asked = response.headers.get("Retry-After")
    return Receipt(
        status_code=response.status_code,
        duration_ms=took,
        excerpt=kept_excerpt(body, address_class(address), encoding),
        retry_after=parse_retry_after(asked, datetime.now(UTC)) if asked else None,
    )


def _failure_of(fault: Exception) -> FailureReason:
    match fault:
        case InvalidResponse():
            return FailureReason.BAD_ANSWER
        case ssl.SSLError():  # before ValueError: a certificate that is refused is one, too
            return FailureReason.TLS_FAILED
        case TimeoutError():
            return FailureReason.TIMEOUT
        case OSError():
            return FailureReason.CONNECTION_LOST
    return FailureReason.UNSENDABLE
