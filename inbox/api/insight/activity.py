"""The activity of incidents and sources: events by the hour or the day, for small charts (specification 7.12)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, readable_workspaces
from inbox.api.insight.schemas.activity import (
    IncidentActivity,
    IncidentActivityQuery,
    SourceActivity,
    SourceActivityQuery,
)
from inbox.services.insight import activity

blp = Blueprint(
    "activity", __name__, url_prefix="/v1", description="Events of incidents and sources by the hour.", section="7.12"
)


@blp.route("/incidents/activity", methods=["GET"], endpoint="of_incidents")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(IncidentActivityQuery, location="query")
@blp.response(200, IncidentActivity)
def of_incidents(args: dict[str, Any]) -> dict[str, Any]:
    """Read the activity of incidents

    The number of events of each incident in each of the last hours or days.
    """
    now = datetime.now(UTC)
    return activity.of_incidents(readable_workspaces(None), args["id"], args["bucket"], args["buckets"], now)


@blp.route("/sources/activity", methods=["GET"], endpoint="of_sources")
@EndpointPolicy(USER, VIEWER, replica=True)
@blp.arguments(SourceActivityQuery, location="query")
@blp.response(200, SourceActivity)
def of_sources(args: dict[str, Any]) -> dict[str, Any]:
    """Read the activity of sources

    The number of events of each source in each of the last hours or days.
    """
    now = datetime.now(UTC)
    return activity.of_sources(readable_workspaces(None), args["id"], args["bucket"], args["buckets"], now)
