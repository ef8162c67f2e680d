"""Adds to every request an id, a log line with the route's pattern, and headers that protect browsers."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import MutableMapping
from functools import cache
from typing import Any

import structlog
from flask import Flask, Response, g, request

from inbox.api.http.policy import find_entry
from inbox.config import settings
from inbox.domain.values.redaction import redact
from inbox.runtime import metrics, work_budget
from inbox.services.records import audit

log = structlog.get_logger("inbox.requests")

SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")
KEY = "inbox.request_id"

SAFETY = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
)
"""The headers of every answer, unless the answer sets them itself."""

SAFETY_OVER_HTTPS = (*SAFETY, ("Strict-Transport-Security", "max-age=31536000"))


def request_id(environ: MutableMapping[str, Any]) -> str:
    """Returns this request's id, the same at each call.

    It is the caller's `X-Request-Id` when that is harmless and no key, else a new one.
    """
    request_id = environ.get(KEY)
    if request_id is None:
        sent = environ.get("HTTP_X_REQUEST_ID", "")
        request_id = environ[KEY] = sent if SAFE_ID.fullmatch(sent) and redact(sent) == sent else secrets.token_hex(16)
    return str(request_id)


def safety_headers() -> tuple[tuple[str, str], ...]:
    """Returns the headers that protect browsers, for this instance."""
    return SAFETY_OVER_HTTPS if settings.current().is_https else SAFETY


def answer_headers(content_type: str, body: bytes, request_id: str) -> list[tuple[str, str]]:
    """Returns the headers of an answer outside Flask."""
    return [
        ("Content-Type", content_type),
        ("Content-Length", str(len(body))),
        ("X-Request-Id", request_id),
        *safety_headers(),
    ]


def install(app: Flask) -> None:
    """Installs request ids, log lines and safety headers. Call it before anything else is installed."""
    app.before_request(_begin)
    app.after_request(_finish)
    app.teardown_request(_end)


def _begin() -> None:
    g.started = time.perf_counter()
    work_budget.begin()
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request_id=request_id(request.environ))
    audit.begin_request(request_id(request.environ), request.remote_addr or "")


def _finish(response: Response) -> Response:
    response.headers["X-Request-Id"] = request_id(request.environ)
    for name, value in safety_headers():
        response.headers.setdefault(name, value)
    pattern = request.url_rule.rule if request.url_rule is not None else "unmatched"
    started = g.get("started", time.perf_counter())
    count(request.method, pattern, response.status_code, time.perf_counter() - started)
    here = find_entry()
    write = log.debug if here is not None and here.quiet and response.status_code < 400 else log.info
    write(
        "request",
        method=request.method if request.method in METHODS else "other",
        route=pattern,
        status=response.status_code,
        ms=round((time.perf_counter() - started) * 1000, 1),
    )
    return response


def count(method: str, route: str, status: int, seconds: float) -> None:
    """Counts a request in the metrics, by the pattern of its route and never by its path."""
    requests, durations = _children(method if method in METHODS else "other", route, status)
    requests.inc()
    durations.observe(seconds)


@cache
def _children(method: str, route: str, status: int) -> tuple[Any, Any]:
    return metrics.HTTP_REQUESTS.labels(method, route, status), metrics.HTTP_SECONDS.labels(method, route)


def _end(_: BaseException | None) -> None:
    audit.end_request()
    work_budget.end()


METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"})
