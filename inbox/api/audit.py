"""The audit log of a workspace."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox.api.blueprint import Blueprint
from inbox.api.paging import walked
from inbox.api.policy import permitted_in
from inbox.api.schemas.audit import AuditPage, AuditQuery
from inbox.models import entries

blp = Blueprint("audit", __name__, url_prefix="/v1/workspaces", description="Who did what in a workspace.")


@blp.route("/<typeid(wsp):workspace_id>/audit-log", methods=["GET"], endpoint="list")
@blp.arguments(AuditQuery, location="query")
@blp.response(200, AuditPage)
def list_entries(args: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """Read the audit log

    Newest first. Entries are never changed, and outlive what they tell of, until the workspace's retention removes them. A
    page may have few entries or none: more follow as long as `nextCursor` is not null.
    """
    here = permitted_in(workspace_id)
    return walked(entries.listed(here, args), args, dump=lambda row: row)
