"""Receives webhooks of tools before Flask: `POST`, a tool in the path, and no query.

Specification 19.5. All other webhooks reach the views of `hooks`.
"""

from __future__ import annotations

import re
from typing import Any

import structlog

from inbox.api.http.requests import answer_headers, request_id
from inbox.api.senders import compatible, hooks
from inbox.api.senders.ingest import Front, Reply
from inbox.domain.senders.tool_webhooks import PLAIN_PATH
from inbox.runtime import work_budget

log = structlog.get_logger("inbox.hooks")

ROUTE = "/v1/hooks/<tool>"
"""The pattern of the view."""


class PlainHooks(Front[re.Match[str]]):
    """Answers webhooks of tools."""

    log = log

    def find(self, environ: dict[str, Any]) -> tuple[str, re.Match[str]] | None:
        matched = PLAIN_PATH.fullmatch(environ["PATH_INFO"])
        if matched is None or environ["REQUEST_METHOD"] != "POST" or environ.get("QUERY_STRING"):
            return None
        return ROUTE, matched

    def respond(self, environ: dict[str, Any], matched: re.Match[str]) -> Reply:
        rid = request_id(environ)
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=rid)
        work_budget.begin()
        try:
            body = hooks.received(environ, matched["tool"])
        except Exception as fault:  # noqa: BLE001 - the outermost frame: every failure is an answer, none is an HTML page
            return compatible.refusal(environ, fault)
        finally:
            work_budget.end()
        return Reply(202, answer_headers("application/json", body, rid), body)
