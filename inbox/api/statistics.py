"""Statistics: how much broke, how long it took, who is loudest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from inbox.api.blueprint import Blueprint
from inbox.api.policy import readable_workspaces
from inbox.api.schemas.statistics import StatisticsQuery, StatisticsRecord
from inbox.services import statistics

blp = Blueprint("statistics", __name__, url_prefix="/v1/statistics", description="Statistics of a time span.")


@blp.route("/", methods=["GET"], endpoint="read")
@blp.arguments(StatisticsQuery, location="query")
@blp.response(200, StatisticsRecord)
def read(args: dict[str, Any]) -> dict[str, Any]:
    """Read statistics

    Incidents per bucket and severity, how long they took to be acknowledged and resolved, the noisiest sources and
    fingerprints, what destinations were told, and the rules that never matched.
    """
    readable = readable_workspaces(args.get("workspace_id"))
    return statistics.of(readable, args.get("since"), args.get("until"), args["bucket"], datetime.now(UTC))
