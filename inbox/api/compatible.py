"""What the compatible formats share: bodies read before the key is known, and errors in the shape of a maker.

Specification 19.8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from flask import Response, request

from inbox.api.bodies import Body, refuse_compressed
from inbox.api.body_limits import ANONYMOUS_ROOM, anonymous_room
from inbox.api.ingest import BODY_SECONDS, problem_reply
from inbox.api.requests import request_id
from inbox.domain.refusals import RateLimited, Unavailable

BASIC = 'Basic realm="Incident Inbox", charset="UTF-8"'

OURS = ("code", "detail", "requestId")
"""The members of a problem that are added to those of the maker."""

Shape = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""The members of an error of a maker, from those of a problem."""


def read_body(cap: int) -> bytes:
    """The body of a request that has its key in the body. It takes room among those without a credential."""
    refuse_compressed(request.environ)
    with Body(request.environ, cap=cap, seconds=BODY_SECONDS) as body:
        return body.finish(anonymous_room, ANONYMOUS_ROOM)


def answered(receive: Callable[[], Response], *, takes_key: bool = True) -> Response:
    """The answer of a tool that repeats what was answered 503: a sender that is too fast gets that instead of 429.

    A 401 asks for `Basic` where a key is taken (`takes_key`).
    """
    try:
        return receive()
    except RateLimited as limited:
        fault: Exception = Unavailable(limited.detail, retry_after=limited.retry_after)
    except Exception as other:  # noqa: BLE001 - every failure is an answer
        fault = other
    reply = problem_reply(fault, request_id(request.environ))
    answer = Response(reply.body, reply.status, reply.headers)
    if reply.status == 401 and takes_key:
        # Before the other scheme: SNS sends the key of its address only after this challenge with a `realm`.
        answer.headers.setlist("WWW-Authenticate", [BASIC, *answer.headers.getlist("WWW-Authenticate")])
    return answer


def refused(fault: Exception, shape: Shape) -> Response:
    """The answer to a fault, with the status and the headers of a problem and in the shape of a maker."""
    reply = problem_reply(fault, request_id(request.environ))
    problem = orjson.loads(reply.body)
    document = {**shape(problem), **{name: problem[name] for name in OURS}}
    headers = [(name, value) for name, value in reply.headers if name not in ("Content-Length", "Content-Type")]
    return Response(orjson.dumps(document), reply.status, headers, mimetype="application/json")
