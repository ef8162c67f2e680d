"""Pings in the format of Uptime Kuma's push monitors, so that scripts only change one address (specification 18.10)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, jsonify, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import HEARTBEAT_TOKEN, EndpointPolicy
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
    _parameter("status", "`up`, which is the default, is a success. Everything else is a failure.", example=UP),
    _parameter("msg", "Text for the log of pings.", example="OK"),
    _parameter("ping", "A measured time in milliseconds, for the log of pings.", example="12"),
]


@blp.route("/api/push/<token>", methods=["GET"], endpoint="ping")
@EndpointPolicy(HEARTBEAT_TOKEN, workspace_from="none")
@blp.doc(parameters=_QUERY)
@blp.response(200, closed({"ok": {"type": "boolean"}}, "ok"))
def push(token: str) -> Response:
    """Ping a heartbeat monitor in the form of a push monitor

    The token of the monitor is in the path. Refusals have `ok` and `msg` beside the members of a problem.
    """
    if not keys.well_formed(KeyKind.HEARTBEAT, token):
        raise Unauthenticated(extra=NOT_FOUND)
    kind = PingKind.SUCCESS if request.args.get("status", UP) == UP else PingKind.FAIL
    agent = pings.short_agent(request.headers.get("User-Agent", ""))
    received = ReceivedPing(
        kind, method=request.method, user_agent=agent, body=pings.stored_text(_text().encode("utf-8", "replace"))
    )
    try:
        ping.receive(keys.digest(token), received, datetime.now(UTC))
    except Unauthenticated:
        raise Unauthenticated(extra=NOT_FOUND) from None
    return jsonify({"ok": True})


def _text() -> str:
    """Returns the message and the measured time, as far as they were sent."""
    measured = request.args.get("ping", "")
    return "\n".join(filter(None, (request.args.get("msg", ""), f"ping: {measured} ms" if measured else "")))
