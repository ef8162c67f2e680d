"""The export of a workspace (specification 12.6)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from flask import Response, request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.policy import OWNER, REAUTH, USER, EndpointPolicy, authorize_in
from inbox.domain.values.refusals import Forbidden
from inbox.domain.workspaces.export_format import FORMAT, VERSION
from inbox.services.workspaces import export

blp = Blueprint(
    "export", __name__, url_prefix="/v1/workspaces", description="Export of a workspace as one file.", section="12.6"
)

DOCUMENT = {
    "type": "object",
    "required": ["format", "version", "exportedAt", "workspace"],
    "properties": {
        "format": {"type": "string", "enum": [FORMAT]},
        "version": {"type": "integer", "enum": [VERSION]},
        "exportedAt": {"type": "string", "format": "date-time"},
        "workspace": {"type": "object"},
    },
    "additionalProperties": {"type": "array", "items": {"type": "object"}},
}
EXAMPLE = {
    "format": FORMAT,
    "version": VERSION,
    "exportedAt": "2026-03-01T12:00:00.000Z",
    "workspace": {"name": "Acme", "slug": "acme"},
    "events": [],
}


@blp.route("/<typeid(wsp):workspace_id>/export", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, OWNER, step_up=REAUTH, workspace_from="path")
@blp.response(200, DOCUMENT, content_type="application/json", example=EXAMPLE)
@blp.refuses("forbidden", "rate_limited")
def read(workspace_id: UUID) -> Response:
    """Export a workspace

    One JSON document as a file: the workspace and a list per kind of record, all of the same moment. It contains no
    keys, hashes or sealed values. The document is streamed; a document that was cut off is invalid JSON. Once a minute.
    """
    if request.headers.get("Sec-Fetch-Site") == "cross-site":
        raise Forbidden("Requests from other sites are refused.")
    here, now = authorize_in(workspace_id), datetime.now(UTC)
    if request.method == "HEAD":
        return Response(mimetype="application/json")  # HEAD begins no export and does not use up the minute
    body = export.begin(here, caller().user_id, now=now, sock=request.environ.get("gunicorn.socket"))
    headers = {
        "Content-Disposition": f'attachment; filename="{body.filename}"',
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",
    }
    return Response(body, mimetype="application/json", headers=headers, direct_passthrough=True)
