"""The shifts of one person in all schedules."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, readable_workspaces
from inbox.api.oncall.schemas.shifts import PersonShiftsQuery, PersonShiftsResponse
from inbox.api.oncall.shifts import AHEAD, TWO_WEEKS, range_faults
from inbox.domain.oncall.shifts import MAX_STEPS, TooManyShifts, periods_of, upcoming
from inbox.domain.values.refusals import Fault, TooCostly, ValidationFailed
from inbox.flow.oncall import computed
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.oncall import schedules

MOST = 400
"""The maximum number of schedules that one request computes."""

TOO_MANY = f"More than {MOST} schedules. Name a workspace with `workspaceId`."

TOO_MUCH = "The schedules have too many shifts in this period. Ask for a shorter one."

blp = Blueprint(
    "person_shifts", __name__, url_prefix="/v1/schedules", description="The shifts of a person.", section="23.3"
)


@blp.route("/person-shifts", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(PersonShiftsQuery, location="query")
@blp.response(200, PersonShiftsResponse)
@blp.refuses("too_costly")
def list_person_shifts(args: dict[str, Any]) -> dict[str, Any]:
    """List the shifts of a person

    In all schedules, from `from` until before `to`, at most 60 days. Adjoining shifts are one.
    """
    reach = readable_workspaces(args.get("workspace_id"))
    now = datetime.now(UTC)
    start = max(args.get("from_", now), now)
    end = args.get("to", start + TWO_WEEKS)
    faults = range_faults(start, end)
    if not faults and end - start > AHEAD:
        faults = [Fault("/query/to", f"Must be at most {AHEAD.days} days after `from`.")]
    if faults:
        raise ValidationFailed(errors=faults)
    rows = list(schedules.existing(reach).limit(MOST + 1))
    if len(rows) > MOST:
        raise TooCostly(TOO_MANY)
    found = _shifts_of(args.get("user_id") or caller().user_id, rows, start, end)
    return {"items": sorted(found, key=lambda each: (each["starts_at"], each["schedule_name"]))}


def _shifts_of(user_id: UUID, rows: list[OnCallSchedule], start: datetime, end: datetime) -> list[dict[str, Any]]:
    made = computed.current(rows, start, end)
    steps = MAX_STEPS // max(1, len(rows))
    try:
        return [
            {"schedule_id": row.id, "schedule_name": row.name, "starts_at": begins, "ends_at": ends}
            for row in rows
            for begins, ends in periods_of(user_id, upcoming(made[row.id], start, end, steps))
        ]
    except TooManyShifts:
        raise TooCostly(TOO_MUCH) from None
