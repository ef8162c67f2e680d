"""Pings of heartbeat monitors, and their status badges. A token or a ping key is in the path or in a header.

Specification 18.5, 18.8, 18.11.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import partial
from typing import Any
from uuid import UUID

from flask import Response, jsonify, request

from inbox.api.heartbeats import slug_pings
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.bodies import Body
from inbox.api.http.link_previews import is_preview
from inbox.api.http.policy import HEARTBEAT_TOKEN, NONE, PING_KEY, EndpointPolicy
from inbox.domain.heartbeats import badge, pings, previews
from inbox.domain.heartbeats import monitor as rules
from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values.refusals import BadRequest, NotFound, Unauthenticated
from inbox.flow.heartbeats import ping
from inbox.flow.heartbeats import slug_pings as flow
from inbox.flow.heartbeats.ping import ReceivedPing
from inbox.models.heartbeats import monitors

BODY_SECONDS = 5.0
WITHOUT_SLUG = "A ping key is followed by a slug: `/v1/heartbeats/svc_ping_…/{slug}`."
NO_TOKEN = "No heartbeat token was sent. Send `Authorization: Bearer svc_hb_…`, or put the token into the path."

blp = Blueprint("heartbeats", __name__, url_prefix="/v1", description="Pings of heartbeat monitors.", section="18.5")

_RUN_ID = {
    "in": "query",
    "name": "rid",
    "description": "The id of the run: pairs the start of a run with its end.",
    "schema": {"type": "string", "format": "uuid"},
}
_ANSWER = {
    "parameters": [_RUN_ID],
    "responses": {"200": {"description": "`OK`", "content": {"text/plain": {"schema": {"type": "string"}}}}},
}
_OK_TEXT = {"text/plain": {"schema": {"type": "string"}}}
_CREATE = {
    "in": "query",
    "name": "create",
    "description": "`1` creates the monitor of the slug where the source has none.",
    "schema": {"type": "string", "enum": ["1"]},
}
_BY_SLUG = {
    "parameters": [_RUN_ID, _CREATE],
    "responses": {
        "200": {"description": "`OK`", "content": _OK_TEXT},
        "201": {"description": "`Created`: the monitor of the slug is new.", "content": _OK_TEXT},
    },
}
_TEXT = {
    "requestBody": {
        "required": False,
        "description": "Text for the log of pings. The first 10,000 bytes are stored, redacted; more is accepted.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    }
}


@blp.route("/heartbeats", methods=["GET"], endpoint="ping")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none")
@blp.doc(**_ANSWER)
@blp.refuses("bad_request", "validation_failed")
def ping_with_bearer() -> Response:
    """Ping a heartbeat monitor

    A success, with the token as bearer.
    """
    return _received(_bearer(), "")


@blp.route("/heartbeats", methods=["POST"], endpoint="ping_with_text")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none", own_body=True)
@blp.doc(**_ANSWER, **_TEXT)
@blp.refuses("validation_failed")
def ping_with_bearer_and_text() -> Response:
    """Ping a heartbeat monitor with a text

    Same as `GET`, with text for the log.
    """
    return _received(_bearer(), "")


@blp.route("/heartbeats/<handle>", methods=["GET"], endpoint="ping_handle")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none")
@blp.doc(**_ANSWER)
@blp.refuses("bad_request", "validation_failed")
def ping_handle(handle: str) -> Response:
    """Ping a heartbeat monitor by its address

    A success, with the token in the path. With the token as bearer the path says `start`, `fail`, `log` or an exit code.
    """
    return _by_handle(handle)


@blp.route("/heartbeats/<handle>", methods=["POST"], endpoint="ping_handle_with_text")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none", own_body=True)
@blp.doc(**_ANSWER, **_TEXT)
@blp.refuses("validation_failed")
def ping_handle_with_text(handle: str) -> Response:
    """Ping a heartbeat monitor by its address with a text

    Same as `GET`, with text for the log.
    """
    return _by_handle(handle)


@blp.route("/heartbeats/<token>/<signal>", methods=["GET"], endpoint="ping_signal")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none")
@blp.doc(**_ANSWER)
@blp.refuses("bad_request", "validation_failed")
def ping_signal(token: str, signal: str) -> Response:
    """Signal a start, a failure, a log text or an exit code

    `start`, `fail`, `log`, or a number from 0 to 255; 0 is a success. With a source's ping key in place of the token, a
    slug follows, and the ping is a success.
    """
    return _by_two(token, signal)


@blp.route("/heartbeats/<token>/<signal>", methods=["POST"], endpoint="ping_signal_with_text")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none", own_body=True)
@blp.doc(**_ANSWER, **_TEXT)
@blp.refuses("validation_failed")
def ping_signal_with_text(token: str, signal: str) -> Response:
    """Signal a start, a failure, a log text or an exit code with a text

    Same as `GET`, with text for the log, such as the output of the run.
    """
    return _by_two(token, signal)


@blp.route("/heartbeats/<key>/<slug>/<signal>", methods=["GET"], endpoint="ping_slug")
@EndpointPolicy(PING_KEY, workspace_from="none", section="18.11")
@blp.doc(**_BY_SLUG)
@blp.refuses("bad_request", "conflict", "validation_failed")
def ping_slug(key: str, slug: str, signal: str) -> Response:
    """Signal a start, a failure, a log text or an exit code by slug

    The path has a ping key of a source, the slug of one of its monitors, and the signal.
    """
    return _by_slug(key, slug, signal)


@blp.route("/heartbeats/<key>/<slug>/<signal>", methods=["POST"], endpoint="ping_slug_with_text")
@EndpointPolicy(PING_KEY, workspace_from="none", own_body=True, section="18.11")
@blp.doc(**_BY_SLUG, **_TEXT)
@blp.refuses("conflict", "validation_failed")
def ping_slug_with_text(key: str, slug: str, signal: str) -> Response:
    """Signal a start, a failure, a log text or an exit code by slug with a text

    Same as `GET`, with text for the log, such as the output of the run.
    """
    return _by_slug(key, slug, signal)


@blp.route("/badges/<badge>", methods=["GET"], endpoint="badge")
@EndpointPolicy(NONE, workspace_from="none", section="18.8")
@blp.doc(
    responses={
        "200": {
            "description": "The badge.",
            "content": {"image/svg+xml": {"schema": {"type": "string"}}, "application/json": {"schema": {}}},
        }
    }
)
def read_badge(badge: str) -> Response:
    """Read a status badge

    The token and its form: `.svg`, `.json` or `.shields`. An unknown one is `not_found`.
    """
    token, _, form = badge.partition(".")
    found = monitors.of_badge(keys.digest(token)) if keys.well_formed(KeyKind.BADGE, token) else None
    if found is None:
        raise NotFound
    response = _badge(form, found.name, rules.status(found.state, found.settings, datetime.now(UTC)))
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    response.headers["Cache-Control"] = "no-cache, max-age=0"
    return response


def _badge(form: str, name: str, status: rules.HeartbeatStatus) -> Response:
    match form:
        case "svg":
            return Response(badge.svg(name, status), mimetype="image/svg+xml")
        case "json":
            return jsonify(badge.json_form(status))
        case "shields":
            return jsonify(badge.shields_form(name, status))
        case _:
            raise NotFound


def _by_handle(handle: str) -> Response:
    bearer = _bearer()
    if slug_pings.is_ping_key(handle):
        raise Unauthenticated(WITHOUT_SLUG)
    if slug_pings.is_ping_key(bearer):
        return _by_slug(bearer, handle, "")
    return _received(bearer, handle) if pings.is_signal(handle) else _received(handle, "")


def _by_two(first: str, second: str) -> Response:
    """Returns a token and a signal, or a ping key and a slug.

    With the ping key as bearer, it returns a slug and a signal.
    """
    if slug_pings.is_ping_key(first):
        return _by_slug(first, second, "")
    if slug_pings.is_ping_key(bearer := _bearer()):
        return _by_slug(bearer, first, second)
    return _received(first, second)


def _received(token: str, signal: str) -> Response:
    kind, exit_code = pings.of_signal(signal)
    if not keys.well_formed(KeyKind.HEARTBEAT, token):
        raise Unauthenticated(NO_TOKEN if not token else "")
    ping.receive(keys.digest(token), _sent(kind, exit_code), datetime.now(UTC))
    return _answer(created=False)


def _by_slug(key: str, slug: str, signal: str) -> Response:
    kind, exit_code = pings.of_signal(signal)
    address, received, now = slug_pings.address_of(key, slug), _sent(kind, exit_code), datetime.now(UTC)
    client = (request.remote_addr or "", received.user_agent)
    store = partial(flow.receive, address, client, received, now)
    if request.args.get("create") == "1" and received.counts:
        return _answer(created=slug_pings.receive_or_create(store, address, now))
    store()
    return _answer(created=False)


def _sent(kind: PingKind, exit_code: int | None) -> ReceivedPing:
    return received_ping(request.environ, kind, exit_code, _run_id())


def received_ping(
    environ: dict[str, Any], kind: PingKind, exit_code: int | None = None, run_id: UUID | None = None
) -> ReceivedPing:
    """Returns the ping of a request, with the beginning of its body."""
    sent = text_of(environ)
    agent = environ.get("HTTP_USER_AGENT", "")
    text = pings.stored_text(sent, environ.get("CONTENT_TYPE", ""))
    counts = not is_preview(environ) and not previews.is_end_of_alerts(sent)
    return ReceivedPing(kind, exit_code, run_id, environ["REQUEST_METHOD"], pings.short_agent(agent), text, counts)


def _answer(*, created: bool) -> Response:
    status, text = (201, "Created") if created else (200, "OK")
    return Response(text, status, mimetype="text/plain", headers={"Ping-Body-Limit": str(pings.BODY_BYTES)})


def _bearer() -> str:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else ""


def _run_id() -> UUID | None:
    sent = request.args.get("rid")
    if sent is None:
        return None
    if re.fullmatch(r"[0-9a-fA-F-]{32,36}", sent) is None:
        raise BadRequest("`rid` must be a UUID.")
    try:
        return UUID(sent)
    except ValueError:
        raise BadRequest("`rid` must be a UUID.") from None


def text_of(environ: dict[str, Any]) -> bytes:
    """Returns the beginning of the body. The rest is accepted and dropped. Compressed text is not stored."""
    if environ["REQUEST_METHOD"] == "HEAD" or environ.get("HTTP_CONTENT_ENCODING", "identity").lower() != "identity":
        return b""
    with Body(environ, cap=pings.LARGEST, seconds=BODY_SECONDS) as body:
        return body.read_start(pings.READ_BYTES)
