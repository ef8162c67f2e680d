"""Plain requests: usual forms of events, webhooks and pings, which a web process answers with one send.

One allow-list covers every byte of the head. Everything else is left to gunicorn, byte for byte (decision 0007).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gunicorn import SERVER, util

from inbox.domain.heartbeats import pings
from inbox.domain.senders import tool_webhooks
from ops.client_connection import ClientConnection, RequestBody

READ = 8 * 1024
"""The most bytes of the first read, as gunicorn reads. A head that does not end in them is not plain."""

PATH = "/v1/events/?"
"""The pattern of the path of events. Senders may add a slash."""
PINGS = "/v1/heartbeats/"
"""The beginning of the path of a ping."""

LARGEST = 2 * 1024 * 1024
"""The most bytes of a plain body of events or of a webhook."""

LONGEST_TEXT = 8 * 1024
"""The most bytes of the text of a ping."""

_HEAD = re.compile(
    rb"(GET|HEAD|POST) ("
    + f"{PATH}|{tool_webhooks.PLAIN_PATH.pattern}|{pings.PLAIN_PATH.pattern}".encode()
    + rb") HTTP/1\.1\r\n"
    rb"(?P<fields>(?:[A-Za-z-]{2,20}: [\x21-\x7e][\x20-\x7e]{0,1023}\r\n){1,24})\r\n"
)
"""A request line, and up to 24 fields of printable ASCII. The names are checked against `FIELDS`."""

_TEXT = re.compile(r".*[^ ]")
FIELDS: Mapping[str, tuple[str, re.Pattern[str]]] = {
    "host": ("HTTP_HOST", re.compile(r"[A-Za-z0-9._:\[\]-]+")),
    "content-length": ("CONTENT_LENGTH", re.compile(r"0|[1-9][0-9]{0,6}")),
    "connection": ("HTTP_CONNECTION", re.compile(r"(?i:keep-alive)")),
    **{
        name: ("HTTP_" + name.upper().replace("-", "_"), _TEXT)
        for name in (
            "accept",
            "accept-encoding",
            "accept-language",
            "authorization",
            "idempotency-key",
            "traceparent",
            "tracestate",
            "user-agent",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-port",
            "x-forwarded-proto",
            "x-forwarded-server",
            "x-real-ip",
            "x-request-id",
        )
    },
    "content-type": ("CONTENT_TYPE", _TEXT),
}
"""The fields that a plain head may have, each once: its key in the environment of WSGI, and its values.

None of them changes where the request ends or what becomes of the connection, except `Content-Length`.
"""

WSGIApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class PlainBody(RequestBody):
    """The body of a plain request. `begun` came with the head; the rest is read from the connection, and nothing beyond."""

    def __init__(self, connection: ClientConnection, begun: bytes, length: int) -> None:
        self._connection = connection
        self._begun = begun
        self._left = length
        self.failed = False

    @property
    def complete(self) -> bool:
        return not self._left and not self.failed

    def _piece(self, size: int) -> bytes:
        want = min(size, self._left)
        if not want:
            return b""
        if self._begun:
            piece, self._begun = self._begun[:want], self._begun[want:]
        else:
            piece = self._connection.recv(want)
        if not piece:
            self._left, self.failed = 0, True
        self._left -= len(piece)
        return piece


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """A request whose head was read: its environment of WSGI, and its body."""

    environ: dict[str, Any]
    body: PlainBody


def read(connection: ClientConnection) -> PlainRequest | None:
    """Returns the next request, if it is plain. Otherwise puts the read bytes back into the connection.

    A request with another one behind it is not plain: gunicorn knows how to read pipelines.
    """
    data = connection.recv(READ)
    matched = _HEAD.match(data)
    environ = None if matched is None else environment(*map(_text, matched.group(1, 2, "fields")))
    if matched is not None and environ is not None:
        begun, length = data[matched.end() :], int(environ.get("CONTENT_LENGTH", 0))
        if len(begun) <= length:
            body = PlainBody(connection, begun, length)
            environ["wsgi.input"] = body
            environ["REMOTE_ADDR"] = connection.peer
            return PlainRequest(environ, body)
    connection.put_back(data)
    return None


def environment(method: str, path: str, fields: str) -> dict[str, Any] | None:
    """Returns the WSGI environment of this head; None for an unknown, repeated, missing, or unusual field."""
    environ: dict[str, Any] = {"REQUEST_METHOD": method, "PATH_INFO": path}
    for line in fields.split("\r\n")[:-1]:
        name, _, value = line.partition(": ")
        key, values = FIELDS.get(name.lower(), ("", _TEXT))
        if not key or key in environ or values.fullmatch(value) is None:
            return None
        environ[key] = value
    is_usual = _is_ping if path.startswith(PINGS) else _has_events
    return environ if "HTTP_HOST" in environ and is_usual(method, environ) else None


def _has_events(method: str, environ: Mapping[str, Any]) -> bool:
    length = environ.get("CONTENT_LENGTH")
    return method == "POST" and length is not None and int(length) <= LARGEST and "HTTP_AUTHORIZATION" in environ


def _is_ping(method: str, environ: Mapping[str, Any]) -> bool:
    """Returns whether it is a plain ping. Browsers get problems as pages, which need Flask."""
    longest = LONGEST_TEXT if method == "POST" else 0
    return int(environ.get("CONTENT_LENGTH", 0)) <= longest and "html" not in environ.get("HTTP_ACCEPT", "")


def _text(part: bytes) -> str:
    return part.decode("ascii")


def answer(app: WSGIApp, request: PlainRequest, *, closing: bool) -> bytes:
    """Returns the app's answer in the bytes that gunicorn would write."""
    began: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], _fault: object = None) -> None:
        began[:] = (status, headers)

    body = b"".join(app(request.environ, start_response))
    status, headers = began
    ending = "close" if closing else "keep-alive"
    fields = "".join([f"{name}: {value}\r\n" for name, value in headers])
    head = f"HTTP/1.1 {status}\r\nServer: {SERVER}\r\nDate: {_date(int(time.time()))}\r\nConnection: {ending}\r\n"
    return f"{head}{fields}\r\n".encode("latin-1") + body


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    return str(util.http_date(second))
