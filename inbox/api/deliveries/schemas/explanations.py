"""Shapes of explanations: the decisions of a notice, upcoming steps (specification 7.7)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Prerendered, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.event_rows import RoutingRecord
from inbox.domain.deliveries.delivery import Status
from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.deliveries.notices import Cause
from inbox.domain.explaining.forecast import UpcomingKind
from inbox.domain.explaining.throttled_text import MAX_COUNTED
from inbox.domain.incidents.state_machine import Reason

_WHY = {"description": "Of the rules, the profile and the default route that led to it, a sentence each."}


DECISION = f"^({'|'.join(cause for cause in Cause if cause is not Cause.SILENCED)}|silenced:(sil_[0-9a-z]{{26}})?)$"
"""The pattern of a decision: a cause, or `silenced` with the id of the silence."""


class DecisionRecord(Schema):
    """The decision for one destination, with its reason. A mail to the owners has no destination."""

    destination_id = ma.fields.String(required=True, allow_none=True)
    name = ma.fields.String(required=True, metadata={"example": "Pager"})
    decision = ma.fields.String(
        required=True,
        metadata={
            "example": "below_min_severity",
            "description": "The cause; `silenced` with the id.",
            "pattern": DECISION,
        },
    )
    cause = ma.fields.String(required=True, validate=ma.validate.OneOf([str(cause) for cause in Cause]))
    text = ma.fields.String(
        required=True, metadata={"example": "Pager was not notified: quiet hours until 07:00 Europe/Berlin."}
    )
    silence_id = TypeId("sil", required=True, allow_none=True)
    until = ma.fields.String(
        metadata={"format": "date-time", "description": "The end of the quiet hours that hold it."}
    )
    min_severity = SeverityName(metadata={"description": "The least severity that it, or its step, takes."})
    step = ma.fields.Integer(metadata={"description": "The step of the routing profile that asks for `minSeverity`."})
    fallback_reason = ma.fields.String(
        validate=ma.validate.OneOf([str(cause) for cause in FallbackReason]),
        metadata={"description": "Why there is a fallback."},
    )
    delivery_id = TypeId("dlv", required=True, allow_none=True)
    status = ma.fields.String(
        required=True,
        allow_none=True,
        validate=ma.validate.OneOf([str(status) for status in Status]),
        metadata={"description": "Of the delivery, by now; null: there is none."},
    )


class ExplainedRecord(Schema):
    """An event with its routing, or a notice with the decision for each destination."""

    kind = ma.fields.String(required=True, validate=ma.validate.OneOf(["event", "notice"]))
    at = Timestamp(required=True)
    text = ma.fields.String(required=True, metadata={"example": "Event opened the incident."})
    reasons = ma.fields.List(
        ma.fields.String(metadata={"example": 'Matched rule "Databases": any event.'}), metadata=_WHY
    )
    event_id = TypeId("evt", allow_none=True)
    title = ma.fields.String()
    severity = SeverityName()
    routing = Prerendered(RoutingRecord, allow_none=True)
    notice_id = TypeId("ntc")
    seq = ma.fields.Integer()
    reason = ma.fields.String(validate=ma.validate.OneOf([str(reason) for reason in Reason]))
    decisions = ma.fields.List(ma.fields.Nested(DecisionRecord))


class ExplainedEvent(Schema):
    """The result of routing for an event, and the destinations that were notified of it."""

    incident_id = TypeId(
        "inc", required=True, allow_none=True, metadata={"description": "Of the incident to which it was counted."}
    )
    items = ma.fields.List(
        ma.fields.Nested(ExplainedRecord),
        required=True,
        metadata={"description": "The event, then each notice that it led to, in the order of time."},
    )


class UpcomingRecord(Schema):
    """A step that follows if nobody acts on the incident."""

    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(kind) for kind in UpcomingKind]))
    at = Timestamp(required=True)
    text = ma.fields.String(
        required=True, metadata={"example": "07:10 Europe/Berlin: step 2 notifies Chat, unless acknowledged."}
    )


class ThrottledRecord(Schema):
    """Repeats that were counted without a notice, because the incident had one shortly before."""

    cause = ma.fields.String(required=True, validate=ma.validate.Equal(str(Cause.THROTTLED)))
    events = ma.fields.Integer(
        required=True,
        metadata={"description": f"How many; {MAX_COUNTED + 1} stands for more than {MAX_COUNTED}.", "example": 12},
    )
    since = Timestamp(required=True, metadata={"description": "The time of the last notice."})
    next_at = Timestamp(required=True, allow_none=True, metadata={"description": "The time of the next reminder."})
    text = ma.fields.String(
        required=True,
        metadata={"example": "12 repeats since the last notification (2026-11-21T07:00:00Z)."},
    )


class Forecast(Schema):
    """Current state and upcoming steps."""

    text = ma.fields.String(required=True, metadata={"example": "Open, not acknowledged."})
    upcoming = ma.fields.List(ma.fields.Nested(UpcomingRecord), required=True)
    throttled = ma.fields.Nested(
        ThrottledRecord,
        required=True,
        allow_none=True,
        metadata={"description": "Null: no event since the last notice, or no notice follows."},
    )


ExplainQuery = page_query(
    "Explain",
    ("at",),
    kind=ma.fields.String(
        validate=ma.validate.OneOf(["event", "notice"]), metadata={"description": "Events only, or notices only."}
    ),
)


class ExplainPage(page_of(ExplainedRecord, "Explained"), Forecast):  # type: ignore[misc]
    """Past events and notices of an incident, its current state, and upcoming steps."""
