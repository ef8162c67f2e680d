"""Statistics of incidents, events and deliveries in a period (specification 7.9)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, readable_workspaces
from inbox.api.insight.schemas.statistics import StatisticsQuery, StatisticsRecord
from inbox.services.insight import statistics

blp = Blueprint(
    "statistics", __name__, url_prefix="/v1/statistics", description="Statistics of a time span.", section="7.9"
)


@blp.route("/", methods=["GET"], endpoint="read")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(StatisticsQuery, location="query")
@blp.response(200, StatisticsRecord)
def read(args: dict[str, Any]) -> dict[str, Any]:
    """Read statistics

    Incidents, events, notices and deliveries by bucket, and times to acknowledge and to resolve. Also a heat map of the
    week, rankings of sources, fingerprints and incidents, and resolutions by person. Rules that never matched are
    listed.
    """
    return statistics.of(readable_workspaces(args.pop("workspace_id", None)), args, datetime.now(UTC))
