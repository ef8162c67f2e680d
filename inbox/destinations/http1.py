"""One request and its answer, as `h11` speaks HTTP/1.1: read no further than is wanted, whatever the receiver sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import h11

BODY_BYTES = 64 * 1024
"""What is kept of a body; the rest stays out."""

HEAD_BYTES = 64 * 1024
MAX_RESPONSE_BYTES = 192 * 1024
"""What is taken off the wire at most in one call, heads and interim answers included."""

_BEGINNING = b"HTTP/"


class InvalidResponse(Exception):
    """What comes is not HTTP, or too much of it."""


class ConnectionLost(OSError):
    """The connection ended before the head of the answer was whole."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """An answer; names of `headers` are in lower case. `is_whole`: nothing is left of it on the wire, and both sides may
    go on with another request."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool


class Http1Exchange:
    """One request over a connection; `receive` gives the next bytes, none at the end, and raises `OSError`."""

    def __init__(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> None:
        """Raises `ValueError` for what cannot be sent, such as a header that would make another request of it."""
        self._wire = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD_BYTES)
        self._is_started = b""
        self._received = 0
        sized = {} if body is None else {"Content-Length": str(len(body))}
        try:
            sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in {**headers, **sized}.items()]
            head = self._wire.send(h11.Request(method=method, target=target, headers=sent))
            rest = self._wire.send(h11.Data(data=body)) if body else b""
            self.request = b"".join((head or b"", rest or b"", self._wire.send(h11.EndOfMessage()) or b""))
        except h11.LocalProtocolError as fault:
            raise ValueError(str(fault)) from None

    def read_response(self, receive: Callable[[], bytes]) -> HttpResponse:
        """Raises `InvalidResponse`, `ConnectionLost` or what `receive` raises as long as the head is not whole; then its status counts,
        however its body ends."""
        head = self._head(receive)
        headers: dict[str, str] = {}
        for name, value in head.headers:
            known, said = name.decode("latin-1"), value.decode("latin-1")
            headers[known] = f"{headers[known]}, {said}" if known in headers else said
        body = bytearray()
        try:
            ended = self._read(body, receive)
        except (OSError, InvalidResponse, h11.RemoteProtocolError):
            ended = False
        states = {self._wire.our_state, self._wire.their_state}
        is_plain = not {"transfer-encoding", "content-length"} <= headers.keys()
        is_whole = ended and is_plain and states == {h11.DONE} and self._wire.trailing_data == (b"", False)
        return HttpResponse(head.status_code, headers, bytes(body[:BODY_BYTES]), is_whole)

    def _head(self, receive: Callable[[], bytes]) -> h11.Response:
        try:
            while not isinstance(event := self._wire.next_event(), h11.Response):
                if event is h11.NEED_DATA and not self._more(receive):
                    raise ConnectionLost("the connection ended")
        except h11.RemoteProtocolError as fault:
            raise InvalidResponse(str(fault)) from None
        if not event.http_version.startswith(b"1."):
            raise InvalidResponse("another version of HTTP")
        return event

    def _read(self, body: bytearray, receive: Callable[[], bytes]) -> bool:
        """Whether all of the body is read; no more of it than is kept."""
        while len(body) <= BODY_BYTES:
            event = self._wire.next_event()
            if isinstance(event, h11.EndOfMessage):
                return True
            if isinstance(event, h11.Data):
                body += event.data
            else:
                self._more(receive)
        return False

    def _more(self, receive: Callable[[], bytes]) -> bool:
        piece = receive()
        self._received += len(piece)
        if self._received > MAX_RESPONSE_BYTES:
            raise InvalidResponse("more than is read")
        if len(self._is_started) < len(_BEGINNING):
            self._is_started = (self._is_started + piece)[: len(_BEGINNING)]
            if not _BEGINNING.startswith(self._is_started):
                raise InvalidResponse("no status line")
        self._wire.receive_data(piece)
        return bool(piece)
