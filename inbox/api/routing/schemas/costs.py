"""The shape of a warning about a rule or silence that costs too much (specification 6.3)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, Timestamp

COSTLY = {"description": "Null, unless it was left out for an event of the last 24 hours because it cost too much."}


class CostlyRecord(Schema):
    """The events for which a rule or silence was left out."""

    events = ma.fields.Integer(
        required=True, data_key="last24h", metadata={"description": "Events of the last 24 hours, to the hour."}
    )
    last_at = Timestamp(required=True)
    text = ma.fields.String(
        required=True,
        metadata={
            "description": "A sentence that says what to change.",
            "example": "Left out for 12 events of the last 24 hours, because it costs too much. Use simpler patterns.",
        },
    )
