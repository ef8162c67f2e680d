"""The `requests` transport to a checked address: one request, one response, one deadline for both."""

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
    """A request with a fixed address. It is prepared here, so that `requests` reads nothing from the environment."""

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
        """Create the exchange of this request for one connection. Raises `ValueError` for unsendable values."""
        return Http1Exchange(str(self.method), self.target, self.headers, self.body)


class PinnedAdapter(BaseAdapter):
    """Sends `Pinned` requests. It is safe for many threads and pools connections by (scheme, address, port, name)."""

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
        """Send the request.

        `timeout` is (seconds to connect, seconds for the whole call). The other arguments are ignored.

        Raises `NotConnected`, `OSError` (`ConnectionLost`, `TimeoutError`, `ssl.SSLError`), `InvalidResponse`,
        `ValueError`.
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
                # The receiver may have closed the pooled connection in the meantime. That is not its response, so send
                # the request again on a new connection.
                self._connections.discard(key)
                exchange = request.exchange()
        sock = self._connections.new(key, connect=min(connect, _remaining(until)), until=until)
        return self._send(key, sock, exchange, until)

    def _send(self, key: Key, sock: socket.socket, exchange: Http1Exchange, until: float) -> HttpResponse:
        """Send the request and read the response. Pool the connection if it is reusable, else close it."""
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
    """Whether the whole request was sent. A receiver that stops reading may have responded already."""
    sock.settimeout(_remaining(until))
    try:
        sock.sendall(request)
    except BrokenPipeError:
        return False
    return True


def _receive(sock: socket.socket, until: float) -> bytes:
    """Read the next bytes. The deadline of the call bounds every read, so a slow sender gains no extra time."""
    sock.settimeout(_remaining(until))
    return sock.recv(PIECE_BYTES)


def _remaining(until: float) -> float:
    """Return the seconds that remain. Raises `TimeoutError` when none remain."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return max(SOONEST_SECONDS, left)
