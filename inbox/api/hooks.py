"""Webhooks of tools: each payload becomes events of the source of the key (specification 19.5)."""

from __future__ import annotations

import base64
import binascii
from typing import Any

import orjson
from flask import Response, request

from inbox.api import sender_bodies
from inbox.api.blueprint import Blueprint
from inbox.api.connections import borrowed
from inbox.api.ingest import INCOMPLETE_KEY, problem_reply, read_body, submit
from inbox.api.requests import request_id
from inbox.api.schemas.hooks import HookAccepted
from inbox.domain import keys
from inbox.domain.events import BATCH_LIMIT
from inbox.domain.keys import KeyKind, SenderKeyKind
from inbox.domain.refusals import NotFound, RateLimited, Unauthenticated, Unavailable, ValidationFailed
from inbox.intake import registry
from inbox.intake.base import Event, Payload, Result, Tool, WrongPayload
from inbox.models import sender_sources

NO_KEY = (
    "No source key was sent. Send `Authorization: Bearer svc_src_…`, or the key as the password of Basic authorization."
)

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
    key_digest = _key_digest()
    tool = registry.find(name)
    if tool is None:
        raise NotFound(f"No tool has this name. Tools: {', '.join(registry.TOOLS)}.")
    document = sender_bodies.document(read_body(request.environ))
    headers = {name.lower(): value for name, value in request.headers.items()}
    result = _read(tool, Payload(document, headers))
    stored = [receipt for batch in _batches(result.events) for receipt in _stored(key_digest, batch)]
    receipts = [{**receipt, "index": index} for index, receipt in enumerate(stored)]
    answer = {
        "events": receipts,
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


def _batches(events: list[Event]) -> list[list[Event]]:
    """The events in batches that ingest accepts. A tool may send more at once than a batch holds."""
    return [events[first : first + BATCH_LIMIT] for first in range(0, len(events), BATCH_LIMIT)]


def _stored(key_digest: str, batch: list[Event]) -> list[dict[str, Any]]:
    accepted = submit(request.environ, key_digest, orjson.dumps({"events": batch}), None)
    receipts: list[dict[str, Any]] = orjson.loads(accepted.body)["events"]
    return receipts


def _key_digest() -> str:
    """The digest of a live source key, in hex. Raises `Unauthenticated`, before a body is read."""
    token = _token()
    if not token.startswith(KeyKind.SOURCE):
        raise Unauthenticated(NO_KEY)
    if not keys.well_formed(KeyKind.SOURCE, token):
        raise Unauthenticated(INCOMPLETE_KEY)
    with borrowed():
        source = sender_sources.of_key(keys.digest(token), SenderKeyKind.SOURCE_KEY)
    if source is None:
        raise Unauthenticated()
    return source.hash_hex


def _token() -> str:
    """The bearer token, the password of Basic authorization, or the secret token of GitLab."""
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    match scheme.lower():
        case "bearer":
            return sent.strip(" ")
        case "basic":
            return _password(sent.strip(" "))
        case _:
            return request.headers.get("X-Gitlab-Token", "")


def _password(credentials: str) -> str:
    try:
        decoded = base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""
    return decoded.partition(":")[2]
