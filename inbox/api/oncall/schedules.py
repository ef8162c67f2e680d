"""On-call schedules: who is on call at which time, by layers of people who take turns, or by an external calendar."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from flask import url_for

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import containing, paged
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import (
    ADMIN,
    USER,
    VIEWER,
    EndpointPolicy,
    authorize,
    authorize_deleted,
    authorize_in,
    readable_workspaces,
)
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.oncall.schemas.schedules import (
    EXAMPLE_LAYERS,
    ScheduleEdit,
    ScheduleNew,
    ScheduleRecord,
    SchedulesPage,
    SchedulesQuery,
)
from inbox.flow.oncall import problem_watch
from inbox.models.oncall import calendars, slack
from inbox.models.oncall.calendars import OnCallCalendar
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.oncall import schedules

SORTS = {"name": OnCallSchedule.name, "created": OnCallSchedule.created_at}

blp = Blueprint(
    "schedules",
    __name__,
    url_prefix="/v1/schedules",
    description="On-call schedules: layers of people who take turns, overrides, shifts.",
    section="23.1",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(SchedulesQuery, location="query")
@blp.response(200, SchedulesPage)
def list_schedules(args: dict[str, Any]) -> dict[str, Any]:
    """List on-call schedules

    Each with its problems. `deleted=true` lists the deleted ones of the last seven days.
    """
    reach = readable_workspaces(args.get("workspace_id"))
    query = schedules.deleted(reach) if args.get("deleted") else schedules.existing(reach)
    query = containing(query, args, OnCallSchedule.name)
    page = paged(query, args, sorts=SORTS, id=OnCallSchedule.id, dump=lambda row: row)
    return {**page, "items": presented(page["items"])}


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, ADMIN, workspace_from="body")
@RequestExample(leave_out=("noticeDestinationId", "calendarUrl", "slack"), values={"layers": EXAMPLE_LAYERS})
@blp.arguments(ScheduleNew, cross_check=lambda fields: _check(fields["workspace_id"], fields))
@blp.response(201, ScheduleRecord)
@blp.refuses("conflict")
def create(fields: dict[str, Any]) -> tuple[OnCallSchedule, int, dict[str, str]]:
    """Create an on-call schedule

    Its layers take turns from their starts. A start that clocks skip or show twice is refused.
    """
    workspace_id = authorize_in(fields.pop("workspace_id"))
    schedule = schedules.create(workspace_id, fields, now=datetime.now(UTC))
    return _one(schedule), 201, {"Location": url_for("schedules.read", schedule_id=schedule.id)}


@blp.route("/<typeid(sch):schedule_id>", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(200, ScheduleRecord)
def read(schedule_id: UUID) -> OnCallSchedule:
    """Read an on-call schedule"""
    return _one(authorize(schedules.find(schedule_id)))


@blp.route("/<typeid(sch):schedule_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@RequestExample(leave_out=("noticeDestinationId", "calendarUrl", "slack"), values={"layers": EXAMPLE_LAYERS})
@blp.arguments(
    ScheduleEdit,
    cross_check=lambda fields, schedule_id: _check_edit(authorize(schedules.find(schedule_id)), fields),
)
@blp.response(200, ScheduleRecord)
@blp.refuses("conflict")
def edit(fields: dict[str, Any], schedule_id: UUID) -> OnCallSchedule:
    """Change an on-call schedule

    From now on. Who is on call now stays on call, unless the start of the layer changes: `members` are rotated.
    """
    schedule = authorize(schedules.find(schedule_id))
    return _one(schedules.edit(schedule, fields, expected_rev=expected_rev(), now=datetime.now(UTC)))


@blp.route("/<typeid(sch):schedule_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, ADMIN, workspace_from="record")
@blp.response(204)
@blp.refuses("conflict")
def remove(schedule_id: UUID) -> None:
    """Delete an on-call schedule

    It can be restored for seven days.
    """
    schedules.remove(authorize(schedules.find(schedule_id)), expected_rev=expected_rev(), now=datetime.now(UTC))


@blp.route("/<typeid(sch):deleted_schedule_id>/restore", methods=["POST"], endpoint="restore")
@EndpointPolicy(USER, ADMIN, workspace_from="record", section="23.5")
@blp.response(200, ScheduleRecord)
@blp.refuses("conflict")
def restore(deleted_schedule_id: UUID) -> OnCallSchedule:
    """Restore a deleted on-call schedule

    Within seven days of its deletion, with its overrides. 409 when it is not deleted.
    """
    schedule = authorize_deleted(schedules.find_any(deleted_schedule_id))
    return _one(schedules.restore(schedule, now=datetime.now(UTC)))


def presented(rows: list[OnCallSchedule]) -> list[OnCallSchedule]:
    """Returns the schedules with their problems, as the API shows them."""
    found = problem_watch.of_schedules(rows, datetime.now(UTC))
    external = calendars.of_schedules([row.id for row in rows])
    in_slack = slack.of_schedules([row.id for row in rows])
    for row in rows:
        row.slack = in_slack.get(row.id)
        row.problems = found[row.id]
        row.calendar = _calendar(row, external[row.id]) if row.id in external else None
    return rows


def _calendar(row: OnCallSchedule, calendar: OnCallCalendar) -> dict[str, Any]:
    return {
        "hint": calendar.hint,
        "is_followed": row.follows_calendar,
        "read_at": calendar.read_at,
        "failing_since": calendar.failing_since,
        "failure": calendar.failure,
        "unmatched_total": len(calendar.unmatched),
    }


def _one(schedule: OnCallSchedule) -> OnCallSchedule:
    return tagged(presented([schedule])[0])


def _check(workspace_id: UUID, fields: ParsedBody) -> None:
    if fields.judgeable("timezone", "layers", "notice_destination_id", "calendar_url", "slack"):
        schedules.check(workspace_id, fields)


def _check_edit(schedule: OnCallSchedule, fields: ParsedBody) -> None:
    if fields.judgeable("timezone", "layers", "notice_destination_id", "calendar_url", "slack"):
        schedules.check(schedule.workspace_id, fields, schedule)
