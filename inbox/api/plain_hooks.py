"""Webhooks of tools in front of the framework: `POST`, a tool in the path, and no query.

Specification 19.5. All other webhooks reach the views of `hooks`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import structlog

from inbox import work_budget
from inbox.api import compatible, hooks
from inbox.api.ingest import LINES, SLOW_SECONDS, Reply
from inbox.api.requests import answer_headers, count, request_id
from inbox.domain.tool_webhooks import PLAIN_PATH

log = structlog.get_logger("inbox.hooks")

ROUTE = "/v1/hooks/<tool>"
"""The pattern of the view."""


class PlainHooks:
    """Answers webhooks of tools and lets everything else pass to the app behind it."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self.app = app

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        matched = PLAIN_PATH.fullmatch(environ["PATH_INFO"])
        if matched is None or environ["REQUEST_METHOD"] != "POST" or environ.get("QUERY_STRING"):
            return self.app(environ, start_response)
        started, rid = time.monotonic(), request_id(environ)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=rid)
        reply = _respond(environ, matched["tool"], rid)
        seconds = time.monotonic() - started
        count("POST", ROUTE, reply.status, seconds)
        if reply.status != 202 or seconds > SLOW_SECONDS:
            log.info("request", method="POST", route=ROUTE, status=reply.status, ms=round(seconds * 1000, 1))
        start_response(LINES[reply.status], reply.headers)
        return [reply.body]


def _respond(environ: dict[str, Any], tool: str, rid: str) -> Reply:
    """The answer; raises nothing."""
    work_budget.begin()
    try:
        body = hooks.received(environ, tool)
    except Exception as fault:  # noqa: BLE001 - the outermost frame: every failure is an answer, none is an HTML page
        return compatible.refusal(environ, fault)
    finally:
        work_budget.end()
    return Reply(202, answer_headers("application/json", body, rid), body)
