"""Shapes of calendar feeds (specification 23.14)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, TypeId


class CalendarFeedNew(Schema):
    """A new feed of the caller."""

    workspace_id = TypeId("wsp", required=True)
    schedule_id = TypeId(
        "sch",
        allow_none=True,
        load_default=None,
        metadata={
            "description": "The schedule whose shifts it shows. Null: the shifts of the caller in all schedules."
        },
    )


class CalendarFeedRecord(Schema):
    """A feed of the caller, without its address."""

    id = TypeId("cal", required=True)
    workspace_id = TypeId("wsp", required=True)
    schedule_id = TypeId("sch", required=True, allow_none=True)
    schedule_name = ma.fields.String(required=True, allow_none=True, metadata={"example": "Backend"})
    hint = ma.fields.String(
        required=True,
        attribute="token_hint",
        metadata={"example": "x7Qa", "description": "The last characters of the secret in the address."},
    )
    created_at = Timestamp(required=True)
    last_used_at = Timestamp(required=True, allow_none=True)


class CalendarFeedCreated(CalendarFeedRecord):
    """A new feed with its addresses, which are answered once."""

    ics_url = ma.fields.String(
        required=True,
        metadata={"example": "https://inbox.example.org/v1/calendars/svc_cal_….ics", "description": "For calendars."},
    )
    text_url = ma.fields.String(
        required=True, metadata={"description": "Who is on call now, one name a line, for telephone systems."}
    )
    json_url = ma.fields.String(required=True, metadata={"description": "For scripts."})


CalendarFeedsQuery = page_query("CalendarFeeds", ("created",), workspace_id=TypeId("wsp"))
CalendarFeedsPage: Any = page_of(CalendarFeedRecord, "CalendarFeed")
