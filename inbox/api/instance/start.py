"""All data for the first page of a client in one answer (specification 11.9)."""

from __future__ import annotations

from typing import Any

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.policy import USER, EndpointPolicy, readable_workspaces
from inbox.api.instance import info
from inbox.api.instance.schemas.start import StartRecord
from inbox.api.people import preferences
from inbox.api.people.me import own_account
from inbox.api.workspaces.workspaces import presented
from inbox.models.instance import progress
from inbox.models.workspaces.tables import Workspace
from inbox.services.incidents import counts
from inbox.services.workspaces import workspaces

blp = Blueprint("start", __name__, url_prefix="/v1/start", description="What a client needs first.", section="11.9")


@blp.route("/", methods=["GET"], endpoint="read")
@EndpointPolicy(USER)
@blp.response(200, StartRecord)
@blp.refuses("unavailable")
def read() -> dict[str, Any]:
    """Get everything for the first page

    The instance, the account, preferences and workspaces, the counts of unresolved incidents, and the missing steps of
    the set-up.
    """
    who, roles, readable = caller(), caller().roles, readable_workspaces(None)
    rows = workspaces.existing(who.workspace_ids).order_by(Workspace.name, Workspace.id)
    return {
        "info": info.instance_info(),
        "me": own_account(),
        "preferences": preferences.of_caller(),
        "workspaces": presented(rows, roles),
        "counts": counts.counts(readable, {}, person=who.user_id),
        "progress": progress.of(readable, who.user_id),
    }
