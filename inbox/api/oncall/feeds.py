"""Calendar feeds: secret addresses by which calendars, telephone systems and scripts read shifts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from inbox.api.http.blueprint import Blueprint
from inbox.api.http.callers import caller
from inbox.api.http.paging import paged
from inbox.api.http.policy import USER, VIEWER, EndpointPolicy, authorize, authorize_in, readable_workspaces
from inbox.api.http.request_examples import RequestExample
from inbox.api.oncall.schemas.feeds import (
    CalendarFeedCreated,
    CalendarFeedNew,
    CalendarFeedsPage,
    CalendarFeedsQuery,
)
from inbox.config import settings
from inbox.models.oncall.feeds import OnCallFeed
from inbox.services.oncall import feeds

blp = Blueprint(
    "calendar_feeds",
    __name__,
    url_prefix="/v1/calendar-feeds",
    description="Calendar feeds of shifts.",
    section="23.14",
)


@blp.route("/", methods=["GET"], endpoint="list")
@EndpointPolicy(USER, VIEWER)
@blp.arguments(CalendarFeedsQuery, location="query")
@blp.response(200, CalendarFeedsPage)
def list_feeds(args: dict[str, Any]) -> dict[str, Any]:
    """List calendar feeds

    The caller's own, without their addresses.
    """
    query = feeds.of_person(caller().user_id, readable_workspaces(args.get("workspace_id")))
    return paged(
        query.objects(), args, sorts={"created": OnCallFeed.created_at}, id=OnCallFeed.id, dump=lambda row: row
    )


@blp.route("/", methods=["POST"], endpoint="create")
@EndpointPolicy(USER, VIEWER, workspace_from="body")
@RequestExample(leave_out=("scheduleId",))
@blp.arguments(
    CalendarFeedNew, cross_check=lambda fields: feeds.check(fields["workspace_id"], fields.get("schedule_id"))
)
@blp.response(201, CalendarFeedCreated)
def create(fields: dict[str, Any]) -> OnCallFeed:
    """Create a calendar feed

    Of the caller's shifts, or of a schedule. Who knows its address reads names and times of shifts. The address is
    answered once. The caller's former feed of the same shifts ends.
    """
    workspace_id = authorize_in(fields["workspace_id"])
    made, token = feeds.create(workspace_id, fields["schedule_id"], user_id=caller().user_id, now=datetime.now(UTC))
    address = f"{settings.current().base_url}/v1/calendars/{token}"
    made.ics_url, made.text_url, made.json_url = f"{address}.ics", f"{address}.txt", f"{address}.json"
    return made


@blp.route("/<typeid(cal):feed_id>", methods=["DELETE"], endpoint="remove")
@EndpointPolicy(USER, VIEWER, workspace_from="record")
@blp.response(204)
def remove(feed_id: UUID) -> None:
    """Delete a calendar feed

    Its address is refused from the next request on.
    """
    feeds.remove(authorize(feeds.find(feed_id, caller().user_id)), now=datetime.now(UTC))
