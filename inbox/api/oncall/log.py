"""The log of who was on call by a schedule."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, authorize
from inbox.api.oncall.schemas.log import OnCallLogQuery, OnCallLogResponse
from inbox.api.oncall.shifts import TWO_WEEKS, range_faults
from inbox.domain.oncall.shifts import MAX_SHIFTS
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.flow.oncall import computed
from inbox.models.oncall import log
from inbox.services.oncall import schedules

blp = Blueprint(
    "on_call_log", __name__, url_prefix="/v1/schedules", description="The log of who was on call.", section="23.10"
)


@blp.route("/<typeid(sch):schedule_id>/log", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.arguments(OnCallLogQuery, location="query")
@blp.response(200, OnCallLogResponse)
def list_log(args: dict[str, Any], schedule_id: UUID) -> dict[str, Any]:
    """List who was on call

    From `from` until before `to`, at most 366 days and 5,000 times of people. A time without an end lasts.
    """
    schedule = authorize(schedules.find(schedule_id))
    end = args.get("to", datetime.now(UTC))
    start = args.get("from_", end - TWO_WEEKS)
    if faults := range_faults(start, end):
        raise ValidationFailed(errors=faults)
    rows = log.within(schedule.id, start, end, MAX_SHIFTS + 1)
    if len(rows) > MAX_SHIFTS:
        detail = f"More than {MAX_SHIFTS:,} times of people. Ask for a shorter period."
        raise ValidationFailed(errors=[Fault("/query/to", detail)])
    names = computed.names(schedule.workspace_id, (row.user_id for row in rows))
    return {
        "items": [
            {
                "user_id": row.user_id,
                "name": names.get(row.user_id, ""),
                "starts_at": row.starts_at,
                "ends_at": row.ends_at,
            }
            for row in rows
        ]
    }
