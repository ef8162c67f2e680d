"""The legacy push format, so that unmodified clients of that format send events (specification 19.1)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import orjson
from flask import Response, jsonify, request

from inbox import __version__
from inbox.api.http.blueprint import ANY_QUERY, Blueprint
from inbox.api.http.connections import borrowed
from inbox.api.http.errors import ENDED
from inbox.api.http.policy import ALIAS_TOKEN, NONE, EndpointPolicy
from inbox.api.http.requests import request_id
from inbox.api.senders import sender_bodies
from inbox.api.senders.ingest import CAP, problem_reply, read_body, submit
from inbox.api.senders.schemas.legacy import LegacyHealth, LegacyMessage, LegacyPushed, LegacyVersion
from inbox.api.senders.sender_samples import SentBody, keeping_refused
from inbox.api.senders.shown_refusals import showing_too_large
from inbox.database.base import db
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind, SenderKeyKind
from inbox.domain.senders.recovery_presets import RecoveryPreset
from inbox.domain.values import ids
from inbox.domain.values.redaction import redact_tree
from inbox.domain.values.refusals import BadRequest, Unauthenticated, Unavailable
from inbox.intake import legacy_push
from inbox.intake.event import inner_json
from inbox.intake.legacy_push import Message
from inbox.models.events import sender_sources
from inbox.models.events.sender_sources import SenderSource

HEADERS = ("X-Legacy-Key", "X-Gotify-Key")
NO_TOKEN = (
    "No alias token of a source was sent in `X-Legacy-Key`, in `X-Gotify-Key` or as bearer. A token in the query works only"
    " for a source that allows it (`allowQueryToken`)."
)
EPOCH_MS = 1_577_836_800_000
"""2020-01-01. Message ids since then have at most 53 bits until 2089, which JSON readers represent exactly."""

blp = Blueprint("legacy", __name__, description="Push messages in the legacy format.", section="19.1")

_FORM = {
    "schema": {"type": "object", "properties": {name: {"type": "string"} for name in ("message", "title", "priority")}}
}
_BODY = {
    "required": True,
    "description": "The message. Fields of a form may also stand in the query. At most 2 MiB, uncompressed.",
    "content": {
        "application/json": {"schema": LegacyMessage},
        "application/x-www-form-urlencoded": _FORM,
        "multipart/form-data": _FORM,
    },
}
_TOKEN = {
    "in": "query",
    "name": "token",
    "description": "The alias token, only for a source with `allowQueryToken`.",
    "schema": {"type": "string"},
}
_PUSH = {"requestBody": _BODY, "parameters": [_TOKEN]}
_REFUSALS = ("bad_request", "rate_limited", "request_timeout", "idempotency_in_progress", "idempotency_mismatch")


@blp.route("/v1/legacy/message", methods=["POST"], endpoint="push")
@EndpointPolicy(ALIAS_TOKEN, workspace_from="none", database=False, own_body=True, body_cap=CAP)
@blp.doc(**_PUSH)
@blp.response(200, LegacyPushed)
@blp.refuses(*_REFUSALS)
def push() -> Response:
    """Send a message in the legacy push format

    It becomes one event of the source of the alias token. Errors have `error`, `errorCode` and `errorDescription` beside the
    members of a problem.
    """
    return _answered()


@blp.route("/message", methods=["POST"], endpoint="push_at_root")
@EndpointPolicy(ALIAS_TOKEN, workspace_from="none", database=False, own_body=True, body_cap=CAP)
@blp.doc(**_PUSH)
@blp.response(200, LegacyPushed)
@blp.refuses(*_REFUSALS)
def push_at_root() -> Response:
    """Send a message to the address of the legacy push format

    Same as `POST /v1/legacy/message`, for clients that append `/message` to the address of a server.
    """
    return _answered()


@blp.route("/v1/legacy/version", methods=["GET"], endpoint="version")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.doc(**{ANY_QUERY: True})
@blp.response(200, LegacyVersion)
def version() -> dict[str, str]:
    """Read the version in the legacy format"""
    return _version()


@blp.route("/version", methods=["GET"], endpoint="version_at_root")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, LegacyVersion)
def version_at_root() -> dict[str, str]:
    """Read the version at the address of the legacy format"""
    return _version()


@blp.route("/v1/legacy/health", methods=["GET"], endpoint="health")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.doc(**{ANY_QUERY: True})
@blp.response(200, LegacyHealth)
@blp.refuses("unavailable")
def health() -> Response:
    """Read the health in the legacy format

    503 with the same members beside those of a problem while the database does not answer.
    """
    return _health()


@blp.route("/health", methods=["GET"], endpoint="health_at_root")
@EndpointPolicy(NONE, workspace_from="none", database=False)
@blp.response(200, LegacyHealth)
@blp.refuses("unavailable")
def health_at_root() -> Response:
    """Read the health at the address of the legacy format

    503 with the same members beside those of a problem while the database does not answer.
    """
    return _health()


def _answered() -> Response:
    try:
        return _pushed()
    except Exception as fault:  # noqa: BLE001 - every failure is an answer in the shape of the format
        reply = problem_reply(fault, request_id(request.environ))
        problem = orjson.loads(reply.body)
        members = {
            "error": problem["title"],
            "errorCode": problem["status"],
            "errorDescription": problem["detail"],
        }
        headers = [(name, value) for name, value in reply.headers if name != "Content-Length"]
        return Response(orjson.dumps(problem | members), reply.status, headers)


def _pushed() -> Response:
    source = _source()
    with showing_too_large(source, "legacy_push", request.environ):
        sample = SentBody("legacy_push", request.environ, read_body(request.environ))
    preset = None if source.recovery_preset is None else RecoveryPreset(source.recovery_preset)
    with keeping_refused(source, sample):
        sample.document = _fields(sample.body)
        sent = legacy_push.parse(sample.document)
        event = legacy_push.event(sent, pattern=source.recovery_pattern, preset=preset)
    accepted = submit(request.environ, source.hash_hex, event, request.headers.get("Idempotency-Key"))
    event_id = ids.decode("evt", orjson.loads(accepted.body)["events"][0]["id"])
    assert event_id is not None
    response = jsonify(_stored(sent, source, event_id))
    if accepted.replayed:
        response.headers["Idempotent-Replayed"] = "true"
    return response


def _stored(sent: Message, source: SenderSource, event_id: UUID) -> dict[str, Any]:
    """Returns the message in the format. `id` and `appid` are made from the ids of the event and of its source."""
    extras, _ = redact_tree(dict(sent.extras))
    texts, _ = redact_tree([sent.message, sent.title or source.name])
    return {
        "id": integer_id(event_id),
        "appid": int.from_bytes(source.source_id.bytes[-4:]) & 0x7FFFFFFF,
        "message": texts[0],
        "title": texts[1],
        "priority": sent.priority or 0,
        **({"extras": extras} if extras else {}),
        "date": datetime.now(UTC).isoformat(),
    }


def integer_id(event_id: UUID) -> int:
    """Returns the id of an event as an integer of 53 bits: its millisecond, and twelve of its random bits."""
    return (int.from_bytes(event_id.bytes[:6]) - EPOCH_MS) << 12 | int.from_bytes(event_id.bytes[-2:]) & 0xFFF


def _source() -> SenderSource:
    """Returns the source of the first live token: from the headers, then from the query. Raises `Unauthenticated`."""
    with borrowed():
        for token, in_query in _tokens():
            if not keys.well_formed(KeyKind.ALIAS, token):
                continue
            source = sender_sources.of_key(keys.digest(token), SenderKeyKind.ALIAS_TOKEN)
            if source is not None and (source.allow_query_token or not in_query):
                return source
    raise Unauthenticated(NO_TOKEN)


def _tokens() -> Iterator[tuple[str, bool]]:
    """Yields each token that was sent, and whether it was in the query."""
    for name in HEADERS:
        yield request.headers.get(name, "").strip(), False
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    yield (token.strip() if scheme.lower() == "bearer" else ""), False
    yield request.args.get("token", ""), True


def _fields(body: bytes) -> dict[str, Any]:
    """Returns the fields of a JSON object, recognized by its brace, else of a form and the query."""
    document = sender_bodies.json_or_none(body, request.environ, (b"{",))
    if document is not None:
        return dict(document)
    if request.mimetype == "application/json":
        raise BadRequest("The body must be a JSON object.")
    return _with_object({**sender_bodies.query(request.environ), **sender_bodies.form(body, request.environ)})


def _with_object(fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a form or a query. `extras` is a text there; one that is no JSON object is left out."""
    if "extras" in fields:
        fields["extras"] = inner_json(fields["extras"].strip())
        if not isinstance(fields["extras"], dict):
            del fields["extras"]
    return fields


def _version() -> dict[str, str]:
    return {"version": __version__, "commit": "", "build_date": ""}


def _health() -> Response:
    try:
        with borrowed():
            db.execute_sql("SELECT 1")
    except ENDED:
        raise Unavailable("No answer from Postgres.", extra={"health": "orange", "database": "red"}) from None
    return jsonify({"health": "green", "database": "green"})
