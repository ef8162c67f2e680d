"""CloudEvents over HTTP: structured, batched and binary content (specification 19.12)."""

from __future__ import annotations

import orjson
from flask import Response, request

from inbox.api import sender_bodies, source_requests
from inbox.api.blueprint import Blueprint
from inbox.api.ingest import problem_reply, read_body
from inbox.api.requests import request_id
from inbox.api.schemas.compatible import CLOUD_EVENT
from inbox.api.schemas.hooks import HookAccepted
from inbox.domain.refusals import BadRequest, UnsupportedMediaType, ValidationFailed
from inbox.intake import cloudevents
from inbox.intake.base import Node, OddItem

NOTHING_STORED = "The request has no CloudEvent that can be read; nothing was stored."
NO_MODE = "Send JSON as `application/cloudevents+json` or `application/cloudevents-batch+json`, or attributes as `ce-` headers."

blp = Blueprint("cloudevents", __name__, url_prefix="/v1/compat/cloudevents", description="CloudEvents over HTTP.")

_BODY = {
    "required": True,
    "description": "A CloudEvent, a batch of them, or the data of one whose attributes are `ce-` headers. At most 2 MiB, uncompressed.",
    "content": {
        "application/json": {"schema": CLOUD_EVENT},
        "application/cloudevents+json": {"schema": CLOUD_EVENT},
        "application/cloudevents-batch+json": {"schema": {"type": "array", "items": CLOUD_EVENT}},
    },
}


@blp.route("/", methods=["POST"], endpoint="receive")
@blp.doc(requestBody=_BODY)
@blp.response(202, HookAccepted)
@blp.refuses("bad_request", "rate_limited", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def receive() -> Response:
    """Receive CloudEvents

    Each CloudEvent becomes an event of the source of the key. The events are stored before the answer. An unreadable
    CloudEvent is listed in `faults`; the others are stored.
    """
    try:
        return _received()
    except Exception as fault:  # noqa: BLE001 - every failure is an answer
        reply = problem_reply(fault, request_id(request.environ))
        return Response(reply.body, reply.status, reply.headers)


def _received() -> Response:
    source = source_requests.source_of(source_requests.sent_key())
    try:
        documents = _documents(read_body(request.environ))
        result = cloudevents.read(documents)
    except OddItem as odd:
        raise ValidationFailed(NOTHING_STORED, errors=[odd.fault]) from None
    if result.faults and not result.events:
        raise ValidationFailed(NOTHING_STORED, errors=result.faults)
    answer = {
        "events": source_requests.store(source, result.events),
        "faults": [{"pointer": each.pointer, "detail": each.detail} for each in result.faults],
    }
    return Response(orjson.dumps(answer), 202, mimetype="application/json")


def _documents(body: bytes) -> list[Node]:
    """The CloudEvents of the body, by the content mode that the headers name."""
    content_type = request.headers.get("Content-Type", "").strip().lower()
    if content_type.startswith(cloudevents.BATCHED):
        return cloudevents.documents(sender_bodies.large_json(body), batched=True)
    if content_type.startswith(cloudevents.STRUCTURED):
        return cloudevents.documents(sender_bodies.json(body), batched=False)
    headers = {name.lower(): value for name, value in request.headers.items()}
    if f"{cloudevents.PREFIX}specversion" in headers:
        return [cloudevents.of_headers(headers, _data(body, content_type))]
    if not cloudevents.is_json(content_type):
        raise UnsupportedMediaType(NO_MODE)
    document = sender_bodies.large_json(body)
    return cloudevents.documents(document, batched=isinstance(document, list))


def _data(body: bytes, content_type: str) -> object:
    """The data of binary content: parsed JSON, a text, or bytes."""
    if not body:
        return None
    if cloudevents.is_json(content_type):
        return sender_bodies.json(body)
    if not cloudevents.is_text(content_type):
        return body
    try:
        return body.decode()
    except UnicodeDecodeError as wrong:
        raise BadRequest(f"The body is not UTF-8 text at byte {wrong.start + 1}.") from None
