"""Closing: the caller's own account, and a workspace (spec 4)."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from flask import Response, make_response

from inbox.api.blueprint import Blueprint
from inbox.api.callers import caller, take_cookie
from inbox.api.policy import permitted_in
from inbox.api.revisions import expected_rev
from inbox.services import closing

blp = Blueprint("closing", __name__, url_prefix="/v1", description="Ending an account or a workspace.")


@blp.route("/me", methods=["DELETE"], endpoint="account")
@blp.response(204)
@blp.refuses("workspace_needs_owner", "last_instance_admin")
def close_account() -> Response:
    """Close your own account

    With it every workspace that you have for yourself, every session and every paired device. Where others remain
    without an owner it is refused, and `workspace` names the workspace. Its data are removed after 7 days.
    """
    closing.close_account(caller().user_id, expected_rev=expected_rev(), now=datetime.now(UTC))
    answer = make_response("", 204)
    take_cookie(answer)
    return answer


@blp.route("/workspaces/<typeid(wsp):workspace_id>", methods=["DELETE"], endpoint="workspace")
@blp.response(204)
@blp.refuses("last_workspace")
def close_workspace(workspace_id: UUID) -> None:
    """Close a workspace

    Its keys are refused from the next request on, and nothing leaves it any more. Its data are removed after 7 days.
    """
    here = permitted_in(workspace_id)
    closing.close_workspace(here, caller().user_id, expected_rev=expected_rev(), now=datetime.now(UTC))
