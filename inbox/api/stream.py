"""The live stream of changes in the caller's workspaces (specification 14.1)."""

from __future__ import annotations

from flask import Response, request

from inbox.api.blueprint import Blueprint
from inbox.api.callers import caller
from inbox.api.policy import without_required_mfa
from inbox.domain.refusals import Forbidden
from inbox.live import hub
from inbox.live.stream import Subscriber

blp = Blueprint("stream", __name__, url_prefix="/v1/stream", description="The change stream.")

EXAMPLE = (
    'retry: 3000\n\ndata: {"type":"resync"}\n\n'
    'data: {"type":"incident","id":"inc_01jh3v6kq2e8rt5y7w9x1z3b5d","workspaceId":"wsp_01jh3v6kq2e8rt5y7w9x1z3b5d",'
    '"op":"changed","rev":7}\n\n: ping\n\n'
)


@blp.route("/", methods=["GET"], endpoint="read")
@blp.response(200, {"type": "string"}, content_type="text/event-stream", example=EXAMPLE)
@blp.refuses("forbidden", "rate_limited")
def read() -> Response:
    """Open the change stream

    Server-Sent Events without names. Each `data:` line is a reference to what changed, never its content:
    `{"type", "id", "workspaceId", "op", "rev"}`, where `op` is `created`, `changed` or `deleted`, and `workspaceId` is
    null for what belongs to the caller alone. `{"type":"resync"}`, sent first of all and whenever changes may have been
    missed, means: reload everything shown; so `Last-Event-ID` is not needed. `: ping` comes every 25 seconds. A client
    that falls behind is disconnected. A web process holds at most 10
    streams of a person and 2,000 of a workspace.
    """
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise Forbidden("Requests from other sites are refused.")
    who = caller()
    listener = Subscriber(
        who.user_id, who.credential_id, frozenset(who.workspace_ids) - without_required_mfa(), who.by_device
    )
    stream = hub.current().open(listener, request.environ.get("gunicorn.socket"))
    return Response(stream, mimetype="text/event-stream", headers=HEADERS, direct_passthrough=True)


HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
