"""Shapes of notices with their decisions and deliveries (specification 7.7)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.deliveries.schemas.deliveries import AttemptRecord, DeliveryRecord, DestinationRef
from inbox.api.deliveries.schemas.destinations import SentRequestRecord
from inbox.api.deliveries.schemas.explanations import DecisionRecord
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, TypeId
from inbox.domain.incidents.state_machine import Reason


class NoticeAttempt(AttemptRecord):
    """An attempt with its requests. A message that is changed and then answered takes two."""

    requests = ma.fields.List(
        ma.fields.Nested(SentRequestRecord),
        required=True,
        attribute="sent",
        metadata={"description": "In their order. Empty for phones, and where nothing could be sent."},
    )


class NoticeDelivery(DeliveryRecord):
    """A delivery of the notice, with the sent requests."""

    attempts = ma.fields.List(ma.fields.Nested(NoticeAttempt), required=True, attribute="attempts_made")
    request_headers = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.String(),
        required=True,
        allow_none=True,
        metadata={
            "description": "The headers of the last attempt of a webhook, with the signature replaced. Null without one.",
            "example": {"webhook-signature": "v1,[REDACTED]"},
        },
    )


class NoticeDecision(DecisionRecord):
    """The decision for one destination, with the deliveries that follow from it."""

    destination = ma.fields.Nested(
        DestinationRef,
        required=True,
        allow_none=True,
        metadata={"description": "Null for a mail to the owners."},
    )
    deliveries = ma.fields.List(
        ma.fields.Nested(NoticeDelivery),
        required=True,
        metadata={"description": "The original delivery, then its replays. Empty without one."},
    )


class NoticeRecord(Schema):
    """A notice: its reason, the sentences of its decisions, and the JSON that webhooks receive."""

    id = TypeId("ntc", required=True)
    workspace_id = TypeId("wsp", required=True)
    incident_id = TypeId("inc", required=True, allow_none=True)
    event_id = TypeId("evt", required=True, allow_none=True)
    seq = ma.fields.Integer(required=True, metadata={"description": "Counted within the incident."})
    at = Timestamp(required=True)
    reason = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([*(str(reason) for reason in Reason), "test", "digest", "on_call"]),
        metadata={"example": "opened"},
    )
    text = ma.fields.String(required=True, metadata={"example": "Incident opened. Notified: Pager."})
    reasons = ma.fields.List(
        ma.fields.String(metadata={"example": 'Matched rule "Databases": any event.'}),
        required=True,
        metadata={"description": "How its event was routed, one sentence each. Empty without an event."},
    )
    body = ma.fields.String(
        required=True,
        metadata={"description": "The exact JSON that webhooks receive. Secrets in it are replaced by `[REDACTED]`."},
    )
    decisions = ma.fields.List(ma.fields.Nested(NoticeDecision), required=True)


NoticesQuery = page_query("Notices", ("at",))
NoticesPage = page_of(NoticeRecord, "Notice")
