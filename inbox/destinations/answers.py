"""An HTTP answer, read by the letter of HTTP/1.1 and no further than is wanted, whatever the receiver sends."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

BODY_BYTES = 64 * 1024
"""What is kept of a body; the rest stays out."""

HEAD_BYTES = 64 * 1024
ANSWER_BYTES = 192 * 1024
"""What is taken off the wire at most in one call, heads and interim answers included."""

SWITCHING = 101
BODILESS = frozenset({SWITCHING, 204, 304})

_STATUS = re.compile(rb"HTTP/1\.([0-9]) ([1-9][0-9]{2})(?: [^\n]*)?\r?\n")
_HEAD_ENDS = re.compile(rb"\n\r?\n")
_LENGTH = re.compile(r"[0-9]{1,18}")
_CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")


class BadAnswer(Exception):
    """What comes is not HTTP, or too much of it."""


class Lost(OSError):
    """The connection ended before the head of the answer was whole."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer; names of `headers` are in lower case. `is_whole`: nothing is left of it on the wire, and both sides may
    go on with another request."""

    status: int
    headers: dict[str, str]
    body: bytes
    is_whole: bool


class Reading:
    """One answer, from a `receive` that gives the next bytes, none at the end, and raises `OSError` (`TimeoutError`)."""

    def __init__(self, receive: Callable[[], bytes]) -> None:
        self._receive = receive
        self._taken = 0
        self._waiting = bytearray()
        self._body = bytearray()

    def answer(self) -> Heard:
        """Raises `BadAnswer`, `Lost` or what `receive` raises as long as the head is not whole; then its status counts,
        however its body ends."""
        status, minor, headers = self._head()
        while 100 <= status < 200 and status != SWITCHING:
            status, minor, headers = self._head()
        try:
            is_whole = self._read_body(status, headers) and not self._waiting
        except (OSError, BadAnswer):
            is_whole = False
        asked = headers.get("connection", "").lower()
        is_kept = "keep-alive" in asked if minor == 0 else "close" not in asked
        return Heard(status, headers, bytes(self._body[:BODY_BYTES]), is_whole and is_kept and status != SWITCHING)

    def _more(self) -> bool:
        piece = self._receive()
        self._taken += len(piece)
        if self._taken > ANSWER_BYTES:
            raise BadAnswer("more than is read")
        self._waiting += piece
        return bool(piece)

    def _head(self) -> tuple[int, int, dict[str, str]]:
        """Status, minor version and headers of the next answer, be it an interim one."""
        looked = 0
        while (end := _HEAD_ENDS.search(self._waiting, max(0, looked - 2))) is None:
            looked = len(self._waiting)
            if b"\n" in self._waiting and not _STATUS.match(self._waiting):
                raise BadAnswer("no status line")
            if looked > HEAD_BYTES:
                raise BadAnswer("a head without end")
            if not self._more():
                if b"HTTP/".startswith(self._waiting[:5]):
                    raise Lost("the connection ended")
                raise BadAnswer("no status line")
        begin = _STATUS.match(self._waiting)
        if begin is None:
            raise BadAnswer("no status line")
        minor, status = int(begin[1]), int(begin[2])
        headers = _headers(self._waiting[begin.end() : end.start()].decode("latin-1"))
        del self._waiting[: end.end()]
        return status, minor, headers

    def _read_body(self, status: int, headers: dict[str, str]) -> bool:
        """Read it; whether that was all."""
        if status in BODILESS:
            return True
        if "transfer-encoding" in headers:
            is_plain = headers["transfer-encoding"].lower() == "chunked" and "content-length" not in headers
            return self._read_chunks() and is_plain
        if _LENGTH.fullmatch(headers.get("content-length", "")):
            return self._read_some(int(headers["content-length"]))
        self._read_some(BODY_BYTES)
        return False

    def _read_some(self, length: int) -> bool:
        """As much of the next `length` bytes as the body has room for; whether that was all of them."""
        wanted = min(length, BODY_BYTES - len(self._body))
        while wanted > 0:
            if not self._waiting and not self._more():
                return False
            taken = self._waiting[:wanted]
            del self._waiting[:wanted]
            self._body += taken
            wanted -= len(taken)
            length -= len(taken)
        return length == 0

    def _read_chunks(self) -> bool:
        while size := self._chunk_size():
            if not self._read_some(size):
                return False
            if self._line():
                raise BadAnswer("a chunk is longer than it said")
        while self._line():
            pass
        return True

    def _chunk_size(self) -> int:
        said = _CHUNK_SIZE.fullmatch(self._line())
        if said is None:
            raise BadAnswer("no size of a chunk")
        return int(said[1], 16)

    def _line(self) -> bytes:
        while (end := self._waiting.find(b"\n")) < 0:
            if not self._more():
                raise Lost("the connection ended")
        line = bytes(self._waiting[:end])
        del self._waiting[: end + 1]
        return line.removesuffix(b"\r")


def _headers(text: str) -> dict[str, str]:
    """Values of one name are joined by commas; lines that are no header are passed over."""
    headers: dict[str, str] = {}
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        if colon and name and not name[0].isspace():
            name, value = name.rstrip().lower(), value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
