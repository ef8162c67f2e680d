"""Overrides of on-call schedules: people who cover for others, are added, replaced or removed for a time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.parsing import ParsedBody
from inbox.api.http.policy import MEMBER, USER, VIEWER, EndpointPolicy, authorize
from inbox.api.http.request_examples import RequestExample
from inbox.api.http.revisions import expected_rev, tagged
from inbox.api.oncall.schemas.overrides import OverrideEdit, OverrideNew, OverrideRecord, OverridesPage, OverridesQuery
from inbox.models.oncall.schedules import OnCallOverride, OnCallSchedule, of_schedule
from inbox.services.oncall import overrides, schedules
from inbox.services.oncall.editors import Editor

blp = Blueprint(
    "overrides", __name__, url_prefix="/v1/schedules", description="Overrides of on-call schedules.", section="23.7"
)


@blp.route("/<typeid(sch):schedule_id>/overrides", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.arguments(OverridesQuery, location="query")
@blp.response(200, OverridesPage)
def list_overrides(args: dict[str, Any], schedule_id: UUID) -> dict[str, Any]:
    """List the overrides of a schedule

    Those that have not ended, or with `ended=true` the others.
    """
    schedule, now = authorize(schedules.find(schedule_id)), datetime.now(UTC)
    ended = OnCallOverride.ends_at <= now
    query = of_schedule(schedule.id).where(ended if args.get("ended") else ~ended)
    sorts = {"startsAt": OnCallOverride.starts_at, "created": OnCallOverride.created_at}
    return paged(query, args, sorts=sorts, id=OnCallOverride.id, dump=lambda row: row)


@blp.route("/<typeid(sch):schedule_id>/overrides", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@RequestExample(leave_out=("insteadOf", "layerIds"), values={"startsAt": "@day+1", "endsAt": "@day+2"})
@blp.arguments(
    OverrideNew, cross_check=lambda fields, schedule_id: _check(authorize(schedules.find(schedule_id)), fields)
)
@blp.response(201, OverrideRecord)
@blp.refuses("conflict", "forbidden")
def create(fields: dict[str, Any], schedule_id: UUID) -> OnCallOverride:
    """Create an override

    The last one that was created counts. Members put themselves on call, or somebody in their own place; other overrides
    require the role `admin`.
    """
    schedule, who = authorize(schedules.find(schedule_id)), caller()
    by = Editor(who.user_id, who.roles[schedule.workspace_id])
    return tagged(overrides.create(schedule, fields, by=by, now=datetime.now(UTC)))


@blp.route("/<typeid(sch):schedule_id>/overrides/<typeid(ovr):override_id>", methods=["PATCH"], endpoint="edit")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@RequestExample(leave_out=("insteadOf", "layerIds"), values={"startsAt": "@day+1", "endsAt": "@day+2"})
@blp.arguments(
    OverrideEdit,
    cross_check=lambda fields, schedule_id, override_id: _check_edit(
        authorize(schedules.find(schedule_id)), override_id, fields
    ),
)
@blp.response(200, OverrideRecord)
@blp.refuses("conflict", "forbidden")
def edit(fields: dict[str, Any], schedule_id: UUID, override_id: UUID) -> OnCallOverride:
    """Change an override

    Of one that has begun, `endsAt` and `reason` can change. An override of another person requires the role `admin`.
    """
    schedule, who = authorize(schedules.find(schedule_id)), caller()
    changed = overrides.edit(
        schedule,
        override_id,
        fields,
        by=Editor(who.user_id, who.roles[schedule.workspace_id]),
        expected_rev=expected_rev(),
        now=datetime.now(UTC),
    )
    return tagged(changed)


@blp.route("/<typeid(sch):schedule_id>/overrides/<typeid(ovr):override_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, MEMBER, workspace_from="record")
@blp.response(204)
@blp.refuses("conflict", "forbidden")
def remove(schedule_id: UUID, override_id: UUID) -> None:
    """Remove an override

    One that has begun ends now, and its past stays. An override of another person requires the role `admin`.
    """
    schedule, who = authorize(schedules.find(schedule_id)), caller()
    by = Editor(who.user_id, who.roles[schedule.workspace_id])
    overrides.remove(schedule, override_id, by=by, expected_rev=expected_rev(), now=datetime.now(UTC))


def _check(schedule: OnCallSchedule, fields: ParsedBody) -> None:
    if not fields.refused and "ends_at" in fields and "user_ids" in fields:
        overrides.check(schedule, fields, datetime.now(UTC))


def _check_edit(schedule: OnCallSchedule, override_id: UUID, fields: ParsedBody) -> None:
    override = overrides.find(schedule.id, override_id)
    if not fields.refused and override is not None:
        overrides.check(schedule, fields, datetime.now(UTC), override)
