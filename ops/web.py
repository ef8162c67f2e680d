"""The gunicorn worker and logger of the web processes.

Requests that never reach the app get problem details, too, and no URL is logged.
"""

from __future__ import annotations

import contextlib
import json
import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from http import HTTPStatus
from typing import Any

import gevent
from gevent import monkey, socket
from gevent.local import local
from gevent.server import StreamServer
from gunicorn.glogging import Logger
from gunicorn.http import errors
from gunicorn.workers import ggevent
from gunicorn.workers.ggevent import GeventWorker

from inbox.config import settings
from ops import plain_requests
from ops.client_connection import ClientConnection, RequestBody, linger
from ops.connection_limits import ConnectionLimits, client_of, most_connections, peer_of
from ops.head_timeouts import HeadTimeouts
from ops.plain_requests import PlainRequest

REFUSED_AT_ONCE = 100
"""The connections beyond a limit that are answered at the same time. Any further one is closed without an answer."""

ACCEPTED_AT_ONCE = 20
"""The waiting connections that a turn of the loop accepts."""

IDLE_SECONDS = 180.0
"""The time that a connection waits for its next request after an answer.

It is longer than proxies keep one: nginx 60, Traefik 90, Caddy 120. Otherwise a proxy could send on a connection that
is being closed.
"""

UNTIMED = nullcontext()


class HostMissing(errors.ParseException):
    """A request of HTTP/1.1 without a `Host` header."""


class TooManyConnections(errors.ParseException):
    """A connection beyond the limit of its address, or of the process."""


UNREADABLE: tuple[tuple[type[Exception], HTTPStatus, str], ...] = (
    (errors.InvalidResponseHeader, HTTPStatus.INTERNAL_SERVER_ERROR, ""),
    (errors.InvalidResponseHeaderName, HTTPStatus.INTERNAL_SERVER_ERROR, ""),
    (errors.LimitRequestLine, HTTPStatus.REQUEST_URI_TOO_LONG, "The address of the request is too long."),
    (errors.LimitRequestHeaders, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too many or too long."),
    (errors.ExpectationFailed, HTTPStatus.EXPECTATION_FAILED, "The only supported expectation is 100-continue."),
    (errors.UnsupportedTransferCoding, HTTPStatus.NOT_IMPLEMENTED, "The only supported transfer coding is chunked."),
    (HostMissing, HTTPStatus.BAD_REQUEST, "An HTTP/1.1 request needs a Host header."),
    (TooManyConnections, HTTPStatus.TOO_MANY_REQUESTS, "Too many connections are open."),
    (errors.ConfigurationProblem, HTTPStatus.INTERNAL_SERVER_ERROR, ""),
    (errors.ParseException, HTTPStatus.BAD_REQUEST, "This is not a valid HTTP request."),
)


CODES = {
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal_error",
    HTTPStatus.REQUEST_URI_TOO_LONG: "uri_too_long",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limited",
}


RETRY = {HTTPStatus.TOO_MANY_REQUESTS: "Retry-After: 1\r\n"}


class Server(StreamServer):
    """Accepts several connections in one turn of the loop, as long as others are not delayed by it.

    gunicorn accepts one (https://github.com/benoitc/gunicorn/pull/2266). Behind 2,000 simultaneous connections a new
    sender then waits for 2,000 turns, which take a second or two in a busy process.
    """

    @property
    def max_accept(self) -> int:
        return ACCEPTED_AT_ONCE

    @max_accept.setter
    def max_accept(self, _count: int) -> None:
        """Ignores gunicorn's choice, because it is made after the server was built."""


ggevent.StreamServer = Server


class Worker(GeventWorker):
    """A gevent worker that answers an unreadable request like every other error (specification 15.1).

    Connections may wait long for their next request, and yet the worker stops at once. gunicorn's own would leave each
    to its `keepalive` (https://github.com/benoitc/gunicorn/issues/3227).
    """

    sockets: list[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._timeouts = HeadTimeouts(self.cfg.keepalive, IDLE_SECONDS)
        self._of_greenlet = local()
        chosen = settings.current()
        per_client = 0 if chosen.trusted_proxies else chosen.connections_per_address
        self._limits = ConnectionLimits(most_connections(), per_client)
        self._refused = 0
        self.count_plain: Callable[[], None] = lambda: None
        """Set when the metrics are imported, which must wait until gevent has patched the process."""
        self._reads_plain = chosen.fast_path and not _reads_before_heads(self.cfg)

    def patch(self) -> None:
        """Patches what `gunicorn.conf.py` left, because gevent warns about a second `patch_all` with other modules."""
        for replace in (monkey.patch_time, monkey.patch_os, monkey.patch_signal, monkey.patch_queue):
            replace()
        monkey.patch_subprocess()
        self.sockets = [
            socket.socket(each.FAMILY, socket.SOCK_STREAM, fileno=each.sock.detach()) for each in self.sockets
        ]

    def handle(self, listener: Any, client: Any, addr: Any) -> None:
        """Serves one connection, and closes or refuses one beyond a limit, because gunicorn would let it wait."""
        connection = ClientConnection(client, client_of(addr), self._limits.leave, peer_of(addr))
        if not self._limits.admit(connection):
            self._refuse(connection)
            return
        self._of_greenlet.connection = connection
        connection.timeouts = self._timeouts
        try:
            super().handle(listener, connection, addr)
        finally:
            self._timeouts.end(connection)
            self._limits.leave(connection)

    def handle_request(self, listener_name: Any, req: Any, sock: ClientConnection, addr: Any) -> None:
        """Answers one request whose body is read in pieces, because gunicorn would hold as much as is asked for.

        Raises `StopIteration` when no other may follow. Raises `HostMissing`, because gunicorn requires no `Host`.
        """
        if req.version >= (1, 1) and not any(name == "HOST" for name, _ in req.headers):
            raise HostMissing
        self._limits.begin_request(sock)
        body = req.body = RequestBody(req, sock)
        closing = False
        try:
            super().handle_request(listener_name, req, sock, addr)
        except StopIteration:
            closing = True
        self._end_request(sock, body, closing=closing)
        if self._reads_plain:
            sock.put_back(req.unreader.take_buffered())

    def run(self) -> None:
        """Accepts connections until the worker stops, with one sweep for the time limits of all of them."""
        gevent.spawn(self._timeouts.run)
        super().run()

    def timeout_ctx(self) -> AbstractContextManager[None]:
        """Answers plain requests, then limits gunicorn's next head by `_timeouts`.

        gunicorn's own limit includes the pause before a request, and is a timer for each connection.
        """
        connection: ClientConnection = self._of_greenlet.connection
        self._timeouts.begin(connection)
        while self._reads_plain:
            request = plain_requests.read(connection)
            if request is None:
                break
            self._answer_plain(connection, request)
            self._timeouts.begin(connection)
        return UNTIMED

    def _answer_plain(self, connection: ClientConnection, request: PlainRequest) -> None:
        self._limits.begin_request(connection)
        self.count_plain()
        self.nr += 1
        if self.nr >= self.max_requests:
            self.alive = False
        closing = not self.alive
        try:
            connection.sendall(plain_requests.answer(self.wsgi, request, closing=closing))
        except (gevent.GreenletExit, SystemExit):
            closing = True
        self._end_request(connection, request.body, closing=closing)

    def _end_request(self, connection: ClientConnection, body: RequestBody, *, closing: bool) -> None:
        """Ends a request after its answer. Raises `StopIteration` when no other may follow on the connection."""
        if not body.complete:
            self._limits.answered(connection, lingers=True)
            closing = not linger(connection, body, closing=closing)
        if closing:
            raise StopIteration
        self._limits.answered(connection, lingers=False)
        connection.answered = True

    def notify(self) -> None:
        """Ends waiting connections at a stop, because gunicorn only calls this while it waits for them."""
        super().notify()
        if not self.alive:
            self._timeouts.stop()

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Answers an error as a problem, and logs no request or text of an exception, because both contain sent data."""
        status, detail = _meaning(exc)
        request_id = secrets.token_hex(16)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.NOT_IMPLEMENTED:
            self.log.error("request %s failed outside of the app", request_id, exc_info=exc)
        else:
            self.log.warning("request %s is not HTTP: %s", request_id, type(exc).__name__)
        with contextlib.suppress(Exception):
            client.sendall(_answer(status, detail, request_id))
            self._limits.answered(client, lingers=True)
            linger(client, None, closing=True)

    def _refuse(self, connection: ClientConnection) -> None:
        """Refuses a connection and logs nothing, because an attack could flood the log."""
        if self._refused < REFUSED_AT_ONCE:
            self._refused += 1
            try:
                with contextlib.suppress(Exception):
                    connection.sendall(_answer(*_meaning(TooManyConnections()), secrets.token_hex(16)))
                    linger(connection, None, closing=True)
            finally:
                self._refused -= 1


class QuietLogger(Logger):
    """gunicorn's own records as JSON lines. There is no access log, because it would contain URLs with secrets."""

    def setup(self, cfg: Any) -> None:
        """Leaves records to the root logger, because gunicorn's handlers write plain text."""
        super().setup(cfg)
        self.error_log.handlers = []
        self.error_log.propagate = True

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Logs nothing, because `GUNICORN_CMD_ARGS` may name an access log, and the app logs requests by route."""


def _reads_before_heads(cfg: Any) -> bool:
    """Returns whether the configuration makes gunicorn read its own data at the beginning of a connection."""
    return bool(cfg.is_ssl or cfg.proxy_protocol != "off" or "h2" in cfg.http_protocols)


def _meaning(error: BaseException) -> tuple[HTTPStatus, str]:
    for kind, status, detail in UNREADABLE:
        if isinstance(error, kind):
            return status, detail
    return HTTPStatus.INTERNAL_SERVER_ERROR, ""


def _answer(status: HTTPStatus, detail: str, request_id: str) -> bytes:
    code = CODES.get(status, "bad_request")
    body = json.dumps(
        {
            "type": f"{settings.current().problems_url}/{code}",
            "title": status.phrase,
            "status": int(status),
            "detail": detail or "Something went wrong here. It has been logged under the request's id.",
            "code": code,
            "requestId": request_id,
        }
    ).encode()
    head = (
        f"HTTP/1.1 {int(status)} {status.phrase}\r\n"
        "Content-Type: application/problem+json\r\n"
        f"Content-Length: {len(body)}\r\n"
        f"X-Request-Id: {request_id}\r\n"
        "Cache-Control: no-store\r\n"
        f"{RETRY.get(status, '')}"
        "X-Content-Type-Options: nosniff\r\n"
        "Connection: close\r\n"
        "\r\n"
    )
    return head.encode("ascii") + body
