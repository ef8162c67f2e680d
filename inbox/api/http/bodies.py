"""Reads request bodies within their cap, in time, and within the memory of the process (decision 0008)."""

from __future__ import annotations

import _thread
import time
from typing import Any, Self

from inbox.domain.values.refusals import BadRequest, PayloadTooLarge, RequestTimedOut, Unavailable, UnsupportedMediaType

CHUNK = 64 * 1024

BEGINNING = 8 * 1024
"""The bytes of a body that are read before its sender is known.

They take no room, because connections are limited, too.
"""

GRACE_SECONDS = 2.0
LEAST_BYTES_PER_SECOND = 1024
"""The least speed of a body. A slower one is refused, `GRACE_SECONDS` after its reading began."""


class ByteBudget:
    """The bytes of bodies that this process holds at the moment."""

    def __init__(self) -> None:
        self._used = 0
        self._lock = _thread.allocate_lock()

    def reserve(self, size: int, most: int, *, held: int = 0) -> None:
        """Reserves bytes. Raises `Unavailable` beyond `most`. A single body (`held` so far) always has room."""
        with self._lock:
            if self._used > held and self._used + size > most:
                raise Unavailable("Too many requests are being read at the moment.", retry_after=1)
            self._used += size

    def release(self, size: int) -> None:
        """Releases bytes of a body."""
        with self._lock:
            self._used -= size


class Body:
    """The body of one request. Call `begin`, identify the sender unless that read everything, then call `finish`.

    The `with` block releases the room. Raises `PayloadTooLarge`, `RequestTimedOut`, `Unavailable` without room, and
    `BadRequest` for a body that is cut off. The cap is counted while reading, so that a chunked body is refused like
    one that announces its length.
    """

    __slots__ = ("_cap", "_input", "_length", "_received", "_reserved", "_room", "_seconds")

    def __init__(self, environ: dict[str, Any], *, cap: int, seconds: float) -> None:
        self._input = environ["wsgi.input"]
        self._length = _length(environ)
        self._cap = cap
        self._seconds = seconds
        self._reserved = bytearray()
        self._room: ByteBudget | None = None
        self._received = 0
        if self._length is not None and self._length > cap:
            raise self._too_large()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._room is not None:
            self._room.release(self._received)
            self._room, self._received = None, 0

    def begin(self) -> bool:
        """Reads a small body. Returns whether all of it is read now. Nothing is read of a body that announces more."""
        if self._length is not None and self._length > BEGINNING:
            return False
        return self._read_up_to(BEGINNING)

    def finish(self, room: ByteBudget, most: int) -> bytes:
        """Returns the whole body. The part after the beginning takes `room` as it arrives, at most `most`."""
        self._room = room
        while not self._read_up_to(self._cap + 1, most):
            if len(self._reserved) > self._cap:
                raise self._too_large()
        return bytes(self._reserved)

    def read_start(self, size: int) -> bytes:
        """Returns the first bytes of the body, at most `size`. The server drops the rest."""
        self._read_up_to(size if self._length is None else min(size, self._length))
        return bytes(self._reserved)

    def _read_up_to(self, limit: int, most: int = 0) -> bool:
        """Reads until `limit` bytes are held. Returns whether the body has ended."""
        began, come = time.monotonic(), 0
        limit = limit if self._length is None else min(limit, self._length)
        while len(self._reserved) < limit:
            until = began + min(self._seconds, max(GRACE_SECONDS, come / LEAST_BYTES_PER_SECOND))
            part = self._part(min(CHUNK, limit - len(self._reserved)), until)
            if not part:
                break
            come += len(part)
            if self._room is not None:
                self._room.reserve(len(part), most, held=self._received)
                self._received += len(part)
            self._reserved += part
        if self._length is None:
            return len(self._reserved) < limit
        if len(self._reserved) < limit:
            raise BadRequest("The body is shorter than its Content-Length.")
        return limit == self._length

    def _part(self, size: int, until: float) -> bytes:
        # Only our web processes have a time limit for reading. A test or a development server waits for the whole body.
        read_by = getattr(self._input, "read_by", None)
        try:
            part: bytes = self._input.read(size) if read_by is None else read_by(size, until)
        except TimeoutError:
            raise RequestTimedOut() from None
        except Exception:  # noqa: BLE001 - each server has errors of its own for a body that is cut off or badly chunked
            raise BadRequest("The body could not be read to its end.") from None
        return part

    def _too_large(self) -> PayloadTooLarge:
        refused = PayloadTooLarge(f"The body may have at most {self._cap} bytes.")
        refused.limit = self._cap
        return refused


def refuse_compressed(environ: dict[str, Any]) -> None:
    """Raises `UnsupportedMediaType` for any encoding of the body.

    Its content type does not matter, because senders authenticate with a key.
    """
    if environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in ("identity", ""):
        raise UnsupportedMediaType("Send the body uncompressed.")
    if environ.get("HTTP_TRANSFER_ENCODING", "chunked").strip().lower() != "chunked":
        raise UnsupportedMediaType("Send the body uncompressed.")


def _length(environ: dict[str, Any]) -> int | None:
    """Returns the announced length. None when the server finds the end of the body."""
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    announced = environ.get("CONTENT_LENGTH")
    if not announced:
        return None if environ.get("wsgi.input_terminated") else 0
    if not announced.isascii() or not announced.isdigit():
        raise BadRequest("Content-Length is not a number.")
    return int(announced)
