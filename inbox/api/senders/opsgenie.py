"""The format of the Opsgenie Alert API, so that its senders change one address (specification 19.11)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import orjson
from flask import Response, request

from inbox.api.http.blueprint import ANY_QUERY, Blueprint
from inbox.api.http.policy import SOURCE_KEY, EndpointPolicy
from inbox.api.http.requests import request_id
from inbox.api.senders import compatible, opsgenie_requests, source_requests
from inbox.api.senders.ingest import CAP
from inbox.api.senders.opsgenie_requests import ALIAS, ID, LONGEST_PAGE, USUAL_PAGE
from inbox.api.senders.schemas.compatible import (
    OPSGENIE_ACCEPTED,
    OPSGENIE_ACT,
    OPSGENIE_ALERT,
    OPSGENIE_ERROR,
    OPSGENIE_LIST,
    OPSGENIE_ONE,
    OPSGENIE_STATUS,
)
from inbox.domain.values.refusals import Refusal
from inbox.models.events.sender_sources import SenderSource

NO_KEY = "No source key was sent. Send `Authorization: GenieKey svc_src_…`."

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


def _query(name: str, kind: str, description: str) -> dict[str, Any]:
    return {"in": "query", "name": name, "description": description, "schema": {"type": kind}}


_PAGE = {
    "parameters": [
        _query("query", "string", "Terms such as `status: open AND alias: disk`; `status`, `alias` and `tag`."),
        _query("offset", "integer", "How many alerts to skip."),
        _query("limit", "integer", f"1 to {LONGEST_PAGE}; {USUAL_PAGE} by default."),
    ],
    ANY_QUERY: True,
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
    return _answered(202, opsgenie_requests.created)


@blp.route("/v2/alerts", methods=["GET"], endpoint="list_alerts")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True)
@blp.doc(**_PAGE)
@blp.response(200, OPSGENIE_LIST)
@blp.refuses("validation_failed")
def list_alerts() -> Response:
    """List alerts in the Opsgenie format

    The alerts among the newest 1,000 events of the source, the newest first.
    """
    return _answered(200, opsgenie_requests.listed)


@blp.route("/v2/alerts/<alias:alert>", methods=["GET"], endpoint="read_alert")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True)
@blp.doc(**{"parameters": [_IDENTIFIER], ANY_QUERY: True})
@blp.response(200, OPSGENIE_ONE)
@blp.refuses("not_found", "validation_failed")
def read_alert(alert: str) -> Response:
    """Get an alert in the Opsgenie format

    By its id or alias: what the source sent, and the state of its incident.
    """
    return _answered(200, lambda source: opsgenie_requests.read_one(source, alert))


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
    return _answered(202, lambda source: opsgenie_requests.acted(source, alert, act))


@blp.route("/v2/alerts/<alias:alert>/<act>", methods=["PUT"], endpoint="change")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True, body_cap=CAP)
@blp.doc(**_ACT)
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses(*_REFUSALS)
def change(alert: str, act: str) -> Response:
    """Change an alert in the Opsgenie format

    `message`, `description` and `priority` are logged.
    """
    return _answered(202, lambda source: opsgenie_requests.acted(source, alert, act))


@blp.route("/v2/alerts/requests/<alert_request>", methods=["GET"], endpoint="request_status")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True)
@blp.doc(**{ANY_QUERY: True})
@blp.response(200, OPSGENIE_STATUS)
@blp.refuses("not_found", "validation_failed")
def request_status(alert_request: str) -> Response:
    """Get the status of a request in the Opsgenie format

    It is available until the event of the request is purged.
    """
    return _answered(200, lambda source: opsgenie_requests.status_of(source, alert_request))


@blp.route("/v2/heartbeats/<name>/ping", methods=["GET"], endpoint="ping")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True)
@blp.doc(**{ANY_QUERY: True})
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses("not_found", "validation_failed")
def ping_heartbeat(name: str) -> Response:
    """Ping a heartbeat in the Opsgenie format

    A success of the heartbeat monitor of the source with this name.
    """
    return _answered(202, lambda source: opsgenie_requests.pinged(source, name))


@blp.route("/v2/heartbeats/<name>/ping", methods=["POST"], endpoint="ping_by_post")
@EndpointPolicy(SOURCE_KEY, workspace_from="none", database=False, own_key=True, own_body=True)
@blp.doc(requestBody=_body({"type": "object"}, required=False))
@blp.response(202, OPSGENIE_ACCEPTED)
@blp.refuses("not_found", "validation_failed")
def ping_heartbeat_by_post(name: str) -> Response:
    """Ping a heartbeat in the Opsgenie format by POST

    Same as `GET`. The body is ignored.
    """
    return _answered(202, lambda source: opsgenie_requests.pinged(source, name))


@blp.errorhandler(Refusal)
def _refused_early(fault: Refusal) -> Response:
    """Answers what is refused before a view, such as a query that is no text, in the shape of the format."""
    return compatible.refused(fault, partial(_error, started=time.monotonic()))


def _answered(status: int, work: Callable[[SenderSource], Mapping[str, Any]]) -> Response:
    started = time.monotonic()
    try:
        source = source_requests.source_of(opsgenie_requests.sent_key(), missing=NO_KEY)
        document = {"requestId": request_id(request.environ), **work(source), "took": _took(started)}
    except Exception as fault:  # noqa: BLE001 - every failure is an answer in the shape of the format
        return compatible.refused(fault, lambda problem: _error(problem, started))
    return Response(orjson.dumps(document), status, mimetype="application/json")


def _error(problem: Mapping[str, Any], started: float) -> Mapping[str, Any]:
    errors = {each["pointer"].strip("/"): each["detail"] for each in problem.get("errors", ())}
    return {"message": problem["detail"], "took": _took(started), **({"errors": errors} if errors else {})}


def _took(started: float) -> float:
    return round(time.monotonic() - started, 3)
