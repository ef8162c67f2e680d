"""Closing the caller's own account (specification 12.5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response, make_response

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller, delete_session_cookie
from inbox.api.http.policy import REAUTH, USER, EndpointPolicy
from inbox.api.http.revisions import expected_rev
from inbox.api.people.schemas.accounts import ClosingRecord
from inbox.domain.values.refusals import WorkspaceNeedsOwner
from inbox.services.workspaces import deletion

blp = Blueprint("account", __name__, url_prefix="/v1", description="Closing your own account.", section="12.5")


@blp.route("/me/closing", methods=["GET"], endpoint="read_blockers")
@EndpointPolicy(USER, workspace_from="none")
@blp.response(200, ClosingRecord)
def read_blockers() -> dict[str, Any]:
    """Get what prevents closing your account

    All reasons for which `DELETE /v1/me` would be 409 now. Without workspaces, and with `isLastAdministrator` false, the
    account can be closed.
    """
    refusals = deletion.closing_refusals(caller().user_id)
    reason = WorkspaceNeedsOwner.code
    named = [{"id": each.id, "name": each.name, "reason": reason} for each in refusals.workspaces]
    return {"workspaces": named, "is_last_administrator": refusals.is_last_administrator}


@blp.route("/me", methods=["DELETE"], endpoint="close")
@EndpointPolicy(USER, step_up=REAUTH, workspace_from="none")
@blp.response(204)
@blp.refuses("workspace_needs_owner", "last_instance_admin")
def close_account() -> Response:
    """Close your own account

    Closes every workspace in which the caller is the only member, ends every session, and unpairs every device. 409
    where other members would remain without an owner; `workspace` names that workspace. The data are removed after 7
    days.
    """
    deletion.close_account(caller().user_id, expected_rev=expected_rev(), now=datetime.now(UTC))
    answer = make_response("", 204)
    delete_session_cookie(answer)
    return answer
