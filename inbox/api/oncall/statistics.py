"""Statistics of people on call."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from flask import Response

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.csv_files import lines
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, readable_workspaces
from inbox.api.oncall.schemas.statistics import OnCallFigures, OnCallStatistics, OnCallStatisticsQuery
from inbox.api.oncall.shifts import TWO_WEEKS, range_faults
from inbox.domain.oncall.statistics import Figures, Responses
from inbox.domain.values.refusals import ValidationFailed
from inbox.flow.oncall import computed
from inbox.services.oncall import statistics

COLUMNS = (
    "name", "onCallSeconds", "weekendSeconds", "nights", "shifts", "pages", "acknowledgedIncidents",
    "medianResponseSeconds", "userId",
)  # fmt: skip
"""The columns of an export, with the names of `OnCallFigures`."""

blp = Blueprint(
    "on_call_statistics",
    __name__,
    url_prefix="/v1/schedules",
    description="Statistics of people on call.",
    section="23.15",
)


@blp.route("/statistics", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(OnCallStatisticsQuery, location="query")
@blp.response(200, OnCallStatistics)
@blp.refuses("too_costly")
def read(args: dict[str, Any]) -> dict[str, Any]:
    """Read statistics of people on call

    From `from` until `to` or now, at most 366 days, from the log: hours, nights and weekends of each person,
    their pages and how fast they answered.
    """
    return {"items": _figures(args)}


@blp.route("/statistics/export", methods=["GET"], endpoint="export")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(OnCallStatisticsQuery, location="query")
@blp.response(200, {"type": "string"}, content_type="text/csv", example=f"{','.join(COLUMNS)}\r\n")
@blp.refuses("too_costly")
def export(args: dict[str, Any]) -> Response:
    """Export statistics of people on call

    The same figures as a CSV file.
    """
    records = OnCallFigures(many=True).dump(_figures(args))
    name = f"on-call-{datetime.now(UTC):%Y-%m-%d}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    content = b"".join(lines(COLUMNS, lambda _: (records, None)))
    return Response(content, mimetype="text/csv", headers=headers)


def _figures(args: dict[str, Any]) -> list[dict[str, Any]]:
    reach, now = readable_workspaces(args.get("workspace_id")), datetime.now(UTC)
    end = args.get("to", now)
    start = args.get("from_", end - TWO_WEEKS)
    if faults := range_faults(start, end):
        raise ValidationFailed(errors=faults)
    found = statistics.of_people(reach, args.get("schedule_id"), start, end, now)
    answered = statistics.responses_of(reach, args.get("schedule_id"), start, end)
    served = {each.user_id for each in found}
    found += [Figures(each) for each in sorted(answered.keys() - served)]
    names = computed.names(reach[0], (each.user_id for each in found)) if reach else {}
    return [
        {
            "user_id": each.user_id,
            "name": names.get(each.user_id, ""),
            "on_call_seconds": int(each.on_call.total_seconds()),
            "weekend_seconds": int(each.weekends.total_seconds()),
            "nights": each.nights,
            "shifts": each.shifts,
            **_answers(answered.get(each.user_id, Responses())),
        }
        for each in found
    ]


def _answers(found: Responses) -> dict[str, Any]:
    return {
        "pages": found.pages,
        "acknowledged_incidents": found.acknowledged,
        "median_response_seconds": None if found.median is None else int(found.median.total_seconds()),
    }
