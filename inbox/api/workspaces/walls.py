"""The wall display without a session, and its link (specification 12.11)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import request

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import scanned_page
from inbox.api.http.policy import ADMIN, NONE, USER, VIEWER, EndpointPolicy, authorize_in
from inbox.api.workspaces.schemas.walls import WallDisplay, WallLink, WallLinkCreated, WallToken
from inbox.domain.incidents.state_machine import State
from inbox.models.incidents.search import INCIDENTS
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents import counts
from inbox.services.workspaces import walls

SHOWN = 40
"""The incidents of a display: more than any screen has room for."""

NOBODY = UUID(int=0)
STATES = [str(State.OPEN), str(State.ACKNOWLEDGED)]

blp = Blueprint("walls", __name__, url_prefix="/v1", description="The wall display.", section="12.11")

OF_WORKSPACE = "/workspaces/<typeid(wsp):workspace_id>/wall-link"


@blp.route(OF_WORKSPACE, methods=["GET"], endpoint="read_link")
@EndpointPolicy(USER, VIEWER, workspace_from="path")
@blp.response(200, WallLink)
def read_link(workspace_id: UUID) -> dict[str, Any]:
    """Read whether the wall display has a link"""
    return {"created_at": Workspace.get_by_id(authorize_in(workspace_id)).wall_created_at}


@blp.route(OF_WORKSPACE, methods=["POST"], endpoint="create_link")
@EndpointPolicy(USER, ADMIN, workspace_from="path")
@blp.response(201, WallLinkCreated)
def create_link(workspace_id: UUID) -> dict[str, Any]:
    """Create a link to the wall display

    Whoever has it reads titles, severities and resources of open incidents and names of monitors, and can do nothing.
    It is answered once. A former link ends.
    """
    now = datetime.now(UTC)
    return {"link": walls.create(authorize_in(workspace_id), now), "created_at": now}


@blp.route(OF_WORKSPACE, methods=["DELETE"], endpoint="remove_link")
@EndpointPolicy(USER, ADMIN, workspace_from="path")
@blp.response(204)
def remove_link(workspace_id: UUID) -> None:
    """Revoke the link to the wall display

    Displays that use it show nothing from their next read on.
    """
    walls.remove(authorize_in(workspace_id), datetime.now(UTC))


@blp.route("/wall", methods=["POST"], endpoint="read")
@EndpointPolicy(NONE, workspace_from="none")
@blp.arguments(WallToken)
@blp.response(200, WallDisplay)
@blp.refuses("not_found", "rate_limited")
def read(fields: dict[str, Any]) -> dict[str, Any]:
    """Read the wall display

    Public: requires the link's token only. The token is in the body, because logs show addresses.
    """
    now = datetime.now(UTC)
    workspace = walls.find(fields["token"], now, address=request.remote_addr or "")
    chosen = {"state": STATES, "sort": "severity", "order": "desc", "limit": SHOWN}
    page = scanned_page(INCIDENTS.search([workspace.id], chosen), chosen, dump=lambda row: row)
    return {
        "at": now,
        "workspace_name": workspace.name,
        "timezone": workspace.timezone,
        "by_state": counts.counts([workspace.id], {}, person=NOBODY)["by_state"],
        "by_severity": counts.counts([workspace.id], {"state": STATES}, person=NOBODY)["by_severity"],
        "incidents": page["items"],
        "heartbeats": walls.heartbeats(workspace.id, now),
    }
