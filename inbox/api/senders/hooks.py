"""Webhooks of tools, with a key or signed: each payload becomes events of the source (specification 19.5 and 19.13)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Protocol
from uuid import UUID

import orjson
from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.connections import borrowed
from inbox.api.http.policy import SIGNATURE, SOURCE_KEY, EndpointPolicy
from inbox.api.senders import compatible, large_bodies, sender_bodies, source_requests
from inbox.api.senders.ingest import CAP, read_body
from inbox.api.senders.key_holder import KeyHolder
from inbox.api.senders.refused_bodies import Sender
from inbox.api.senders.schemas.hooks import HookAccepted
from inbox.api.senders.sender_samples import SentBody, keep, keep_read_in_part, keeping_refused, lower_headers
from inbox.api.senders.shown_refusals import announced, report_unread, showing_too_large
from inbox.domain.events.fields import WarningCode
from inbox.domain.events.time_meaning import TimeMeaning
from inbox.domain.values.refusals import Fault, NotFound, Unauthenticated, ValidationFailed
from inbox.intake import mapping, registry
from inbox.intake.base import Payload, Result, Tool, WrongPayload
from inbox.intake.mapping import Unmapped
from inbox.intake.signatures import SignedRequest, SigningScheme
from inbox.models.events import sender_sources
from inbox.services.senders import signing_secrets

blp = Blueprint("hooks", __name__, url_prefix="/v1/hooks", description="Webhooks of monitoring tools.", section="19.5")

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
WARNED = {
    WarningCode.NOT_MAPPED: "Some values of the payload could not be mapped.",
    WarningCode.ALERTS_TRUNCATED: "The sender left out alerts of the group.",
}
"""The texts of warnings for the sample of a payload."""

HOOK_CAP = 16 * 1024 * 1024
"""The most bytes of a webhook with a key: in a big outage, the alerts of a group are one webhook."""

LISTED_FAULTS = 1_000
"""The most faults that an answer lists. The answer to a payload of unreadable items would be many times its size."""


class Reader(Protocol):
    """Reads a payload: a tool, or the mapping of a source."""

    @property
    def name(self) -> str:
        """The name in the path."""

    @property
    def time(self) -> TimeMeaning:
        """The meaning of `occurredAt` in its alarms."""

    @property
    def label(self) -> str:
        """The name for people."""

    def events(self, payload: Payload) -> Result:
        """Returns the events of a payload. Raises `WrongPayload`."""


_BODY = {
    "required": True,
    "description": "The payload of the tool, JSON or a form, under any content type. At most 16 MiB, uncompressed.",
    "content": {"application/json": {"schema": {"type": ["object", "array"]}, "example": EXAMPLE}},
}
_PIPELINE = {
    "object_kind": "pipeline",
    "object_attributes": {"id": 31, "ref": "main", "status": "failed", "finished_at": "2026-11-22 10:10:30 UTC"},
    "project": {"id": 15, "path_with_namespace": "acme/shop", "default_branch": "main"},
}
_SIGNED_BODY = {
    **_BODY,
    "description": "The payload of the tool, JSON or a form, under any content type. At most 2 MiB, uncompressed.",
    "content": {"application/json": {"schema": {"type": ["object", "array"]}, "example": _PIPELINE}},
}


@blp.route("/<tool>", methods=["POST"], endpoint="receive")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=HOOK_CAP)
@blp.doc(requestBody=_BODY)
@blp.response(202, HookAccepted)
@blp.refuses("bad_request", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def receive(tool: str) -> Response:
    """Receive the webhook of a tool

    The events of the payload are stored before the answer. An unreadable item is listed in `faults`; the others are
    stored. Above a rate limit the answer is 503 with `Retry-After`, because tools repeat it.
    """
    return compatible.answered(lambda: _accepted(received(request.environ, tool)))


@blp.route("/<tool>", methods=["PUT"], endpoint="receive_by_put")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=HOOK_CAP)
@blp.doc(requestBody=_BODY)
@blp.response(202, HookAccepted)
@blp.refuses("bad_request", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def receive_by_put(tool: str) -> Response:
    """Receive the webhook of a tool by PUT

    Same as `POST`, for tools whose method is set to `PUT`, such as Grafana.
    """
    return compatible.answered(lambda: _accepted(received(request.environ, tool)))


@blp.route("/<tool>/<typeid(src):source_id>", methods=["POST"], endpoint="receive_signed")
@EndpointPolicy(SIGNATURE, workspace_from="none", database=False, own_body=True, body_cap=CAP, section="19.13")
@blp.doc(requestBody=_SIGNED_BODY)
@blp.response(202, HookAccepted)
@blp.refuses("bad_request", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def receive_signed(tool: str, source_id: UUID) -> Response:
    """Receive the signed webhook of a tool

    For tools that cannot send a key. A signing secret of the source signs the bytes of the body. An unknown source is
    answered like a wrong signature.
    """
    return compatible.answered(lambda: _accepted(_signed(request.environ, tool, source_id)), takes_key=False)


@blp.route("/<tool>/<typeid(src):source_id>", methods=["PUT"], endpoint="receive_signed_by_put")
@EndpointPolicy(SIGNATURE, workspace_from="none", database=False, own_body=True, body_cap=CAP, section="19.13")
@blp.doc(requestBody=_SIGNED_BODY)
@blp.response(202, HookAccepted)
@blp.refuses("bad_request", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")
def receive_signed_by_put(tool: str, source_id: UUID) -> Response:
    """Receive the signed webhook of a tool by PUT

    Same as `POST`.
    """
    return compatible.answered(lambda: _accepted(_signed(request.environ, tool, source_id)), takes_key=False)


def received(environ: dict[str, Any], name: str) -> bytes:
    """Stores the events of a webhook with a key. Returns the body of the answer."""
    sender = KeyHolder(_sent_key(environ))
    tool = _mapping(sender.source_id) if name.lower() == mapping.CUSTOM else registry.find(name)
    if tool is None:
        source_requests.require_live(sender)
        raise NotFound(f"No tool has this name. Tools: {', '.join((*registry.TOOLS, mapping.CUSTOM))}.")
    if (announced(environ) or 0) > CAP:
        large_bodies.refuse_while_reading(sender)
    with showing_too_large(sender, tool.name, environ):
        body = read_body(environ, sender.hash_hex, cap=HOOK_CAP)
    if len(body) <= CAP:
        return _stored(environ, sender, tool, body)
    with large_bodies.one_at_a_time(sender, len(body)):
        return _stored(environ, sender, tool, body)


def _mapping(source_id: UUID) -> Reader:
    with borrowed():
        stored = sender_sources.mapping_of(source_id)
    return Unmapped() if stored is None else mapping.of_stored(stored)


def _signed(environ: dict[str, Any], name: str, source_id: UUID) -> bytes:
    tool = registry.find(name)
    if tool is None or tool.signing is None:
        raise NotFound(f"No tool with this name signs what it sends. Tools that do: {', '.join(registry.SIGNING)}.")
    signed = SignedRequest(lower_headers(environ), compatible.read_body(environ, CAP), datetime.now(UTC))
    if not tool.signing.has_signature(signed):
        raise Unauthenticated(_unsigned(tool, tool.signing))
    with borrowed():
        source = signing_secrets.source_of(source_id, tool.name, signed)
    if source is None:
        raise Unauthenticated(_not_signed_by(tool, tool.signing))
    return _stored(environ, source, tool, signed.body)


def _unsigned(tool: Tool, scheme: SigningScheme) -> str:
    headers = " or ".join(f"`{name}`" for name in scheme.headers)
    return f"The request is not signed: {headers} is missing. {_remedy(tool, scheme)}"


def _not_signed_by(tool: Tool, scheme: SigningScheme) -> str:
    return f"The signature does not fit the address. {_remedy(tool, scheme)} Copy the address from the source."


def _remedy(tool: Tool, scheme: SigningScheme) -> str:
    return f"The signing secret of the source must be {scheme.place} in {tool.label}."


def _stored(environ: dict[str, Any], sender: Sender, tool: Reader, body: bytes) -> bytes:
    sent = SentBody(tool.name, environ, body)
    with keeping_refused(sender, sent):
        sent.document = sender_bodies.document(body, environ)
        result = _read(tool, Payload(sent.document, lower_headers(environ)))
    stored = source_requests.store(environ, sender, result.events, result.warnings, time=tool.time, group=result.group)
    answer = {
        "events": stored,
        "faults": [{"pointer": each.pointer, "detail": each.detail} for each in result.faults[:LISTED_FAULTS]],
    }
    if result.unread:
        report_unread(sender, tool.name, len(result.events), result.unread)
    warnings = [warning for of_event in result.warnings for warning in of_event]
    faults = [*result.faults, *(Fault(each.pointer, each.detail) for each in warnings)]
    if result.faults:
        keep_read_in_part(sender, sent, faults, is_stored=bool(result.events))
    elif warnings:
        keep(sender, sent, WARNED[warnings[0].code], faults)
    return orjson.dumps(answer)


def _read(tool: Reader, payload: Payload) -> Result:
    try:
        return tool.events(payload)
    except WrongPayload as wrong:
        raise ValidationFailed(
            f"The body is no payload of {tool.label}; nothing was stored.", errors=wrong.faults
        ) from None


def _sent_key(environ: dict[str, Any]) -> str:
    """Returns the bearer token, the password of Basic authorization, or the secret token of GitLab."""
    return source_requests.sent_key(environ) or environ.get("HTTP_X_GITLAB_TOKEN", "")


def _accepted(body: bytes) -> Response:
    return Response(body, 202, mimetype="application/json")
