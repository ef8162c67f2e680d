"""Stores plain pings in groups, before Flask.

The path has a token, or a ping key and a slug, and no run id. Specification 18.5. All other pings reach the views of
`heartbeats`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import Any

import structlog

from inbox.api.heartbeats import slug_pings
from inbox.api.heartbeats.pings import received_ping
from inbox.api.heartbeats.slug_pings import CREATING
from inbox.api.http.requests import answer_headers, request_id
from inbox.api.senders.ingest import Front, Reply, problem_and_reply
from inbox.domain.heartbeats import pings
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.heartbeats.ping_groups import committer
from inbox.services.records import audit

log = structlog.get_logger("inbox.pings")

METHODS = ("GET", "HEAD", "POST")
ROUTES = ("/v1/heartbeats/<handle>", "/v1/heartbeats/<token>/<signal>", "/v1/heartbeats/<key>/<slug>/<signal>")
"""The patterns of the views, by the number of segments after the first one."""


class PlainPings(Front[re.Match[str]]):
    """Answers plain pings."""

    log = log

    def find(self, environ: dict[str, Any]) -> tuple[str, re.Match[str]] | None:
        matched = pings.PLAIN_PATH.fullmatch(environ["PATH_INFO"])
        # Browsers get problems as pages, which the views render.
        if (
            matched is None
            or environ["REQUEST_METHOD"] not in METHODS
            or environ.get("QUERY_STRING", "") not in (("", CREATING) if matched["key"] else ("",))
            or "html" in environ.get("HTTP_ACCEPT", "")
        ):
            return None
        return ROUTES[bool(matched["slug"]) + bool(matched["signal"])], matched

    def respond(self, environ: dict[str, Any], matched: re.Match[str]) -> Reply:
        rid = request_id(environ)
        try:
            created = _receive(environ, matched)
        except Exception as fault:  # noqa: BLE001 - the outermost frame: every failure is an answer, none is an HTML page
            return problem_and_reply(fault, rid)[1]
        status, text = (201, b"Created") if created else (200, b"OK")
        headers = [("Ping-Body-Limit", str(pings.BODY_BYTES)), *answer_headers("text/plain; charset=utf-8", text, rid)]
        return Reply(status, headers, text)


def _receive(environ: dict[str, Any], matched: re.Match[str]) -> bool:
    """Stores the ping. Returns whether it created its monitor."""
    token = matched["token"]
    if token is not None and not keys.well_formed(KeyKind.HEARTBEAT, token):
        raise Unauthenticated()
    address = None if token is not None else slug_pings.address_of(matched["key"], matched["slug"])
    kind, exit_code = pings.of_signal(matched["signal"] or "")
    received = received_ping(environ, kind, exit_code)
    now, client = datetime.now(UTC), (environ.get("REMOTE_ADDR", ""), received.user_agent)
    if address is None:
        committer().submit(keys.digest(token), received, now)
        return False
    store = partial(committer().submit, address, received, now, client)
    if not environ.get("QUERY_STRING") or not received.counts:
        store()
        return False
    # The audit log records the request that creates a monitor.
    audit.begin_request(request_id(environ), client[0])
    try:
        return slug_pings.receive_or_create(store, address, now)
    finally:
        audit.end_request()
