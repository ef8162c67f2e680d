"""The only client for outgoing HTTP calls: checked address, one deadline, limited response size (specification 9.6)."""

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
"""The cache size for parsed URLs and for address checks. Both results depend only on their arguments."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call.

    `receipt` is stored. Kinds that need the response use `body` and `headers`. `body` has at most 64 KiB, as
    transferred, without decompression.
    """

    receipt: Receipt
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class CallFailed(Exception):
    """The call got no response. `failure` is the reason."""

    def __init__(self, trouble: FailureReason) -> None:
        super().__init__(trouble)
        self.failure = trouble


class Client:
    """Calls receivers. All threads of a process share one client, which reuses its connections.

    The client uses no proxy, cookie, netrc or redirect. `deadline` is the total time of one call in seconds. It
    includes name look-up, connection, TLS and a slowly sent response. `ca_file` replaces the public authorities.
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
        """Raise `AddressRefused` when the policy refuses `url`.

        A name that does not resolve passes, because it may resolve later.
        """
        with contextlib.suppress(CallFailed):
            self._checked_addresses(parse(url), time.monotonic() + CONNECT_SECONDS)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        """Send `body` and return the receipt. Network and receiver errors are in the receipt and are never raised."""
        return self.exchange("POST", url, headers, body).receipt

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        """Make one call and return its result. A status counts even when the rest of the response is lost."""
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
        """Close the idle connections. The client stays usable."""
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
        """Send the request. Return the response and the address that sent it."""
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
        case ssl.SSLError():  # before ValueError: a refused certificate is also a ValueError
            return FailureReason.TLS_FAILED
        case TimeoutError():
            return FailureReason.TIMEOUT
        case OSError():
            return FailureReason.CONNECTION_LOST
    return FailureReason.UNSENDABLE
