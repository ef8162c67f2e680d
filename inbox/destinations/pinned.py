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

from inbox.destinations.answers import Heard, Reading
from inbox.destinations.connections import SOONEST_SECONDS, Connections, Key
from inbox.domain.addresses import Place

PIECE_BYTES = 16 * 1024
_SENT_AS_IT_IS = "%/:?#[]@!$&'()*+,;=~"


class Pinned(PreparedRequest):
    """A request whose address is decided; prepared by hand, so that nothing is read from the environment."""

    body: bytes | None

    def __init__(self, method: str, place: Place, address: str, headers: Mapping[str, str], body: bytes | None) -> None:
        super().__init__()
        self.method = method
        self.url = f"{place.scheme}://{place.authority}{place.path}"
        self.headers = CaseInsensitiveDict(headers)
        self.body = body
        self.key: Key = (place.scheme, address, place.port, place.host)
        self.target = quote(place.path, _SENT_AS_IT_IS)

    def wire(self) -> bytes:
        """The request as it goes over the wire; raises `ValueError` for headers that would make another one of it."""
        sent, body = self.headers, self.body
        lines = [f"{self.method} {self.target} HTTP/1.1", *(f"{name}: {sent[name]}" for name in sent)]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        head, breaks = "\r\n".join(lines).encode("latin-1"), len(lines) - 1
        if (head.count(b"\r"), head.count(b"\n"), head.count(b"\0")) != (breaks, breaks, 0):
            raise ValueError("a header with a line break in it")
        return b"%s\r\n\r\n%s" % (head, body or b"")


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
        heard = self._heard(request.key, request.wire(), connect, time.monotonic() + total)
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

    def _heard(self, key: Key, request: bytes, connect: float, until: float) -> Heard:
        sock = self._connections.kept(key)
        if sock is not None:
            try:
                return self._asked(key, sock, request, until)
            except TimeoutError:
                raise
            except OSError:
                # A kept connection that the receiver closed meanwhile is not its answer: ask again on a new one.
                self._connections.forget(key)
        sock = self._connections.new(key, connect=min(connect, _left(until)), until=until)
        return self._asked(key, sock, request, until)

    def _asked(self, key: Key, sock: socket.socket, request: bytes, until: float) -> Heard:
        """Send the request and read the answer; the connection is kept when it can serve again, else closed."""
        is_good = False
        try:
            is_taken = _send(sock, request, until)
            heard = Reading(lambda: _receive(sock, until)).answer()
            is_good = is_taken and heard.is_whole
        finally:
            if is_good:
                self._connections.keep(key, sock)
            else:
                sock.close()
        return heard


def _send(sock: socket.socket, request: bytes, until: float) -> bool:
    """Whether all of it was taken; a receiver that closes its ear may have answered already."""
    sock.settimeout(_left(until))
    try:
        sock.sendall(request)
    except BrokenPipeError:
        return False
    return True


def _receive(sock: socket.socket, until: float) -> bytes:
    """The next bytes. Every single read ends with the call: a receiver that drips gains nothing by it."""
    sock.settimeout(_left(until))
    return sock.recv(PIECE_BYTES)


def _left(until: float) -> float:
    """How many seconds are left; raises `TimeoutError` when none are."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return max(SOONEST_SECONDS, left)
