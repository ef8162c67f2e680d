"""The format of the Opsgenie Alert API, so that its senders change one address (specification 19.11)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import orjson
from flask import Response, request

from inbox.api.http.blueprint import ANY_QUERY, Blueprint
from inbox.api.http.connections import borrowed
from inbox.api.http.policy import SOURCE_KEY, EndpointPolicy
from inbox.api.http.requests import request_id
from inbox.api.senders import compatible, sender_bodies, source_requests
from inbox.api.senders.ingest import CAP, read_body
from inbox.api.senders.schemas.compatible import (
    OPSGENIE_ACCEPTED,
    OPSGENIE_ACT,
    OPSGENIE_ALERT,
    OPSGENIE_ERROR,
    OPSGENIE_STATUS,
)
from inbox.api.senders.sender_samples import SentBody, keeping_refused
from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.values import ids
from inbox.domain.values.refusals import NotFound, ValidationFailed
from inbox.flow.heartbeats import ping
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.intake import opsgenie
from inbox.intake.base import Event, WrongPayload
from inbox.models.events import sender_sources
from inbox.models.events.sender_sources import SenderSource

ACCEPTED, PONG = "Request will be processed", "PONG - Heartbeat received"
NO_KEY = "No source key was sent. Send `Authorization: GenieKey svc_src_…`."
NOT_PROCESSABLE = "Request body is not processable. Please check the errors."
ID, ALIAS = "id", "alias"

blp = Blueprint(
    "opsgenie",
    __name__,
    url_prefix="/v1/compat/opsgenie",
    description="Alerts in the format of the Opsgenie Alert API.",
    section="19.11",
    error_shape=OPSGENIE_ERROR,
)

_REFUSALS = ("bad_request", "rate_limited", "request_timeout", "validation_failed")
_IDENTIFIER = {
    "in": "query",
    "name": "identifierType",
    "description": "`id`, which is the default, or `alias`.",
    "schema": {"type": "string", "enum": [ID, ALIAS]},
}


def _body(schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    return {
        "required": required,
        "description": "JSON under any content type, at most 2 MiB, uncompressed. Unknown fields are ignored.",
        "content": {"application/json": {"schema": schema}},
    }


_ACT = {"requestBody": _body(OPSGENIE_ACT, required=False), "parameters": [_IDENTIFIER]}


@blp.route("/v2/alerts", methods=["POST"], endpoint="create")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(requestBody=_body(OPSGENIE_ALERT, required=True))
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses(*_REFUSALS)
def create() -> Response:
    """Create an alert in the Opsgenie format

    The event is stored before the answer, and the status of the request is ready. An alert with the
    alias of an open one repeats it.
    """
    return _answered(202, _created)


@blp.route("/v2/alerts/<alias:alert>/<act>", methods=["POST"], endpoint="act")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(**_ACT)
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses(*_REFUSALS)
def act(alert: str, act: str) -> Response:
    """Act on an alert in the Opsgenie format

    `close` closes its incident. `acknowledge`, `unacknowledge`, `snooze`, `notes`, `tags`, `details`, `responders`,
    `teams`, `assign` and `escalate` are logged.
    """
    return _answered(202, lambda source: _acted(source, alert, act))


@blp.route("/v2/alerts/<alias:alert>/<act>", methods=["PUT"], endpoint="change")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(**_ACT)
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses(*_REFUSALS)
def change(alert: str, act: str) -> Response:
    """Change an alert in the Opsgenie format

    `message`, `description` and `priority` are logged.
    """
    return _answered(202, lambda source: _acted(source, alert, act))


@blp.route("/v2/alerts/requests/<alert_request>", methods=["GET"], endpoint="request_status")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True)
@blp.doc(**{ANY_QUERY: True})
@blp.response(200, OPSGENIE_STATUS)
@blp.refuses("not_found")
def request_status(alert_request: str) -> Response:
    """Get the status of a request in the Opsgenie format

    It is available until the event of the request is purged.
    """
    return _answered(200, lambda source: _status(source, alert_request))


@blp.route("/v2/heartbeats/<name>/ping", methods=["GET"], endpoint="ping")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True)
@blp.doc(**{ANY_QUERY: True})
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses("not_found")
def ping_heartbeat(name: str) -> Response:
    """Ping a heartbeat in the Opsgenie format

    A success of the heartbeat monitor of the source with this name.
    """
    return _answered(202, lambda source: _pinged(source, name))


@blp.route("/v2/heartbeats/<name>/ping", methods=["POST"], endpoint="ping_by_post")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True)
@blp.doc(requestBody=_body({"type": "object"}, required=False))
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses("not_found")
def ping_heartbeat_by_post(name: str) -> Response:
    """Ping a heartbeat in the Opsgenie format by POST

    Same as `GET`. The body is ignored.
    """
    return _answered(202, lambda source: _pinged(source, name))


def _answered(status: int, work: Callable[[SenderSource], Mapping[str, Any]]) -> Response:
    started = time.monotonic()
    try:
        source = source_requests.source_of(_key(), missing=NO_KEY)
        document = {"requestId": request_id(request.environ), **work(source), "took": _took(started)}
    except Exception as fault:  # noqa: BLE001 - every failure is an answer in the shape of the format
        return compatible.refused(fault, lambda problem: _error(problem, started))
    return Response(orjson.dumps(document), status, mimetype="application/json")


def _key() -> str:
    scheme, _, sent = request.headers.get("Authorization", "").partition(" ")
    return sent.strip(" ") if scheme.lower() == "geniekey" else source_requests.sent_key(request.environ)


def _created(source: SenderSource) -> dict[str, Any]:
    return _stored(source, lambda document: opsgenie.create(document, str(uuid4())))


def _stored(source: SenderSource, read: Callable[[Any], Event]) -> dict[str, Any]:
    """Returns the answer to a request whose event is stored. The id of the request is the id of the event."""
    sent = SentBody("opsgenie", request.environ, read_body(request.environ))
    with keeping_refused(source, sent):
        sent.document = sender_bodies.json(sent.body) if sent.body else {}
        event = _valid(read, sent.document)
    [receipt] = source_requests.store(request.environ, source, [event], time=opsgenie.TIME)
    return {"result": ACCEPTED, "requestId": str(ids.decode("evt", receipt["id"]))}


def _valid(read: Callable[[Any], Event], document: Any) -> Event:
    try:
        return read(document)
    except WrongPayload as wrong:
        raise ValidationFailed(NOT_PROCESSABLE, errors=wrong.faults) from None


def _acted(source: SenderSource, alert: str, name: str) -> dict[str, Any]:
    supported = opsgenie.CHANGES if request.method == "PUT" else opsgenie.ACTS
    if name not in supported:
        raise NotFound("The action does not exist in this format, or is not supported.")
    alias, key = _identified(source, alert)
    return _stored(source, lambda document: opsgenie.act(name, document, alias, key))


def _identified(source: SenderSource, alert: str) -> tuple[str, str]:
    """Returns the alias and the dedup key of an alert. An id of no event counts as an alias."""
    event_id = _uuid(alert) if request.args.get("identifierType", ID) != ALIAS else None
    found = None
    if event_id is not None:
        with borrowed():
            found = sender_sources.event_of(source, event_id)
    if found is None or found.dedup_key is None:
        return alert, f"{opsgenie.PREFIX}{alert}"
    return str(found.metadata.get("alias", alert)), found.dedup_key


def _status(source: SenderSource, alert_request: str) -> dict[str, Any]:
    event_id = _uuid(alert_request)
    with borrowed():
        found = None if event_id is None else sender_sources.event_of(source, event_id)
    if found is None:
        raise NotFound("Request not found. It might not be processed, yet.")
    action = str(found.metadata.get("request", ""))
    data = {
        "isSuccess": True,
        "success": True,
        "action": action,
        "processedAt": found.received_at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "status": "Created alert" if action == opsgenie.CREATE else f"{action} was accepted",
        "alertId": str(event_id),
        "alias": str(found.metadata.get("alias", "")),
    }
    return {"data": data}


def _pinged(source: SenderSource, name: str) -> dict[str, Any]:
    agent = pings.short_agent(request.headers.get("User-Agent", ""))
    received = ReceivedPing(PingKind.SUCCESS, method=request.method, user_agent=agent)
    with borrowed():
        ping.receive_by_name(source.source_id, name, received, datetime.now(UTC))
    return {"result": PONG}


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _error(problem: Mapping[str, Any], started: float) -> Mapping[str, Any]:
    errors = {each["pointer"].strip("/"): each["detail"] for each in problem.get("errors", ())}
    return {"message": problem["detail"], "took": _took(started), **({"errors": errors} if errors else {})}


def _took(started: float) -> float:
    return round(time.monotonic() - started, 3)
