"""Notice endpoints."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from inbox.api.deliveries.schemas.notices import NoticeRecord
from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, authorize
from inbox.services.explaining import notices

blp = Blueprint(
    "notices", __name__, url_prefix="/v1/notices", description="Notices of incidents and events.", section="7.7"
)


@blp.route("/<typeid(ntc):notice_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, NoticeRecord)
def read(notice_id: UUID) -> dict[str, Any]:
    """Get a notice

    With the decision for each destination, the reasons in sentences, and the deliveries with their attempts. Its body
    has what the newest event said, as long as that event is stored.
    """
    notice = authorize(notices.find(notice_id))
    return notices.detailed(notice.workspace_id, [notice.id], with_event=True)[0]
