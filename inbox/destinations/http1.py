"""One HTTP/1.1 request and its response through `h11`. The size limits bound what is read from a receiver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import h11

BODY_BYTES = 64 * 1024
"""The part of a body that is kept, in bytes. The rest is not read."""

HEAD_BYTES = 64 * 1024
MAX_RESPONSE_BYTES = 192 * 1024
"""The maximum number of bytes that one call reads, including heads and interim responses."""

_BEGINNING = b"HTTP/"


class InvalidResponse(Exception):
    """The receiver sent no valid HTTP, or too much data."""


class ConnectionLost(OSError):
    """The connection ended before the head of the response was complete."""


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """A response.

    The names in `headers` are in lower case. `is_whole` states that the response was read completely and the connection
    is reusable.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool


class Http1Exchange:
    """One request on a connection. `receive` returns the next bytes, empty at the end, and raises `OSError`."""

    def __init__(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> None:
        """Serialize the request.

        Raises `ValueError` for unsendable values, such as a header that would inject a second request.
        """
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
        """Read the response. Once the head is complete, its status counts, however the body ends.

        Before that, raises `InvalidResponse`, `ConnectionLost` or the error of `receive`.
        """
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
        """Whether the whole body was read. Reading stops at the size that is kept."""
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
