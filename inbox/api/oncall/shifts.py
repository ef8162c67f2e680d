"""The shifts of on-call schedules, and who is on call now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.paging import paged
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, authorize, readable_workspaces
from inbox.api.oncall.schedules import SORTS
from inbox.api.oncall.schemas.shifts import LayerShiftsQuery, OnCallNowPage, OnCallNowQuery, ShiftsResponse
from inbox.domain.oncall.handoffs import present_and_next
from inbox.domain.oncall.schedule import FIRST, LAST
from inbox.domain.oncall.shifts import (
    MAX_RANGE,
    MAX_SHIFTS,
    OnCall,
    OriginKind,
    Shift,
    TooManyShifts,
    shifts,
    turns_by_layer,
)
from inbox.domain.values import ids
from inbox.domain.values.ids import Prefix
from inbox.domain.values.refusals import Fault, ValidationFailed
from inbox.flow.oncall import computed
from inbox.models.oncall.schedules import OnCallSchedule
from inbox.services.oncall import schedules

TWO_WEEKS = timedelta(days=14)
"""The period of shifts without `to`."""

AHEAD = timedelta(days=60)
"""The time for which the next change of a schedule is searched."""

_PREFIXES = {
    OriginKind.LAYER: Prefix.LAYER,
    OriginKind.OVERRIDE: Prefix.OVERRIDE,
    OriginKind.FORWARDING: Prefix.FORWARDING,
    OriginKind.CALENDAR: Prefix.SCHEDULE,
}

blp = Blueprint(
    "shifts", __name__, url_prefix="/v1/schedules", description="Shifts, and who is on call now.", section="23.3"
)


@blp.route("/<typeid(sch):schedule_id>/shifts", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.arguments(LayerShiftsQuery, location="query")
@blp.response(200, ShiftsResponse)
def list_shifts(args: dict[str, Any], schedule_id: UUID) -> dict[str, Any]:
    """List the shifts of a schedule

    From `from` until before `to`, at most 366 days and 5,000 shifts. Periods without people are gaps. The past is
    computed with the versions of its time. `layers=true` adds the turns of each layer.
    """
    schedule = authorize(schedules.find(schedule_id))
    now = datetime.now(UTC)
    start = args.get("from_", now)
    end = args.get("to", start + TWO_WEEKS)
    if faults := range_faults(start, end):
        raise ValidationFailed(errors=faults)
    made = computed.with_past(schedule, start, end, now)
    try:
        found = shifts(made, start, end)
        by_layer = turns_by_layer(made, start, end) if args["layers"] else {}
    except TooManyShifts:
        detail = f"More than {MAX_SHIFTS:,} shifts, or too much to compute. Ask for a shorter period."
        raise ValidationFailed(errors=[Fault("/query/to", detail)]) from None
    names = _names(schedule.workspace_id, [*found, *chain.from_iterable(by_layer.values())])
    layers = [{"layer_id": each, "items": _shown(turns, names)} for each, turns in by_layer.items()]
    return {"items": _shown(found, names), "layers": layers}


@blp.route("/on-call-now", methods=["GET"], endpoint="on_call_now")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(OnCallNowQuery, location="query")
@blp.response(200, OnCallNowPage)
def list_on_call_now(args: dict[str, Any]) -> dict[str, Any]:
    """List who is on call now

    For each schedule the people, until others are on call, and who is next.
    """
    query = schedules.existing(readable_workspaces(args.get("workspace_id")))
    page = paged(query, args, sorts=SORTS, id=OnCallSchedule.id, dump=lambda row: row)
    return {**page, "items": _now(page["items"], datetime.now(UTC))}


def shown(found: Sequence[Shift], workspace_id: UUID) -> list[dict[str, Any]]:
    """Returns shifts with the names of their people, as the API shows them."""
    return _shown(found, _names(workspace_id, found))


def range_faults(start: datetime, end: datetime) -> list[Fault]:
    """Returns what is wrong with the period of a request."""
    if not FIRST <= start < LAST:
        return [Fault("/query/from", f"Must be in the years {FIRST.year} to {LAST.year - 1}.")]
    if end <= start:
        return [Fault("/query/to", "Must be later than `from`.")]
    if end - start > MAX_RANGE:
        return [Fault("/query/to", f"Must be at most {MAX_RANGE.days} days after `from`.")]
    return []


def _names(workspace_id: UUID, found: Iterable[Shift]) -> dict[UUID, str]:
    return computed.names(workspace_id, (each.user_id for shift in found for each in shift.people))


def _shown(found: Iterable[Shift], names: Mapping[UUID, str]) -> list[dict[str, Any]]:
    return [
        {"starts_at": each.starts_at, "ends_at": each.ends_at, "people": _people(each.people, names)} for each in found
    ]


def _now(rows: list[OnCallSchedule], now: datetime) -> list[dict[str, Any]]:
    made = computed.current(rows, now, now + AHEAD)
    found = {row.id: present_and_next(made[row.id], now, now + AHEAD) for row in rows}
    users = {each.user_id for pair in found.values() for shift in pair for each in shift.people}
    names = computed.names(rows[0].workspace_id, users) if rows else {}
    schema = OnCallNowPage().item
    return [
        schema.dump(
            {
                "schedule_id": row.id,
                "workspace_id": row.workspace_id,
                "name": row.name,
                "people": _people(found[row.id][0].people, names),
                "until": found[row.id][1].starts_at if len(found[row.id]) > 1 else None,
                "next_people": _people(found[row.id][1].people if len(found[row.id]) > 1 else (), names),
            }
        )
        for row in rows
    ]


def _people(people: Iterable[OnCall], names: Mapping[UUID, str]) -> list[dict[str, Any]]:
    return [
        {
            "user_id": each.user_id,
            "name": names.get(each.user_id, ""),
            "origin": {"kind": str(each.origin.kind), "id": ids.encode(_PREFIXES[each.origin.kind], each.origin.id)},
        }
        for each in people
    ]
