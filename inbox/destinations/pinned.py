"""The transport of `requests` to an address that was checked: one request, one answer, one deadline for both."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from io import BytesIO
from typing import Any
from urllib.parse import quote

from requests import PreparedRequest, Response
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from inbox.destinations.connections import SOONEST_SECONDS, Connections, Key
from inbox.destinations.http1 import Http1Exchange, HttpResponse
from inbox.domain.addresses import ParsedUrl

PIECE_BYTES = 16 * 1024
_SENT_AS_IT_IS = "%/:?#[]@!$&'()*+,;=~"


class Pinned(PreparedRequest):
    """A request whose address is decided; prepared by hand, so that nothing is read from the environment."""

    body: bytes | None

    def __init__(
        self, method: str, place: ParsedUrl, address: str, headers: Mapping[str, str], body: bytes | None
    ) -> None:
        super().__init__()
        self.method = method
        self.url = f"{place.scheme}://{place.authority}{place.path}"
        self.headers = CaseInsensitiveDict(headers)
        self.body = body
        self.key: Key = (place.scheme, address, place.port, place.host)
        self.target = quote(place.path, _SENT_AS_IT_IS)

    def exchange(self) -> Http1Exchange:
        """It and its answer, over one connection; raises `ValueError` for what cannot be sent."""
        return Http1Exchange(str(self.method), self.target, self.headers, self.body)


class PinnedAdapter(BaseAdapter):
    """Sends `Pinned` requests; safe for many threads. Connections are kept per (scheme, address, port, name)."""

    def __init__(self, ca_file: str | None = None) -> None:
        super().__init__()
        self._connections = Connections(ca_file)

    def send(
        self,
        request: PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> Response:
        """`timeout` is (seconds to connect, seconds for all of the call); nothing else can be chosen.

        Raises `NotConnected`, `OSError` (`Lost`, `TimeoutError`, `ssl.SSLError`), `BadAnswer`, `ValueError`.
        """
        assert isinstance(request, Pinned)
        connect, total = timeout
        heard = self._response(request, connect, time.monotonic() + total)
        response = Response()
        response.status_code = heard.status
        response.headers = CaseInsensitiveDict(heard.headers)
        if heard.body:
            response.raw = BytesIO(heard.body)
        response.url, response.request = str(request.url), request
        return response

    def close(self) -> None:
        """Close every idle connection."""
        self._connections.close()

    def _response(self, request: Pinned, connect: float, until: float) -> HttpResponse:
        exchange, key = request.exchange(), request.key
        sock = self._connections.get(key)
        if sock is not None:
            try:
                return self._send(key, sock, exchange, until)
            except TimeoutError:
                raise
            except OSError:
                # A kept connection that the receiver closed meanwhile is not its answer: ask again on a new one.
                self._connections.discard(key)
                exchange = request.exchange()
        sock = self._connections.new(key, connect=min(connect, _remaining(until)), until=until)
        return self._send(key, sock, exchange, until)

    def _send(self, key: Key, sock: socket.socket, exchange: Http1Exchange, until: float) -> HttpResponse:
        """Send the request and read the answer; the connection is kept when it can serve again, else closed."""
        is_good = False
        try:
            is_taken = _send(sock, exchange.request, until)
            heard = exchange.read_response(lambda: _receive(sock, until))
            is_good = is_taken and heard.is_whole
        finally:
            if is_good:
                self._connections.put(key, sock)
            else:
                sock.close()
        return heard


def _send(sock: socket.socket, request: bytes, until: float) -> bool:
    """Whether all of it was taken; a receiver that closes its ear may have answered already."""
    sock.settimeout(_remaining(until))
    try:
        sock.sendall(request)
    except BrokenPipeError:
        return False
    return True


def _receive(sock: socket.socket, until: float) -> bytes:
    """The next bytes. Every single read ends with the call: a receiver that drips gains nothing by it."""
    sock.settimeout(_remaining(until))
    return sock.recv(PIECE_BYTES)


def _remaining(until: float) -> float:
    """How many seconds are left; raises `TimeoutError` when none are."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return max(SOONEST_SECONDS, left)
