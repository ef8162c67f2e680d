"""The connection of one client and the body of its request, read and written within limits of bytes and time.

Decision 0008.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gevent
from gunicorn.http import errors

if TYPE_CHECKING:
    from ops.head_timeouts import HeadTimeouts

PIECE = 64 * 1024
"""The most bytes that are read or written without giving way to other connections."""

HEAD_BYTES = 72 * 1024
"""The most bytes of a request's head; the last read may bring 8 KiB of the body with it."""

SEND_SECONDS = 10.0
"""The time that a piece of an answer waits for its reader."""

SEND_BUFFER = 256 * 1024
"""The kernel's buffer for an answer that the client does not read. It would otherwise grow to megabytes."""

LINGER_BYTES = 16 * 1024 * 1024
LINGER_SECONDS = 5.0
LINGER_PAUSE = 0.001
"""A pause of this length lets other connections be read; a turn of the loop alone would not."""

RESET = struct.pack("ii", 1, 0)


class ClientConnection:
    """The socket from which gunicorn reads requests and to which it writes answers.

    Other attributes are the socket's.
    """

    def __init__(self, sock: Any, client: str, left: Callable[[ClientConnection], None], peer: str = "") -> None:
        """Calls `left` when the connection becomes a stream; streams are counted separately.

        `client` owns it at address `peer`.
        """
        self._sock = sock
        self._left = left
        self.client = client
        self.peer = peer
        self.counted = False
        self.answered = False
        self.timeouts: HeadTimeouts | None = None
        self.received = 0
        self.read_until: float | None = None
        self._ended = False
        self._paused_at = 0
        self._put_back = b""
        self._head_ends: int | None = HEAD_BYTES
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)

    def become_stream(self) -> None:
        """Marks the connection as a stream, whose answer has no end."""
        self._left(self)

    def begin_head(self) -> None:
        """Begins the head of a request, whose size and time are limited."""
        self._head_ends = self.received + HEAD_BYTES

    def end_head(self) -> None:
        """Ends the head of a request."""
        self._head_ends = None
        if self.timeouts is not None:
            self.timeouts.end(self)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Returns the bytes that have arrived. Raises `TimeoutError` when none have by `read_until`."""
        if flags:
            return bytes(self._sock.recv(size, flags))
        if self._put_back:
            piece, self._put_back = self._put_back[:size], self._put_back[size:]
            return piece
        data: bytes = self._sock.recv(size) if self.read_until is None else self._recv_by(size, self.read_until)
        if self._ended:
            return b""
        self.received += len(data)
        if self.timeouts is not None and data:
            self.timeouts.begin_head(self)
        if self._head_ends is not None and self.received > self._head_ends:
            raise errors.LimitRequestHeaders("the head is too long")
        if self.received - self._paused_at >= PIECE:
            self._paused_at = self.received
            gevent.sleep(0)
        return data

    def put_back(self, data: bytes) -> None:
        """Puts back bytes that were read already. The next `recv` returns them first."""
        self._put_back = data + self._put_back

    def _recv_by(self, size: int, until: float) -> bytes:
        try:
            self._sock.settimeout(max(0.0, until - time.monotonic()))
            try:
                return bytes(self._sock.recv(size))
            except (TimeoutError, BlockingIOError):
                pass
            # A process that was busy may find the data and the end of the time at the same moment. Many connections may
            # come to the end of their time together; without giving way they would all be answered before anybody else.
            gevent.sleep(0)
            self._sock.settimeout(0.0)
            try:
                return bytes(self._sock.recv(size))
            except BlockingIOError:
                raise TimeoutError from None
        finally:
            self._sock.settimeout(None)

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Sends all bytes. A client that does not take a piece within `SEND_SECONDS` is treated as disconnected."""
        view = memoryview(data)
        try:
            self._sock.settimeout(SEND_SECONDS)
            for start in range(0, len(view), PIECE):
                self._sock.sendall(view[start : start + PIECE], flags)
        except TimeoutError:
            self.discard()
            raise BrokenPipeError(errno.EPIPE, "the client does not read its answer") from None
        finally:
            self._sock.settimeout(None)

    def discard(self) -> None:
        """Makes the kernel drop unsent bytes when the connection is closed."""
        with contextlib.suppress(OSError):
            self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def end(self) -> None:
        """Ends the connection in both directions. Its reader finds the end.

        Bytes that arrive meanwhile are dropped, because a request without an answer must have no effect.
        """
        self._ended = True
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)


class RequestBody:
    """The body of one request, in pieces as they arrive. It is `complete` at its end, and reads nothing after it.

    Replaces gunicorn's own, which waits for all requested bytes, and holds them meanwhile.
    """

    def __init__(self, request: Any, connection: ClientConnection) -> None:
        reader = request.body.reader
        self._connection = connection
        self._unreader = request.unreader
        self._unreader.max_body_chunk = PIECE
        self._left: int = getattr(reader, "length", 0)
        self._chunks: Any = getattr(reader, "parser", None)
        self._rest = b""
        self.failed = False

    @property
    def complete(self) -> bool:
        """Whether the whole body has been read, or there never was any."""
        return not self._left and self._chunks is None and not self.failed

    def read_by(self, size: int, until: float | None) -> bytes:
        """Returns at most `size` bytes, as soon as there are any; `b""` at the end or after a disconnect.

        Raises `TimeoutError` when none have arrived by `until`, and gunicorn's errors for a body that is badly chunked.
        """
        self._connection.read_until = until
        try:
            return self._piece(size)
        except BaseException:
            self.failed = True
            raise
        finally:
            self._connection.read_until = None

    def read(self, size: int | None = None) -> bytes:
        """Returns `size` bytes, or all, however long they take, as WSGI requires."""
        pieces, remaining = [], size if size is not None and size >= 0 else None
        while remaining is None or remaining > 0:
            piece = self.read_by(PIECE if remaining is None else min(remaining, PIECE), None)
            if not piece:
                break
            pieces.append(piece)
            remaining = None if remaining is None else remaining - len(piece)
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        if self._chunks is not None or self._rest:
            return self._of_chunks(size)
        if not self._left:
            return b""
        want = min(size, self._left)
        piece: bytes = self._unreader.read(None, read_ahead=want)
        if not piece:
            self._left, self.failed = 0, True
        if len(piece) > want:
            self._unreader.unread(piece[want:])
            piece = piece[:want]
        self._left = max(0, self._left - len(piece))
        return piece

    def _of_chunks(self, size: int) -> bytes:
        if not self._rest:
            self._rest = next(filter(None, self._chunks), b"")
            if not self._rest:
                self._chunks = None
        piece, self._rest = self._rest[:size], self._rest[size:]
        return piece


def linger(connection: ClientConnection, body: RequestBody | None, *, closing: bool) -> bool:
    """Drops the rest of a request that has its answer. Returns whether another request may follow.

    A connection that is closed with unread bytes is reset, and the reset may overtake the answer. It reads at most
    `LINGER_BYTES` and `LINGER_SECONDS`, in pieces, with pauses. Without a `body` the sent bytes end with the
    connection.
    """
    current_body = None if body is None or body.failed else body
    until, end = time.monotonic() + LINGER_SECONDS, connection.received + LINGER_BYTES
    connection.end_head()
    with contextlib.suppress(Exception):
        if closing or current_body is None:
            connection.shutdown(socket.SHUT_WR)
        paused, paused_at = connection.received, time.monotonic()
        while connection.received < end and _dropped(connection, current_body, until):
            now = time.monotonic()
            if now > until:
                break
            if connection.received - paused >= PIECE or now - paused_at > LINGER_PAUSE:
                gevent.sleep(LINGER_PAUSE)
                paused, paused_at = connection.received, time.monotonic()
    return current_body is not None and current_body.complete and not closing


def _dropped(connection: ClientConnection, body: RequestBody | None, until: float) -> int:
    """Returns the number of bytes that were read and dropped; 0 at the end."""
    if body is not None:
        return len(body.read_by(PIECE, until))
    try:
        connection.read_until = until
        return len(connection.recv(PIECE))
    finally:
        connection.read_until = None
