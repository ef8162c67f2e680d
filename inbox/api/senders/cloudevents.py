"""CloudEvents over HTTP: structured, batched and binary content (specification 19.12)."""

from __future__ import annotations

from typing import Any

import orjson
from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import SOURCE_KEY, EndpointPolicy
from inbox.api.http.requests import request_id
from inbox.api.senders import sender_bodies, source_requests
from inbox.api.senders.hooks import LISTED_FAULTS
from inbox.api.senders.ingest import CAP, in_utf8, problem_reply, read_body
from inbox.api.senders.schemas.compatible import CLOUD_EVENT
from inbox.api.senders.schemas.hooks import HookAccepted
from inbox.api.senders.sender_samples import SentBody, keep_read_in_part, keeping_refused, lower_headers
from inbox.api.senders.shown_refusals import showing_too_large
from inbox.domain.events.validation import BATCH_LIMIT
from inbox.domain.values.refusals import Fault, IdempotencyMismatch, UnsupportedMediaType, ValidationFailed
from inbox.intake import cloudevents
from inbox.intake.base import Node, OddItem
from inbox.intake.cloudevents import CloudResult
from inbox.models.events.sender_sources import SenderSource

NOTHING_STORED = "The request has no CloudEvent that can be read; nothing was stored."
MOST_USED_IDS = 20
"""The most CloudEvents of a request whose ids were used with other content. Beyond it the request is refused."""

NO_MODE = "Send JSON as `application/cloudevents+json` or `application/cloudevents-batch+json`, or attributes as `ce-` headers."

blp = Blueprint(
    "cloudevents", __name__, url_prefix="/v1/compat/cloudevents", description="CloudEvents over HTTP.", section="19.12"
)

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
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
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
    source = source_requests.source_of(source_requests.sent_key(request.environ))
    with showing_too_large(source, "cloudevents", request.environ):
        sent = SentBody("cloudevents", request.environ, read_body(request.environ))
    with keeping_refused(source, sent):
        result = _read(sent)
    receipts = _store(source, result)
    if result.faults:
        keep_read_in_part(source, sent, result.faults, is_stored=True)
    answer = {
        "events": receipts,
        "faults": [{"pointer": each.pointer, "detail": each.detail} for each in result.faults[:LISTED_FAULTS]],
    }
    return Response(orjson.dumps(answer), 202, mimetype="application/json")


def _read(sent: SentBody) -> CloudResult:
    try:
        result = cloudevents.read(_documents(sent))
    except OddItem as odd:
        raise ValidationFailed(NOTHING_STORED, errors=[odd.fault]) from None
    if result.faults and not result.events:
        raise ValidationFailed(NOTHING_STORED, errors=result.faults)
    return result


def _store(source: SenderSource, result: CloudResult) -> list[dict[str, Any]]:
    """Stores the events and returns their receipts.

    An id that was used with other content makes its CloudEvent a fault. Raises `IdempotencyMismatch` when none of them
    can be stored, and above `MOST_USED_IDS`.
    """
    receipts: list[dict[str, Any]] = []
    left, used = list(zip(result.events, result.pointers, strict=True)), 0
    while left:
        batch = left[:BATCH_LIMIT]
        try:
            events = [event for event, _ in batch]
            receipts += source_requests.store(request.environ, source, events, time=cloudevents.TIME)
        except IdempotencyMismatch as mismatch:
            used += 1
            if used > MOST_USED_IDS or (len(left) == 1 and not receipts):
                raise
            _, pointer = left.pop(_position(mismatch))
            result.faults.append(Fault(f"{pointer}/id", "was used before with other content"))
        else:
            del left[:BATCH_LIMIT]
    return [{**receipt, "index": index} for index, receipt in enumerate(receipts)]


def _position(mismatch: IdempotencyMismatch) -> int:
    """Returns the index that a refusal names: `/events/3/idempotencyKey`, or `/idempotencyKey` of a single event."""
    parts = mismatch.errors[0].pointer.split("/")
    return int(parts[2]) if parts[1] == "events" else 0


def _documents(sent: SentBody) -> list[Node]:
    """Returns the CloudEvents of the body, by the content mode of the headers."""
    content_type = request.headers.get("Content-Type", "").strip().lower()
    if content_type.startswith(cloudevents.BATCHED):
        sent.document = sender_bodies.large_json(sent.body, request.environ)
        return cloudevents.documents(sent.document, batched=True)
    if content_type.startswith(cloudevents.STRUCTURED):
        sent.document = sender_bodies.json(sent.body, request.environ)
        return cloudevents.documents(sent.document, batched=False)
    headers = lower_headers(request.environ)
    if f"{cloudevents.PREFIX}specversion" in headers:
        return [cloudevents.of_headers(headers, _data(sent.body, content_type))]
    if not cloudevents.is_json(content_type):
        raise UnsupportedMediaType(NO_MODE)
    sent.document = sender_bodies.large_json(sent.body, request.environ)
    return cloudevents.documents(sent.document, batched=isinstance(sent.document, list))


def _data(body: bytes, content_type: str) -> object:
    """Returns the data of binary content: parsed JSON, a text, or bytes."""
    if not body:
        return None
    if cloudevents.is_json(content_type):
        return sender_bodies.json(body, request.environ)
    if not cloudevents.is_text(content_type):
        return body
    return in_utf8(request.environ, body).decode("utf-8", "replace")
