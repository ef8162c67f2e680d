"""Previews of on-call schedules: who would be on call before and after an edit is saved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import ADMIN, USER, EndpointPolicy, authorize_in
from inbox.api.http.request_examples import RequestExample
from inbox.api.oncall.schemas.previews import OnCallPreview, OnCallPreviewRequest
from inbox.api.oncall.schemas.schedules import EXAMPLE_LAYERS
from inbox.api.oncall.shifts import shown
from inbox.services.oncall import preview

blp = Blueprint(
    "schedule_previews", __name__, url_prefix="/v1/schedules", description="Previews of schedules.", section="23.4"
)


@blp.route("/preview", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("scheduleId", "calendarUrl"), values={"layers": EXAMPLE_LAYERS})
@blp.arguments(OnCallPreviewRequest, cross_check=lambda fields: _check(fields["workspace_id"], fields))
@blp.response(200, OnCallPreview)
@blp.refuses("too_costly", "rate_limited", "unavailable")
def create(fields: dict[str, Any]) -> dict[str, Any]:
    """Preview an on-call schedule

    The shifts of the next four weeks before and after an edit, or of a new schedule. Nothing is stored or changed.
    An external calendar is read: the one at `calendarUrl`, or without it the one that the schedule follows.
    """
    workspace_id = authorize_in(fields["workspace_id"])
    found = preview.preview(workspace_id, fields, now=datetime.now(UTC))
    return {
        "starts_at": found.start,
        "ends_at": found.end,
        "layers": found.layers,
        "before": shown(found.before, workspace_id),
        "after": shown(found.after, workspace_id),
        "changes": [{"starts_at": begins, "ends_at": ends} for begins, ends in found.changes],
        "problems": found.problems,
        "unmatched": found.unmatched,
    }


def _check(workspace_id: UUID, fields: ParsedBody) -> None:
    if fields.judgeable("timezone", "layers", "calendar_url"):
        preview.check(workspace_id, fields)
