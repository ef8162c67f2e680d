"""Shapes of the preview of an on-call schedule (specification 23.4)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedList, Prerendered, Schema, Timestamp, TypeId
from inbox.api.http.schemas.windows import TimeZone
from inbox.api.oncall.schemas.schedules import CalendarUrl, LayerShape, ProblemRecord
from inbox.api.oncall.schemas.shifts import ShiftRecord
from inbox.domain.oncall.schedule import MAX_LAYERS


class OnCallPreviewRequest(Schema):
    """A schedule that is not saved yet. Without `scheduleId` it is a new one."""

    workspace_id = TypeId("wsp", required=True)
    schedule_id = TypeId("sch", allow_none=True, metadata={"description": "The schedule that is edited."})
    timezone = TimeZone(required=True)
    layers = BoundedList(ma.fields.Nested(LayerShape), load_default=list, validate=ma.validate.Length(max=MAX_LAYERS))
    calendar_url = CalendarUrl()


class ChangedPeriod(Schema):
    """A period in which other people are on call after the edit."""

    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)


class OnCallPreview(Schema):
    """The shifts of the next four weeks before and after the edit. A new schedule has none before."""

    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)
    layers = Prerendered(
        LayerShape, many=True, required=True, metadata={"description": "As they are saved: members are rotated."}
    )
    before = ma.fields.List(ma.fields.Nested(ShiftRecord), required=True)
    after = ma.fields.List(ma.fields.Nested(ShiftRecord), required=True)
    changes = ma.fields.List(ma.fields.Nested(ChangedPeriod), required=True)
    problems = ma.fields.List(
        ma.fields.Nested(ProblemRecord), required=True, metadata={"description": "Those of the edited schedule."}
    )
    unmatched = ma.fields.List(
        ma.fields.String(),
        required=True,
        metadata={
            "description": "Names in the events of the external calendar that match no member.",
            "example": ["Ann"],
        },
    )
