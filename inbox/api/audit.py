"""The audit log of a workspace."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox.api.blueprint import Blueprint
from inbox.api.paging import numbered, turned
from inbox.api.policy import permitted_in
from inbox.api.schemas.audit import AuditPage, AuditQuery
from inbox.models import entries
from inbox.models.audit import AuditEntry

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
    if "offset" in args:
        columns, rows = (AuditEntry.id,), entries.all_of(here, args)
        return numbered(rows, args, columns=columns, id=AuditEntry.id, dump=lambda row: row)
    way = {"descending": args["order"] == "desc", "limit": args["limit"]}
    return turned(lambda after: entries.turn(here, args, after=after, **way), args, dump=lambda row: row)
