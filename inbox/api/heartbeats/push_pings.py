"""Pings in the format of Uptime Kuma's push monitors, so that scripts only change one address (specification 18.10)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, jsonify, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.link_previews import is_preview
from inbox.api.http.policy import HEARTBEAT_TOKEN, EndpointPolicy
from inbox.api.senders import sender_bodies
from inbox.api.senders.schemas.compatible import closed
from inbox.domain.heartbeats import pings
from inbox.domain.heartbeats.monitor import PingKind
from inbox.domain.senders import keys
from inbox.domain.senders.keys import KeyKind
from inbox.domain.values.refusals import Unauthenticated
from inbox.flow.heartbeats import ping
from inbox.flow.heartbeats.ping import ReceivedPing

UP = "up"
NOT_FOUND = {"ok": False, "msg": "Monitor not found or not active."}
"""The members of a refusal that scripts for this format read."""

blp = Blueprint("push_pings", __name__, description="Pings in the form of another monitor.", section="18.10")


def _parameter(name: str, description: str, **schema: Any) -> dict[str, Any]:
    return {"in": "query", "name": name, "description": description, "schema": {"type": "string", **schema}}


_QUERY = [
    _parameter("status", "`up` or empty is a success. Everything else is a failure.", example=UP),
    _parameter("msg", "Text for the log of pings, cut to 10,000 bytes.", example="OK"),
    _parameter("ping", "A measured time in milliseconds, for the log of pings.", example="12"),
]


_BODY = {
    "required": False,
    "description": "Ignored.",
    "content": {"text/plain": {"schema": {"type": "string"}}},
}
_ANSWER = closed({"ok": {"type": "boolean"}}, "ok")


@blp.route("/api/push/<token>", methods=["GET"], endpoint="ping")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none")
@blp.doc(parameters=_QUERY)
@blp.response(200, _ANSWER)
@blp.refuses("bad_request")
def push(token: str) -> Response:
    """Ping a heartbeat monitor in the form of a push monitor

    The token of the monitor is in the path. Refusals have `ok` and `msg` beside the members of a problem.
    """
    return _pushed(token)


def _add_with_body(method: str) -> None:
    """Adds the endpoint of a method whose requests may have a body."""

    def push_with_body(token: str) -> Response:
        return _pushed(token)

    push_with_body.__doc__ = f"""Ping a heartbeat monitor in the form of a push monitor by {method}

    Same as `GET`. The body is ignored.
    """
    documented = blp.doc(parameters=_QUERY, requestBody=_BODY)(blp.response(200, _ANSWER)(push_with_body))
    declared = EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none", own_body=True)(documented)
    blp.route("/api/push/<token>", methods=[method], endpoint=f"ping_by_{method.lower()}")(declared)


for _method in ("POST", "PUT", "PATCH", "DELETE"):
    _add_with_body(_method)


def _pushed(token: str) -> Response:
    if not keys.well_formed(KeyKind.HEARTBEAT, token):
        raise Unauthenticated(extra=NOT_FOUND)
    sent = sender_bodies.query(request.environ)
    kind = PingKind.SUCCESS if sent.get("status", "") in ("", UP) else PingKind.FAIL
    agent = pings.short_agent(request.headers.get("User-Agent", ""))
    text, counts = pings.stored_text(_text(sent).encode("utf-8", "replace")), not is_preview(request.environ)
    received = ReceivedPing(kind, method=request.method, user_agent=agent, body=text, counts=counts)
    try:
        ping.receive(keys.digest(token), received, datetime.now(UTC))
    except Unauthenticated:
        raise Unauthenticated(extra=NOT_FOUND) from None
    return jsonify({"ok": True})


def _text(sent: dict[str, str]) -> str:
    """Returns the message and the measured time, as far as they were sent."""
    measured = sent.get("ping", "")
    return "\n".join(filter(None, (sent.get("msg", ""), f"ping: {measured} ms" if measured else "")))
