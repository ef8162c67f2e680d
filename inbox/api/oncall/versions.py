"""Versions of on-call schedules, and how changes are reverted (specification 23.5)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import ADMIN, USER, VIEWER, EndpointPolicy, authorize
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.oncall.schedules import presented
from inbox.api.oncall.schemas.schedules import ScheduleRecord
from inbox.api.oncall.schemas.versions import ScheduleVersions
from inbox.api.routing.schemas.versions import RevertRequest
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.models.routing import versions
from inbox.services.oncall import schedules

blp = Blueprint(
    "schedule_versions", __name__, url_prefix="/v1/schedules", description="Versions of schedules.", section="23.5"
)


@blp.route("/<typeid(sch):schedule_id>/versions", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, ScheduleVersions)
def list_versions(schedule_id: UUID) -> dict[str, Any]:
    """List the versions of an on-call schedule

    The newest first: each saved revision, and who saved it.
    """
    rows = versions.of_record(authorize(schedules.find(schedule_id)).id)
    return {"items": [{"rev": row.rev, "at": row.at, "actor": row.actor, "schedule": row.fields} for row in rows]}


@blp.route("/<typeid(sch):schedule_id>/revert", methods=["POST"], endpoint="revert")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.arguments(RevertRequest)
@blp.response(200, ScheduleRecord)
@blp.refuses("conflict")
def revert(order: dict[str, Any], schedule_id: UUID) -> OnCallSchedule:
    """Revert an on-call schedule to an earlier version

    It becomes the next revision, from now on, as it was.
    """
    schedule = authorize(schedules.find(schedule_id))
    reverted = schedules.revert(schedule, order["rev"], expected_rev=expected_rev(), now=datetime.now(UTC))
    return tagged(presented([reverted])[0])
