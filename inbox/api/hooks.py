"""Webhooks of tools: each payload becomes events of the source of the key (specification 19.5)."""

from __future__ import annotations

import orjson
from flask import Response, request

from inbox.api import sender_bodies, source_requests
from inbox.api.blueprint import Blueprint
from inbox.api.ingest import problem_reply, read_body
from inbox.api.requests import request_id
from inbox.api.schemas.hooks import HookAccepted
from inbox.domain.refusals import NotFound, RateLimited, Unavailable, ValidationFailed
from inbox.intake import registry
from inbox.intake.base import Payload, Result, Tool, WrongPayload

blp = Blueprint("hooks", __name__, url_prefix="/v1/hooks", description="Webhooks of monitoring tools.")

EXAMPLE = {
    "version": "4",
    "alerts": [
        {
            "status": "firing",
            "labels": {"alertname": "DiskFull", "instance": "db2:9100", "severity": "critical"},
            "annotations": {"summary": "db2 has 3 % free"},
            "startsAt": "2026-11-22T12:34:12.666Z",
            "fingerprint": "db73c85864f826bb",
        }
    ],
}
_BODY = {
    "required": True,
    "description": "The payload of the tool, JSON or a form, under any content type. At most 2 MiB, uncompressed.",
    "content": {"application/json": {"schema": {"type": ["object", "array"]}, "example": EXAMPLE}},
}


@blp.route("/<tool>", methods=["POST"], endpoint="receive")
@blp.doc(requestBody=_BODY)
@blp.response(202, HookAccepted)
@blp.refuses("bad_request", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def receive(tool: str) -> Response:
    """Receive the webhook of a tool

    The events of the payload are stored before the answer. An item that cannot be read is in `faults` and drops no other one.
    Where senders are too fast, the answer is 503 with `Retry-After`, since tools repeat it.
    """
    try:
        return _received(tool)
    except RateLimited as limited:
        fault: Exception = Unavailable(limited.detail, retry_after=limited.retry_after)
    except Exception as other:  # noqa: BLE001 - every failure is an answer
        fault = other
    reply = problem_reply(fault, request_id(request.environ))
    return Response(reply.body, reply.status, reply.headers)


def _received(name: str) -> Response:
    source = source_requests.source_of(_sent_key())
    tool = registry.find(name)
    if tool is None:
        raise NotFound(f"No tool has this name. Tools: {', '.join(registry.TOOLS)}.")
    document = sender_bodies.document(read_body(request.environ))
    headers = {name.lower(): value for name, value in request.headers.items()}
    result = _read(tool, Payload(document, headers))
    answer = {
        "events": source_requests.store(source, result.events),
        "faults": [{"pointer": each.pointer, "detail": each.detail} for each in result.faults],
    }
    return Response(orjson.dumps(answer), 202, mimetype="application/json")


def _read(tool: Tool, payload: Payload) -> Result:
    try:
        return tool.events(payload)
    except WrongPayload as wrong:
        raise ValidationFailed(
            f"The body is no payload of {tool.label}; nothing was stored.", errors=wrong.faults
        ) from None


def _sent_key() -> str:
    """The bearer token, the password of Basic authorization, or the secret token of GitLab."""
    return source_requests.sent_key() or request.headers.get("X-Gitlab-Token", "")
