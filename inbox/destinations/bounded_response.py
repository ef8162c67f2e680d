"""Reads a response with a deadline, with size limits, and with a stricter syntax than `http.client`."""

from __future__ import annotations

import http.client
import io
import socket
import time
from contextlib import suppress
from typing import Any, Protocol

BODY_BYTES = 64 * 1024
"""The number of bytes of a body that are read. The rest is ignored."""

HEAD_BYTES = 64 * 1024
MAX_RESPONSE_BYTES = 192 * 1024
"""The maximum number of bytes that one call reads, including heads and interim responses."""

INTERIM_RESPONSES = 50
"""The maximum number of interim responses (100 to 199). `http.client` has no limit or 100, depending on the version."""

_BEGINNING = b"HTTP/"


class InvalidResponse(Exception):
    """The receiver sent invalid HTTP or too much data."""


class ConnectionLost(OSError):
    """The connection ended before the head of the response was complete."""


class Body(Protocol):
    """A response whose body is read in pieces: `urllib3.HTTPResponse`."""

    def read1(self, amt: int, /) -> bytes:
        """Returns the available bytes, at most `amt`; empty at the end."""


def read_body(response: Body, limit: int = BODY_BYTES) -> bytes:
    """Returns the part of the body that arrives before the deadline, at most `limit` bytes.

    Returns the beginning of a body that breaks off. The status is valid in every case.
    """
    return _body(response, limit)[0]


def _body(response: Body, limit: int) -> tuple[bytes, bool]:
    """Returns the body, and whether it was read without a fault."""
    body = bytearray()
    try:
        while len(body) < limit and (piece := response.read1(limit - len(body))):
            body += piece
    except Exception:  # noqa: BLE001  a body may break off in any way
        return bytes(body), False
    return bytes(body), True


class BoundedResponse(http.client.HTTPResponse):
    """A response with a deadline: the timeout of the socket when reading begins.

    The deadline covers all reads together, so a slow sender gains no time. `max_bytes` limits the whole response.
    """

    def __init__(self, sock: socket.socket, *args: Any, max_bytes: int = MAX_RESPONSE_BYTES, **kwargs: Any) -> None:
        super().__init__(_Source(sock, max_bytes), *args, **kwargs)  # type: ignore[arg-type]

    def begin(self) -> None:
        """Reads the head and skips interim responses. Raises `InvalidResponse`, `OSError` or `HTTPException`."""
        super().begin()
        while 102 <= self.status <= 199:  # `http.client` itself skips only 100
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()
        if self.status == 101:
            raise InvalidResponse("another protocol")
        self._check_head()

    def read_answer(self, limit: int) -> tuple[bytes, bool]:
        """Reads the body, at most `limit` bytes; returns it, and whether the connection can serve again."""
        body, is_sound = _body(self, limit)
        is_at_end = self.length == 0 or (bool(self.chunked) and self.isclosed())
        self.close()
        return body, is_sound and is_at_end and not self.will_close

    def _check_head(self) -> None:
        """Refuses ambiguous headers. `http.client` would guess, and urllib3 would log them with the URL."""
        if self.msg.defects or self.msg.get_payload():
            raise InvalidResponse("a line that is no header")
        lengths = set(self.msg.get_all("Content-Length", []))
        codings = self.msg.get_all("Transfer-Encoding", [])
        if len(lengths) > 1 or not all(each.isascii() and each.strip().isdigit() for each in lengths):
            raise InvalidResponse("a length that is none")
        if codings and [each.strip().lower() for each in codings] != ["chunked"]:
            raise InvalidResponse("an unknown transfer coding")
        if lengths and codings:
            self.will_close = True


class _Source:
    """The receiving side of a socket, in the form that `http.client` opens."""

    def __init__(self, sock: socket.socket, max_bytes: int) -> None:
        self._sock, self._max_bytes = sock, max_bytes

    def makefile(self, mode: str) -> _Lines:
        return _Lines(self._sock, self._max_bytes)


class _Lines(io.BufferedReader):
    """The lines and bytes of a response. A head has at most `HEAD_BYTES`."""

    def __init__(self, sock: socket.socket, max_bytes: int) -> None:
        self._sock, self._received = sock, _Received(sock, max_bytes)
        self._head = self._status_lines = 0
        super().__init__(self._received)

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        content = line.removesuffix(b"\n").removesuffix(b"\r")
        is_too_long = bool(content) and self._head + len(content) > HEAD_BYTES
        if is_too_long or b"\r" in content or b"\0" in content:
            raise InvalidResponse("a line that is no header, or too many")
        if not line.endswith(b"\n"):
            raise ConnectionLost("the connection ended")
        if self._head == 0 and line.startswith(_BEGINNING):
            self._status_lines += 1
            if self._status_lines > INTERIM_RESPONSES + 1:
                raise InvalidResponse("too many interim responses")
        self._head = self._head + len(line) if content else 0
        return line

    def close(self) -> None:
        """Closes the response. A connection with unread bytes cannot be reused."""
        if not self.closed:
            self._received.is_over = True
            if self.peek(1):
                with suppress(OSError):
                    self._sock.shutdown(socket.SHUT_RDWR)
        super().close()


class _Received(io.RawIOBase):
    """The bytes received from a socket until a deadline, at most `max_bytes`."""

    def __init__(self, sock: socket.socket, max_bytes: int) -> None:
        self._sock, self._stream, self._max_bytes = sock, sock.makefile("rb", buffering=0), max_bytes
        self._until = time.monotonic() + (sock.gettimeout() or 0.0)
        self._count, self._beginning = 0, b""
        self.is_over = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        if self.is_over:
            return 0
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        size = self._stream.readinto(buffer) or 0
        self._count += size
        if self._count > self._max_bytes:
            raise InvalidResponse("more than is read")
        if len(self._beginning) < len(_BEGINNING):
            self._beginning = (self._beginning + bytes(buffer[:size]))[: len(_BEGINNING)]
            if not _BEGINNING.startswith(self._beginning):
                raise InvalidResponse("no status line")
        return size

    def close(self) -> None:
        self._stream.close()
        super().close()
