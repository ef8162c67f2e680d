"""Shapes of deliveries and their attempts (specification 9.5)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, TypeId
from inbox.api.http.schemas.enumerations import FailureCode
from inbox.api.http.schemas.list_filters import several
from inbox.api.http.schemas.plain_rows import delivery_row
from inbox.domain.deliveries.causes import CAUSES
from inbox.domain.deliveries.delivery import Status
from inbox.domain.incidents.state_machine import Reason

REASONS = [*(str(reason) for reason in Reason), "test", "digest", "on_call"]
STATUSES = [str(status) for status in Status]


class AttemptRecord(Schema):
    """One call to a receiver."""

    at = Timestamp(required=True)
    status_code = ma.fields.Integer(required=True, allow_none=True, metadata={"example": 503})
    duration_ms = ma.fields.Integer(required=True, allow_none=True)
    error = FailureCode("Why it failed; null: it did not.", allow_none=True, example="http_503")
    response_excerpt = ma.fields.String(
        required=True,
        allow_none=True,
        attribute="excerpt",
        metadata={
            "description": "The beginning of the answer, sanitised, at most 2 KiB; empty unless it came from a public address."
        },
    )
    note = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "What people should know of it: a template could not be used."},
    )


class DestinationRef(Schema):
    """A destination with its name, also after its deletion."""

    id = TypeId("dst", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Pager"})
    kind = ma.fields.String(
        required=True, allow_none=True, metadata={"example": "webhook", "description": "Null once it is purged."}
    )
    deleted = ma.fields.Boolean(required=True)


class IncidentRef(Schema):
    """An incident with its number and title."""

    id = TypeId("inc", required=True)
    number = ma.fields.Integer(required=True, metadata={"example": 7})
    title = ma.fields.String(required=True, metadata={"example": "Disk nearly full"})


class DigestRef(Schema):
    """The delivery of the digest that has a notice."""

    delivery_id = TypeId("dlv", required=True)
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(STATUSES))
    at = Timestamp(required=True, metadata={"description": "When the digest was made."})


class DeliveryRecord(Schema):
    """A notice for one destination. A webhook's `webhook-id` is the delivery's id."""

    row = delivery_row

    id = TypeId("dlv", required=True)
    workspace_id = TypeId("wsp", required=True)
    notice_id = TypeId("ntc", required=True)
    incident_id = TypeId("inc", required=True, allow_none=True)
    incident = ma.fields.Nested(IncidentRef, required=True, allow_none=True)
    destination_id = TypeId("dst", required=True)
    destination = ma.fields.Nested(DestinationRef, required=True)
    reason = ma.fields.String(required=True, validate=ma.validate.OneOf(REASONS), metadata={"example": "opened"})
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(STATUSES))
    attempts = ma.fields.List(ma.fields.Nested(AttemptRecord), required=True, attribute="attempts_made")
    attempts_max = ma.fields.Integer(required=True, metadata={"description": "How many attempts it has at most."})
    next_attempt_at = Timestamp(required=True, allow_none=True)
    cause = FailureCode("Why it is not sent.", CAUSES, allow_none=True, example="http_503")
    replay_of = TypeId("dlv", required=True, allow_none=True)
    digest = ma.fields.Nested(
        DigestRef,
        required=True,
        allow_none=True,
        metadata={"description": "The digest that has a `gathered` notice. Null for others, and once it is purged."},
    )
    gathered = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "How many notices this digest has. Null for a delivery of another reason."},
    )
    created_at = Timestamp(required=True)
    settled_at = Timestamp(required=True, allow_none=True)


DeliveriesQuery = page_query(
    "Deliveries",
    ("created",),
    workspace_id=TypeId("wsp"),
    destination_id=several(TypeId("dst")),
    incident_id=TypeId("inc"),
    digest_id=TypeId("dlv", metadata={"description": "Of the notices that the digest with this delivery has."}),
    status=several(ma.fields.String(validate=ma.validate.OneOf(STATUSES))),
    reason=several(ma.fields.String(validate=ma.validate.Length(1, 64), metadata={"example": "opened"})),
    since=Timestamp(metadata={"description": "Created at or after."}),
    until=Timestamp(metadata={"description": "Created before."}),
)
DeliveriesPage = page_of(DeliveryRecord, "Delivery")
