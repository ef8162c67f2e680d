"""Shapes of the statistics of people on call (specification 23.15)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, TypeId
from inbox.api.oncall.schemas.log import OnCallLogQuery


class OnCallStatisticsQuery(OnCallLogQuery):
    """The workspace, the schedule and the period."""

    workspace_id = TypeId("wsp", metadata={"description": "All of yours where none is named."})
    schedule_id = TypeId("sch", metadata={"description": "Without it: all schedules."})


class OnCallFigures(Schema):
    """How much a person was on call, and how they answered pages."""

    user_id = TypeId("usr", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Mia"})
    on_call_seconds = ma.fields.Integer(required=True)
    weekend_seconds = ma.fields.Integer(required=True, metadata={"description": "Of them on Saturdays and Sundays."})
    nights = ma.fields.Integer(
        required=True, metadata={"description": "Nights, from 22:00 to 06:00, with a part on call."}
    )
    shifts = ma.fields.Integer(required=True)
    pages = ma.fields.Integer(required=True, metadata={"description": "How often the person was paged."})
    acknowledged_incidents = ma.fields.Integer(
        required=True, metadata={"description": "Incidents that the person acknowledged after a page."}
    )
    median_response_seconds = ma.fields.Integer(
        required=True, allow_none=True, metadata={"description": "From the first page until that; null without any."}
    )


class OnCallStatistics(Schema):
    """The people who were on call or paged in a period, the most time first."""

    items = ma.fields.List(ma.fields.Nested(OnCallFigures), required=True)
