"""The live stream of changes in the caller's workspaces (specification 14.1)."""

from __future__ import annotations

from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.policy import USER, EndpointPolicy, without_required_mfa
from inbox.domain.values.refusals import Forbidden
from inbox.live import hub
from inbox.live.stream import Subscriber

blp = Blueprint("stream", __name__, url_prefix="/v1/stream", description="The change stream.", section="14.1")

EXAMPLE = (
    'retry: 3000\n\ndata: {"type":"resync","workspaceId":null,"spreadSeconds":0}\n\n'
    'data: {"type":"incident","id":"inc_01jh3v6kq2e8rt5y7w9x1z3b5d","workspaceId":"wsp_01jh3v6kq2e8rt5y7w9x1z3b5d",'
    '"op":"changed","rev":7}\n\n: ping\n\n'
)


@blp.route("/", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, workspace_from="caller", read_slot=False)
@blp.response(200, {"type": "string"}, content_type="text/event-stream", example=EXAMPLE)
@blp.doc(**{"x-event-data": {"$ref": "#/components/schemas/Change"}})
@blp.refuses("forbidden", "rate_limited")
def read() -> Response:
    """Open the change stream

    Server-Sent Events without names. Each `data:` line is a `Change`: a reference to a changed record, never its
    content. `resync` is sent first, and whenever changes may have been missed. Then reload the view of `workspaceId`,
    or everything when it is null, after a random part of `spreadSeconds`. `Last-Event-ID` is not needed. `: ping` comes
    every 25 seconds. A client that falls behind is disconnected. A web process holds at most 10 streams of a person and
    2,000 of a workspace. `EventSource` gives up on 401, 429 and 503: read the status with `fetch`, and open the stream
    again.
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
