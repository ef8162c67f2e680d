"""Reading a body ourselves: never more than the cap, never longer than the deadline, never too many at once."""

from __future__ import annotations

import _thread
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Self

from gevent import Timeout, monkey

from inbox.domain.refusals import BadRequest, PayloadTooLarge, RequestTimedOut, Unavailable, UnsupportedMediaType

CHUNK = 64 * 1024


class Room:
    """How many bytes of bodies this process holds at the moment."""

    def __init__(self) -> None:
        self._taken = 0
        self._lock = _thread.allocate_lock()

    def take(self, size: int, most: int) -> None:
        """Raises `Unavailable` when there would be more than `most`; a single body always has room."""
        with self._lock:
            if self._taken and self._taken + size > most:
                raise Unavailable("Too many requests are being read at the moment.", retry_after=1)
            self._taken += size

    def give(self, size: int) -> None:
        """Back, when the body is let go of."""
        with self._lock:
            self._taken -= size


class Body:
    """The body of one request, which takes room while it is held: `with Body(environ, room, most) as body`."""

    __slots__ = ("_environ", "_most", "_room", "_size")

    def __init__(self, environ: dict[str, Any], room: Room, most: int) -> None:
        self._environ = environ
        self._room = room
        self._most = most
        self._size = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._size:
            self._room.give(self._size)

    def read(self, *, cap: int, seconds: float) -> bytes:
        """All of it. The cap is counted while reading, so that a chunked body is refused like one that says its length.

        Raises `PayloadTooLarge`, `RequestTimedOut`, `BadRequest` for one that is cut off, `Unavailable` without room.
        """
        length = _length(self._environ)
        if length == 0:
            return b""
        if length is not None and length > cap:
            raise PayloadTooLarge(f"The body may have at most {cap} bytes.")
        with _deadline(seconds):
            return self._counted(cap) if length is None else self._announced(length)

    def _announced(self, length: int) -> bytes:
        self._take(length)
        body = _part(self._environ, length)
        while len(body) < length:
            part = _part(self._environ, length - len(body))
            if not part:
                raise BadRequest("The body is shorter than its Content-Length.")
            body += part
        return body

    def _counted(self, cap: int) -> bytes:
        body = bytearray()
        while part := _part(self._environ, min(CHUNK, cap + 1 - len(body))):
            self._take(len(part))
            body += part
            if len(body) > cap:
                raise PayloadTooLarge(f"The body may have at most {cap} bytes.")
        return bytes(body)

    def _take(self, size: int) -> None:
        self._room.take(size, self._most)
        self._size += size


def refuse_compressed(environ: dict[str, Any]) -> None:
    """Raises `UnsupportedMediaType` for any encoding of the body. Its content type does not matter: a sender shows a key."""
    if environ.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in ("identity", ""):
        raise UnsupportedMediaType("Send the body uncompressed.")
    if environ.get("HTTP_TRANSFER_ENCODING", "chunked").strip().lower() != "chunked":
        raise UnsupportedMediaType("Send the body uncompressed.")


def _length(environ: dict[str, Any]) -> int | None:
    """The announced length; None when the end of the body is where the server says it is."""
    if "HTTP_TRANSFER_ENCODING" in environ:
        return None
    announced = environ.get("CONTENT_LENGTH")
    if not announced:
        return None if environ.get("wsgi.input_terminated") else 0
    if not announced.isascii() or not announced.isdigit():
        raise BadRequest("Content-Length is not a number.")
    return int(announced)


def _part(environ: dict[str, Any], size: int) -> bytes:
    try:
        part: bytes = environ["wsgi.input"].read(size)
    except RequestTimedOut:
        raise
    except Exception:  # noqa: BLE001 - each server has errors of its own for a body that is cut off or badly chunked
        raise BadRequest("The body could not be read to its end.") from None
    return part


def _deadline(seconds: float) -> AbstractContextManager[Any]:
    """Without gevent (a test, a development server) nothing could interrupt the read."""
    return Timeout(seconds, RequestTimedOut) if monkey.is_module_patched("socket") else nullcontext()
