"""The only HTTP client that calls out: to a checked address, once, within one deadline, reading little (decision 11)."""

from __future__ import annotations

import contextlib
import queue
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

import requests

from inbox import __version__
from inbox.destinations.answers import BadAnswer
from inbox.destinations.connections import NotConnected
from inbox.destinations.pinned import Pinned, PinnedAdapter
from inbox.domain.addresses import AddressRefused, Fault, Place, Policy, admit, parse
from inbox.domain.delivery import Receipt, Trouble, excerpt, parse_retry_after

USER_AGENT = f"Incident-Inbox/{__version__}"
DEADLINE_SECONDS = 15.0
CONNECT_SECONDS = 5.0
ADDRESSES_TRIED = 3
REMEMBERED = 1_024
"""How many URLs are taken apart, and how many findings about addresses made, once only: both depend on nothing else."""

Resolver = Callable[[str, int], Sequence[str]]
"""The addresses of a host's name, in order. May be slow; raises `OSError` when the name is not found."""


def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the machine's own resolver says, each address once."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the receipt to be kept and, for kinds that read it, the body (at most 64 KiB, as sent, never
    unpacked) and headers."""

    receipt: Receipt
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class Unreached(Exception):
    """There is no answer; `trouble` says why."""

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
        self._resolver = resolver
        self._deadline = deadline
        self._adapter = PinnedAdapter(ca_file)
        self._admit = lru_cache(REMEMBERED)(lambda place, resolved: tuple(map(str, admit(place, resolved, policy))))

    def vet(self, url: str) -> None:
        """Raise `AddressRefused` when `url` is one that is not called. A name that is not found yet may come to be."""
        with contextlib.suppress(Unreached):
            self._admitted(parse(url), time.monotonic() + CONNECT_SECONDS)

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Receipt:
        """Send `body`; what came of it is in the receipt, nothing that the world does wrong is raised."""
        return self.exchange("POST", url, headers, body).receipt

    def exchange(self, method: str, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """One call, and what the receiver said; a status counts even when the rest of the answer stays out."""
        began = time.monotonic()
        try:
            place = _parsed(url)
            response = self._called(method, place, headers, body, began + self._deadline)
        except AddressRefused:
            return Answer(Receipt(trouble=Trouble.ADDRESS_REFUSED, duration_ms=_since(began)))
        except Unreached as fault:
            return Answer(Receipt(trouble=fault.trouble, duration_ms=_since(began)))
        content = response.content or b""
        return Answer(_receipt(response, content, _since(began)), content, response.headers)

    def close(self) -> None:
        """Close the connections that are kept; the client can be used again."""
        self._adapter.close()

    def _admitted(self, place: Place, until: float) -> Sequence[str]:
        resolved: Sequence[str] = ()
        if place.address is None:
            resolved = _within(until, lambda: self._resolver(place.host, place.port))
        try:
            return self._admit(place, tuple(resolved))
        except AddressRefused as refused:
            if refused.fault is Fault.UNKNOWN:
                raise Unreached(Trouble.NAME_UNKNOWN) from None
            raise

    def _called(
        self, method: str, place: Place, headers: Mapping[str, str], body: bytes | None, until: float
    ) -> requests.Response:
        sent = {"Host": place.authority, "User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
        addresses = self._admitted(place, until)[:ADDRESSES_TRIED]
        for left in range(len(addresses), 0, -1):
            request = Pinned(method, place, addresses[-left], sent, body)
            try:
                return self._adapter.send(request, timeout=(CONNECT_SECONDS / left, until - time.monotonic()))
            except NotConnected:
                continue
            except (OSError, ValueError, BadAnswer) as fault:
                raise Unreached(_trouble_of(fault)) from None
        raise Unreached(Trouble.CONNECT_FAILED)


_parsed = lru_cache(REMEMBERED)(parse)


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
        raise Unreached(Trouble.TIMEOUT) from None


def _since(began: float) -> int:
    return int((time.monotonic() - began) * 1000)


def _receipt(response: requests.Response, body: bytes, took: int) -> Receipt:
    is_readable = body and response.headers.get("Content-Encoding", "identity").lower() == "identity"
    asked = response.headers.get("Retry-After")
    return Receipt(
        status_code=response.status_code,
        duration_ms=took,
        excerpt=excerpt(body) if is_readable else "",
        retry_after=parse_retry_after(asked, datetime.now(UTC)) if asked else None,
    )


def _trouble_of(fault: Exception) -> Trouble:
    match fault:
        case BadAnswer():
            return Trouble.BAD_ANSWER
        case ssl.SSLError():  # before ValueError: a certificate that is refused is one, too
            return Trouble.TLS_FAILED
        case TimeoutError():
            return Trouble.TIMEOUT
        case OSError():
            return Trouble.CONNECTION_LOST
    return Trouble.UNSENDABLE
