"""The only HTTP client that calls out: to a checked address, once, within one deadline, reading little (decision 11)."""

from __future__ import annotations

import contextlib
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.client import HTTPException

import requests
from urllib3.exceptions import (
    ClosedPoolError,
    ConnectTimeoutError,
    HTTPError,
    MaxRetryError,
    NewConnectionError,
    ProtocolError,
)
from urllib3.exceptions import SSLError as BadTLS
from urllib3.exceptions import TimeoutError as TimedOut

from inbox import __version__
from inbox.destinations.pinned import Pinned, PinnedAdapter, TooMuch, call
from inbox.domain.addresses import AddressRefused, Fault, Place, Policy, admit, parse
from inbox.domain.delivery import Receipt, Trouble, excerpt, parse_retry_after

USER_AGENT = f"Incident-Inbox/{__version__}"
DEADLINE_SECONDS = 15.0
CONNECT_SECONDS = 5.0
BODY_BYTES = 64 * 1024
ADDRESSES_TRIED = 3

Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host's name, in order. May be slow; raises `OSError` when the name is not found."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the machine's own resolver says, each address once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the receipt to be kept and, for kinds that read it, the body (at most 64 KiB) and headers."""

    receipt: Receipt
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Unreachable(Exception):
    """There is no address to call; `trouble` says why."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble)
        self.trouble = trouble


class Client:
    """Calls receivers. One serves all threads of a process; it keeps connections.

    No proxy, cookie, netrc or redirect takes part. `deadline` is the total of one call in seconds: name look-up,
    connection, TLS and a dripped answer included. `ca_file` replaces the public authorities.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        resolver: Resolver = system_resolver,
        deadline: float = DEADLINE_SECONDS,
        ca_file: str | None = None,
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._deadline = deadline
        self._adapter = PinnedAdapter(ca_file)

    def vet(self, url: str) -> None:
        """Raise `AddressRefused` when `url` is one that is not called. A name that is not found yet may come to be."""
        with contextlib.suppress(Unreachable):
            self._admitted(parse(url), time.monotonic() + CONNECT_SECONDS)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        """Send `body`; what came of it is in the receipt, nothing that the world does wrong is raised."""
        return self.exchange("POST", url, headers, body).receipt

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """One call, and what the receiver said; a status counts even when the rest of the answer stays out."""
        began = time.monotonic()
        until = began + self._deadline
        try:
            place = parse(url)
            answer = self._called(method, place, headers, body, until)
        except AddressRefused:
            answer = Answer(Receipt(trouble=Trouble.ADDRESS_REFUSED))
        except Unreachable as fault:
            answer = Answer(Receipt(trouble=fault.trouble))
        took = int((time.monotonic() - began) * 1000)
        return replace(answer, receipt=replace(answer.receipt, duration_ms=took))

    def close(self) -> None:
        """Close the connections that are kept; the client can be used again."""
        self._adapter.close()

    def _admitted(self, place: Place, until: float) -> list[str]:
        resolved: Sequence[str] = ()
        if place.address is None:
            resolved = _within(until, lambda: self._resolver(place.host, place.port))
        try:
            return [str(address) for address in admit(place, resolved, self._policy)]
        except AddressRefused as refused:
            if refused.fault is Fault.UNKNOWN:
                raise Unreachable(Trouble.NAME_UNKNOWN) from None
            raise

    def _called(
        self, method: str, place: Place, headers: Mapping[str, str], body: bytes | None, until: float
    ) -> Answer:
        sent = {"Host": place.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
        if body is not None:
            sent["Content-Length"] = str(len(body))
        addresses = self._admitted(place, until)[:ADDRESSES_TRIED]
        trouble = Trouble.CONNECT_FAILED
        for position, address in enumerate(addresses):
            connect = CONNECT_SECONDS / (len(addresses) - position)
            outcome = self._tried(Pinned(method, place, address, sent, body), until, connect)
            if isinstance(outcome, Answer):
                return outcome
            trouble = outcome
            if trouble is not Trouble.CONNECT_FAILED:
                break
        return Answer(Receipt(trouble=trouble))

    def _tried(self, request: Pinned, until: float, connect: float) -> Answer | Trouble:
        outcome = self._once(request, until, connect)
        if outcome is Trouble.CONNECTION_LOST and not call.is_fresh:
            # A kept connection that the receiver closed meanwhile is not its answer: ask again on a new one.
            self._adapter.forget(request)
            return self._once(request, until, connect)
        return outcome

    def _once(self, request: Pinned, until: float, connect: float) -> Answer | Trouble:
        left = until - time.monotonic()
        if left <= 0:
            return Trouble.TIMEOUT
        call.until, call.is_fresh = until, False
        try:
            response = self._adapter.send(request, stream=True, timeout=(min(connect, left), left))
        except (requests.RequestException, HTTPError, OSError, ValueError) as fault:
            return _trouble_of(fault)
        return _answer(response)


def _within(until: float, look_up: Callable[[], Sequence[str]]) -> Sequence[str]:
    """The look-up's answer, waited for until then and no longer: a resolver cannot be interrupted, only left alone."""
    answers: queue.SimpleQueue[Sequence[str]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(look_up())
        except (OSError, UnicodeError):
            answers.put(())

    threading.Thread(target=ask, name="look-up", daemon=True).start()
    try:
        return answers.get(timeout=max(0.0, until - time.monotonic()))
    except queue.Empty:
        raise Unreachable(Trouble.TIMEOUT) from None


def _answer(response: requests.Response) -> Answer:
    body = _beginning(response)
    headers = response.headers
    is_readable = headers.get("Content-Encoding", "identity").lower() == "identity"
    receipt = Receipt(
        status_code=response.status_code,
        excerpt=excerpt(body) if is_readable else "",
        retry_after=parse_retry_after(headers.get("Retry-After"), datetime.now(UTC)),
    )
    return Answer(receipt, body, headers)


def _beginning(response: requests.Response) -> bytes:
    """Up to 64 KiB of the body as sent, never unpacked; the connection is kept only when that is all there is."""
    raw = response.raw
    pieces: list[bytes] = []
    left = BODY_BYTES
    try:
        while left > 0 and (piece := raw.read1(left)):
            pieces.append(piece)
            left -= len(piece)
    except (HTTPError, OSError, ValueError):
        left = 0
    if left > 0:
        raw.release_conn()
    else:
        raw.close()
    return b"".join(pieces)


def _trouble_of(fault: BaseException) -> Trouble:
    """The one word for what went wrong; `requests` and `urllib3` wrap the cause several times over."""
    chain = list(_causes(fault))
    for kinds, trouble in _TROUBLES:
        if any(isinstance(cause, kinds) for cause in chain):
            return trouble
    return Trouble.CONNECTION_LOST


_TROUBLES: tuple[tuple[tuple[type[BaseException], ...], Trouble], ...] = (
    ((TooMuch,), Trouble.BAD_ANSWER),
    ((BadTLS, ssl.SSLError), Trouble.TLS_FAILED),
    ((ConnectTimeoutError, NewConnectionError), Trouble.CONNECT_FAILED),
    ((TimedOut, TimeoutError), Trouble.TIMEOUT),
    ((ClosedPoolError, ConnectionError), Trouble.CONNECTION_LOST),
    ((HTTPException, requests.exceptions.InvalidHeader), Trouble.BAD_ANSWER),
    ((ProtocolError, OSError), Trouble.CONNECTION_LOST),
    ((ValueError,), Trouble.UNSENDABLE),
)


def _causes(fault: BaseException, depth: int = 6) -> list[BaseException]:
    found = [fault]
    inner = [fault.reason] if isinstance(fault, MaxRetryError) else list(fault.args)
    for cause in inner:
        if isinstance(cause, BaseException) and depth:
            found += _causes(cause, depth - 1)
    return found
