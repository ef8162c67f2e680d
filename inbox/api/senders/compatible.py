"""Shared by the compatible formats: bodies are read before the key is known.

Errors have the shape of the other service. Specification 19.8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from flask import Response, request

from inbox.api.http.bodies import Body, refuse_compressed
from inbox.api.http.body_limits import ANONYMOUS_ROOM, anonymous_room
from inbox.api.http.requests import request_id
from inbox.api.senders.ingest import BODY_SECONDS, Reply, problem_reply
from inbox.domain.values.refusals import RateLimited, Unavailable

BASIC = 'Basic realm="Incident Inbox", charset="UTF-8"'

OURS = ("code", "detail", "requestId")
"""The members of a problem that are added to the members of the maker."""

Shape = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Returns the members of an error of a maker, from the members of a problem."""


def read_body(environ: dict[str, Any], cap: int) -> bytes:
    """Returns the body of a request with its key in the body. It takes room among the bodies without a credential."""
    refuse_compressed(environ)
    with Body(environ, cap=cap, seconds=BODY_SECONDS) as body:
        return body.finish(anonymous_room, ANONYMOUS_ROOM)


def answered(receive: Callable[[], Response], *, takes_key: bool = True) -> Response:
    """Returns the answer for a tool that repeats only after 503: a rate limit gives 503 instead of 429.

    A 401 asks for `Basic` where a key is accepted (`takes_key`).
    """
    try:
        return receive()
    except Exception as fault:  # noqa: BLE001 - every failure is an answer
        reply = refusal(request.environ, fault, takes_key=takes_key)
        return Response(reply.body, reply.status, reply.headers)


def refusal(environ: dict[str, Any], fault: Exception, *, takes_key: bool = True) -> Reply:
    """Returns the answer to a fault, as `answered` describes it."""
    if isinstance(fault, RateLimited):
        fault = Unavailable(fault.detail, retry_after=fault.retry_after)
    reply = problem_reply(fault, request_id(environ))
    if reply.status == 401 and takes_key:
        # Before the other scheme: SNS sends the key in its address only after this challenge with a `realm`.
        reply.headers.insert(0, ("WWW-Authenticate", BASIC))
    return reply


def refused(fault: Exception, shape: Shape) -> Response:
    """Returns the answer to a fault, with the status and headers of a problem, in the shape of a maker."""
    reply = problem_reply(fault, request_id(request.environ))
    problem = orjson.loads(reply.body)
    document = {**shape(problem), **{name: problem[name] for name in OURS}}
    headers = [(name, value) for name, value in reply.headers if name not in ("Content-Length", "Content-Type")]
    return Response(orjson.dumps(document), reply.status, headers, mimetype="application/json")
