"""The records of a workspace that files keep (specification 24.4)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox.api.configuration.schemas.kept_records import PREFIXES, KeptRecordsPage, KeptRecordsQuery
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import paged
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, authorize_in
from inbox.domain.values import ids
from inbox.models.records import kept
from inbox.models.records.kept import KeptRecord

blp = Blueprint(
    "kept_records",
    __name__,
    url_prefix="/v1/workspaces",
    description="Records that files keep: configuration as code.",
    section="24.4",
)


@blp.route("/<typeid(wsp):workspace_id>/kept-records", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="path")
@blp.arguments(KeptRecordsQuery, location="query")
@blp.response(200, KeptRecordsPage)
def list_kept_records(args: dict[str, Any], workspace_id: UUID) -> dict[str, Any]:
    """List the records that files keep

    An operator applies the files with `bin/inbox config apply`. It sets a record that a person changes back to its file.
    """
    query = kept.selected(authorize_in(workspace_id), args.get("record_id"), args.get("record_type"))
    return paged(query, args, sorts={"key": KeptRecord.key}, id=KeptRecord.record_id, dump=_presented)


def _presented(row: KeptRecord) -> KeptRecord:
    row.typeid = ids.encode(PREFIXES[row.record_type], row.record_id)
    return row
