"""The only client for outgoing HTTP calls: checked address, one deadline, limited response size (specification 9.6)."""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import ClassVar, Self
from urllib.parse import quote

from urllib3 import Retry
from urllib3.util.url import _encode_target

from inbox import __version__
from inbox.destinations.bounded_response import BODY_BYTES, MAX_RESPONSE_BYTES
from inbox.destinations.lookup import OF_OPERATOR, OF_USERS, Resolver, system_resolver, within, zone_of
from inbox.destinations.pools import (
    Answer,
    CallFailed,
    CallTime,
    IdleConnectionLost,
    NotConnected,
    Pool,
    PoolKey,
    Pools,
    Tunnel,
)
from inbox.domain.deliveries.delivery import FailureReason, Receipt, answer_text, parse_retry_after
from inbox.domain.values.addresses import (
    Address,
    AddressRefused,
    OutboundPolicy,
    ParsedUrl,
    UrlFault,
    address_class,
    check_resolved,
    parse,
    refuse_own_listeners,
)
from inbox.domain.values.outbound_proxy import OutboundProxy
from inbox.runtime.real_threads import RealThreads

USER_AGENT = f"Incident-Inbox/{__version__}"
DEADLINE_SECONDS = 15.0
CONNECT_SECONDS = 5.0
ADDRESSES_TRIED = 3
MAX_CHECKED = 1_024
"""The cache size for parsed URLs and for address checks. Both results depend only on their arguments."""

NO_RETRIES = Retry(False, redirect=False)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})
"""The methods whose requests state no length when they have no body."""

_SENT_AS_IT_IS = "%/:?#[]@!$&'()*+,;=~"


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call.

    All of `receipt` except the answer is stored. `body` is for callers that need the response: at most 64 KiB, as
    transferred, without decompression. The names in `headers` are in lower case.
    """

    receipt: Receipt
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a parsed URL. `headers` are complete except for the length of the body."""

    method: str
    url: ParsedUrl
    headers: Mapping[str, str]
    body: bytes | None

    def to_bytes(self) -> bytes:
        """Writes the request. Raises `CallFailed` for a header that HTTP cannot carry."""
        body = self.body or b""
        length = f"Content-Length: {len(body)}\r\n" if self.body is not None or self.method not in _WITHOUT_BODY else ""
        headers = "".join([f"{name}: {value}\r\n" for name, value in self.headers.items()])
        try:
            return f"{self.method} {_target(self.url.path)} HTTP/1.1\r\n{length}{headers}\r\n".encode("latin-1") + body
        except UnicodeEncodeError:
            raise CallFailed(FailureReason.UNSENDABLE) from None


class Client:
    """Calls receivers. All threads of a process share one client, which reuses its connections.

    The client uses no cookies, netrc, redirects or proxies of the environment. `deadline` is the total time of one call
    in seconds: name look-up, connection, TLS and the whole response. `ca_file` has further authorities. With
    `proxy`, the proxy opens the connections to the checked addresses. A body is cut at `body_bytes`.
    """

    lookup_threads: ClassVar[RealThreads] = OF_USERS

    def __init__(
        self,
        policy: OutboundPolicy,
        *,
        resolver: Resolver = system_resolver,
        deadline: float = DEADLINE_SECONDS,
        ca_file: str = "",
        proxy: OutboundProxy | None = None,
        body_bytes: int = BODY_BYTES,
    ) -> None:
        self._resolver = resolver
        self._proxy = proxy
        self.deadline = deadline
        self._body_bytes = body_bytes
        self._pools = Pools(ca_file, MAX_RESPONSE_BYTES - BODY_BYTES + body_bytes)
        self._policy = policy
        self._check_addresses = lru_cache(MAX_CHECKED)(
            lambda place, resolved: tuple(check_resolved(place, resolved, policy))
        )

    @property
    def seconds_left(self) -> float:
        """Returns the seconds that are left for a message."""
        return self.deadline

    def limited(self, seconds: float) -> Self:
        """Returns this client, with its connections, for calls of at most `seconds`."""
        if seconds >= self.deadline:
            return self
        hurried = copy.copy(self)
        hurried.deadline = seconds
        return hurried

    def vet(self, url: str) -> None:
        """Raises `AddressRefused` when the policy refuses `url`.

        A name that does not resolve passes, because it may resolve later.
        """
        with contextlib.suppress(CallFailed):
            self._checked_addresses(parse(url), time.monotonic() + CONNECT_SECONDS)

    def check(self, place: ParsedUrl, resolved: Sequence[str]) -> None:
        """Raises `AddressRefused` when the policy refuses an address to which another program resolved a name."""
        refuse_own_listeners(place, check_resolved(place, resolved, self._policy), self._policy)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        """Sends `body` and returns the receipt. Network and receiver errors are in the receipt and are never raised."""
        return self.exchange("POST", url, headers, body).receipt

    def note(self, method: str, url: str, headers: Mapping[str, str], body: str) -> None:
        """Records a request that is not sent by HTTP. Only a recording client implements it."""

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> CallResult:
        """Makes one call and returns its result. A status is valid even when the rest of the response is lost."""
        began = time.monotonic()
        try:
            place = _parsed(url)
            sent = {"Host": place.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
            answer, address = self._call(Request(method, place, sent, body), began + self.deadline)
        except AddressRefused:
            return CallResult(Receipt(failure=FailureReason.ADDRESS_REFUSED, duration_ms=_since(began)))
        except CallFailed as fault:
            return CallResult(Receipt(failure=fault.failure, duration_ms=_since(began)))
        headers = {name.lower(): value for name, value in answer.headers}
        return CallResult(_receipt(answer, address, _since(began)), answer.body, headers)

    def close(self) -> None:
        """Closes the idle connections. The client stays usable."""
        self._pools.close()

    def _checked_addresses(self, place: ParsedUrl, until: float) -> Sequence[Address]:
        resolved = self._resolved(place, until, self.lookup_threads) if place.address is None else ()
        try:
            found = self._check_addresses(place, tuple(resolved))
            refuse_own_listeners(place, found, self._policy)
        except AddressRefused as refused:
            if refused.fault is UrlFault.UNKNOWN:
                raise CallFailed(FailureReason.NAME_UNKNOWN) from None
            raise
        return found

    def _resolved(self, place: ParsedUrl, until: float, threads: RealThreads) -> Sequence[str]:
        try:
            seconds, zone = until - time.monotonic(), zone_of(place.host) if threads is OF_USERS else ""
            return within(seconds, lambda: self._resolver(place.host, place.port), threads, zone)
        except TimeoutError:
            raise CallFailed(FailureReason.TIMEOUT) from None

    def _call(self, request: Request, until: float) -> tuple[Answer, Address]:
        """Sends the request to the first address that accepts a connection. Returns the answer and the address."""
        if any(sign in value for value in request.headers.values() for sign in "\r\n\0"):
            raise CallFailed(FailureReason.UNSENDABLE)
        url, addresses = request.url, self._checked_addresses(request.url, until)[:ADDRESSES_TRIED]
        tunnel = self._tunnel(until)
        for left in range(len(addresses), 0, -1):
            key = PoolKey(url.scheme, str(addresses[-left]), url.port, url.host, tunnel)
            with contextlib.suppress(NotConnected):
                try:
                    return self._send(self._pools.get(key), request, _time(left, until)), addresses[-left]
                except IdleConnectionLost:
                    # The receiver may have closed the idle connection before the request. This is not an answer to the
                    # request, so send it again on a new connection.
                    self._pools.discard(key)
                    return self._send(self._pools.get(key), request, _time(left, until)), addresses[-left]
        raise CallFailed(FailureReason.CONNECT_FAILED)

    def _tunnel(self, until: float) -> Tunnel | None:
        """Returns the tunnel through the operator's proxy. The policy does not restrict the address of the proxy."""
        if self._proxy is None:
            return None
        place = self._proxy.url
        found = [str(place.address)] if place.address is not None else self._resolved(place, until, OF_OPERATOR)
        if not found:
            raise CallFailed(FailureReason.CONNECT_FAILED)
        return Tunnel(found[0], place.port, self._proxy.headers)

    def _send(self, pool: Pool, request: Request, limits: CallTime) -> Answer:
        """Sends the request through a pool, and reads the answer."""
        return pool.call(request.method, request.to_bytes(), limits, self._body_bytes)


_parsed = lru_cache(MAX_CHECKED)(parse)
_target = lru_cache(MAX_CHECKED)(lambda path: _encode_target(quote(path, _SENT_AS_IT_IS)))
"""Returns the path and query in ASCII, as urllib3 sends them."""


def _time(left: int, until: float) -> CallTime:
    """Returns the time of one attempt with `left` addresses to try.

    A connection takes up to three steps: TCP, proxy and TLS. Each gets at most a third of the time.
    """
    remaining = until - time.monotonic()
    if remaining <= 0:
        raise CallFailed(FailureReason.TIMEOUT)
    return CallTime(min(CONNECT_SECONDS / left, remaining / 3), until)


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


def _receipt(answer: Answer, address: Address, took: int) -> Receipt:
    retry_after = answer.joined("retry-after")
    return Receipt(
        status_code=answer.status,
        duration_ms=took,
        answer=answer_text(answer.body, address_class(address), answer.joined("content-encoding") or "identity"),
        retry_after=parse_retry_after(retry_after, datetime.now(UTC)) if retry_after else None,
    )
