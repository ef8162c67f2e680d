"""Plain pings in front of the framework, stored in groups: a token in the path, no query, no run id.

Specification 18.5. All other pings reach the views of `heartbeats`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

import structlog

from inbox.api.heartbeats import text_of
from inbox.api.ingest import LINES, SLOW_SECONDS, Reply, problem_and_reply
from inbox.api.requests import SAFETY, count, request_id
from inbox.domain import keys
from inbox.domain.heartbeats import pings
from inbox.domain.keys import KeyKind
from inbox.domain.refusals import Unauthenticated
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.flow.heartbeats.ping_groups import committer

log = structlog.get_logger("inbox.pings")

METHODS = ("GET", "HEAD", "POST")
ROUTES = {False: "/v1/heartbeats/<handle>", True: "/v1/heartbeats/<token>/<signal>"}
"""The patterns of the views for pings with and without a signal."""


class PlainPings:
    """Answers plain pings and lets everything else pass to the app behind it."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self.app = app

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        matched = pings.PLAIN_PATH.fullmatch(environ["PATH_INFO"])
        # A browser gets its problems as pages, from the views.
        if (
            matched is None
            or environ["REQUEST_METHOD"] not in METHODS
            or environ.get("QUERY_STRING")
            or "html" in environ.get("HTTP_ACCEPT", "")
        ):
            return self.app(environ, start_response)
        started = time.monotonic()
        reply = _respond(environ, matched[1], matched[2] or "")
        method, route, seconds = environ["REQUEST_METHOD"], ROUTES[bool(matched[2])], time.monotonic() - started
        count(method, route, reply.status, seconds)
        if reply.status != 200 or seconds > SLOW_SECONDS:
            ms, rid = round(seconds * 1000, 1), request_id(environ)
            log.info("request", method=method, route=route, status=reply.status, ms=ms, request_id=rid)
        start_response(LINES[reply.status], reply.headers)
        return [] if method == "HEAD" else [reply.body]


def _respond(environ: dict[str, Any], token: str, signal: str) -> Reply:
    """The answer; raises nothing."""
    rid = request_id(environ)
    try:
        _receive(environ, token, signal)
    except Exception as fault:  # noqa: BLE001 - the outermost frame: every failure is an answer, none is an HTML page
        return problem_and_reply(fault, rid)[1]
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", "2"),
        ("Ping-Body-Limit", str(pings.BODY_BYTES)),
        ("X-Request-Id", rid),
        *SAFETY,
    ]
    return Reply(200, headers, b"OK")


def _receive(environ: dict[str, Any], token: str, signal: str) -> None:
    if not keys.well_formed(KeyKind.HEARTBEAT, token):
        raise Unauthenticated()
    kind, exit_code = pings.of_signal(signal)
    agent = pings.short_agent(environ.get("HTTP_USER_AGENT", ""))
    text = pings.stored_text(text_of(environ))
    received = ReceivedPing(kind, exit_code, None, environ["REQUEST_METHOD"], agent, text)
    committer().submit(keys.digest(token), received, datetime.now(UTC))
