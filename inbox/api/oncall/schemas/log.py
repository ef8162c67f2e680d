"""Shapes of the log of who was on call (specification 23.10)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, Timestamp, TypeId


class OnCallLogQuery(Schema):
    """The period of the log."""

    from_ = Timestamp(
        data_key="from",
        metadata={"example": "2026-03-01T00:00:00Z", "description": "Without it: 14 days before `to`."},
    )
    to = Timestamp(metadata={"example": "2026-03-15T00:00:00Z", "description": "Without it: now."})


class OnCallLogRecord(Schema):
    """A time in which a person was on call."""

    user_id = TypeId("usr", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Mia"})
    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True, allow_none=True, metadata={"description": "Null: the person is on call."})


class OnCallLogResponse(Schema):
    """Who was on call in a period, by the start. The times are not cut at its ends."""

    items = ma.fields.List(ma.fields.Nested(OnCallLogRecord), required=True)
