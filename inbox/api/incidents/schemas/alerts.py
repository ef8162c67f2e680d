"""Shapes of the alerts of an incident (specification 7.13)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import several
from inbox.domain.incidents.alerts import AlertState


class AlertRecord(Schema):
    """An alert of an incident: what one key of the sender names inside it."""

    id = TypeId("alr", required=True)
    key = ma.fields.String(
        required=True,
        metadata={"description": "The `dedupKey`, else the title without measures.", "example": "disk:db1"},
    )
    title = ma.fields.String(required=True, metadata={"description": "Of its newest event that is no recovery."})
    severity = SeverityName(required=True)
    state = ma.fields.String(required=True, validate=ma.validate.OneOf([str(state) for state in AlertState]))
    first_seen_at = Timestamp(required=True)
    last_seen_at = Timestamp(required=True)
    event_count = ma.fields.Integer(required=True)
    repeat_count = ma.fields.Integer(
        required=True, metadata={"description": "Reports that repeat an event, and are none themselves."}
    )
    began_at = Timestamp(
        required=True,
        allow_none=True,
        metadata={"description": "The sender's time of the beginning; null without one."},
    )


AlertsQuery = page_query(
    "Alerts",
    ("urgency", "firstSeen", "lastSeen"),
    state=several(ma.fields.String(validate=ma.validate.OneOf([str(state) for state in AlertState]))),
)
AlertsPage = page_of(AlertRecord, "Alert")
