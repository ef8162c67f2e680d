"""Shapes of events: sent events, receipts, and stored events (specification 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.deliveries.schemas.explanations import RoutingRecord
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Prerendered, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.enumerations import Code
from inbox.api.http.schemas.list_filters import SearchText, last, of_resources, several
from inbox.api.http.schemas.plain_rows import event_row
from inbox.domain.events import fields, metadata
from inbox.domain.events.fields import Action, WarningCode
from inbox.domain.events.validation import BATCH_LIMIT, EventFlag
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.routing.decision import with_incident


def _described(text: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"description": text, **more}}


class EventNew(Schema):
    """An event as a sender sends it. Fields that are not listed are ignored. This class documents; `domain` validates."""

    class Meta:
        unknown = ma.INCLUDE

    title = ma.fields.String(
        required=True,
        **_described(f"One line; cut after {fields.TITLE_LIMIT} characters.", example="Disk nearly full"),
    )
    severity = ma.fields.String(
        **_described(
            "DEBUG, INFO, SUCCESS, WARNING, ERROR or CRITICAL, or `warn`, `err`, `crit`, `fatal`, in any case. Missing:"
            " what the source says. Unknown: INFO, with a warning. SUCCESS always resolves.",
            example="ERROR",
        )
    )
    action = ma.fields.String(
        validate=ma.validate.OneOf([str(action) for action in Action]), **_described("`resolve` needs a `dedupKey`.")
    )
    type = ma.fields.String(**_described("Lower case, `[a-z0-9][a-z0-9_.-]*`.", example="disk.usage"))
    resource = ma.fields.String(**_described("`kind:name`.", example="host:db-1"))
    dedup_key = ma.fields.String(
        validate=ma.validate.Length(max=fields.IDENTITY_LIMIT),
        **_described("The strongest grouping key; compared verbatim, never redacted.", example="disk:db-1"),
    )
    body = ma.fields.String(**_described(f"Plain text; cut after {fields.BODY_LIMIT} characters."))
    tags = ma.fields.List(
        ma.fields.String(),
        **_described(f"The first {fields.TAGS_LIMIT}, each cut after {fields.TAG_LIMIT} characters.", example=["prod"]),
    )
    url = ma.fields.String(
        **_described(
            "An absolute http or https link; anything else is dropped with a warning.",
            example="https://example.org/d/1",
        )
    )
    occurred_at = Timestamp(
        **_described("Replaced by the time of receipt when more than 7 days past or 5 minutes ahead.")
    )
    external_id = ma.fields.String(
        validate=ma.validate.Length(max=fields.IDENTITY_LIMIT), **_described("The sender's own reference.")
    )
    idempotency_key = ma.fields.String(
        validate=ma.validate.Length(max=fields.IDENTITY_LIMIT),
        **_described("The event's own retry identity; takes precedence over the header."),
    )
    metadata = ma.fields.Dict(
        keys=ma.fields.String(),
        metadata={
            "description": f"At most {metadata.KEYS_LIMIT} keys and {metadata.BYTES_LIMIT // 1024} KB; the largest values"
            " are cut beyond that.",
            "example": {"usage": 0.93},
        },
    )


class EventBatch(Schema):
    """A batch: taken whole or not at all, and without any field of an event beside it."""

    class Meta:
        unknown = ma.INCLUDE

    events = BoundedList(ma.fields.Nested(EventNew), required=True, validate=ma.validate.Length(1, BATCH_LIMIT))


class EventWarning(Schema):
    """A change to the event before it was stored. `pointer` points into the event."""

    code = ma.fields.String(required=True, validate=ma.validate.OneOf([str(code) for code in WarningCode]))
    pointer = ma.fields.String(required=True, metadata={"example": "/title"})
    detail = ma.fields.String(required=True, metadata={"example": "cut to 256 characters"})


FINGERPRINT = {"example": "f1:0c5f2a8a3a6e0f0d1b7c9e5d4a3b2c1d0e9f8a7b"}


class EventReceipt(Schema):
    """The result for one event of a request. A `duplicate` has the id of the first request."""

    id = TypeId("evt", required=True)
    index = ma.fields.Integer(required=True, metadata={"minimum": 0, "example": 0})
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(["accepted", "duplicate"]))
    fingerprint = ma.fields.String(required=True, metadata=FINGERPRINT)
    warnings = ma.fields.List(ma.fields.Nested(EventWarning), required=True)


class EventsAccepted(Schema):
    """The answer to a request that was stored: one entry per event, in order."""

    events = ma.fields.List(ma.fields.Nested(EventReceipt), required=True)


class RoutingOf(Prerendered):
    """The `routing` of an event, with the incident that the event itself names."""

    def _serialize(self, nested_obj: Any, attr: str | None, obj: Any, **kwargs: Any) -> Any:  # type: ignore[override]
        return with_incident(nested_obj, obj.incident_id)


class EventFields(Schema):
    """The fields that list rows and whole events share."""

    id = TypeId("evt", required=True)
    workspace_id = TypeId("wsp", required=True)
    source_id = TypeId("src", required=True)
    source_name = ma.fields.String(required=True)
    received_at = Timestamp(required=True)
    occurred_at = Timestamp(required=True)
    severity = SeverityName(required=True)
    action = ma.fields.String(required=True, validate=ma.validate.OneOf([str(action) for action in Action]))
    title = ma.fields.String(required=True)
    type = ma.fields.String(required=True, allow_none=True)
    resource = ma.fields.String(required=True, allow_none=True)
    dedup_key = ma.fields.String(required=True, allow_none=True)
    tags = ma.fields.List(ma.fields.String(), required=True)
    url = ma.fields.String(required=True, allow_none=True)
    external_id = ma.fields.String(required=True, allow_none=True)
    fingerprint = ma.fields.String(required=True, metadata=FINGERPRINT)
    flags = ma.fields.List(
        Code(EventFlag, "What is remarkable about it.", example="clock_skew"),
        required=True,
        metadata={"example": ["clock_skew"]},
    )
    warnings = ma.fields.List(ma.fields.Nested(EventWarning), required=True)
    disposition = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Disposition]))
    incident_id = TypeId("inc", required=True, allow_none=True)
    routing = RoutingOf(RoutingRecord, required=True, allow_none=True)


class EventRow(EventFields):
    """An event in a list, without its large fields. `GET /v1/events/{id}` answers the whole event."""

    row = event_row

    body_excerpt = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": f"The first {fields.EXCERPT_LENGTH} characters of `body`.",
            "example": "Usage is 93 %.",
        },
    )
    has_metadata = ma.fields.Boolean(required=True)


class EventRecord(EventFields):
    """A stored event. `routing` explains its result and the reasons; null until it is routed."""

    body = ma.fields.String(required=True, allow_none=True)
    idempotency_key = ma.fields.String(required=True, allow_none=True)
    metadata = ma.fields.Dict(required=True, allow_none=True)


FILTERS: Mapping[str, ma.fields.Field[Any]] = dict(
    workspace_id=TypeId("wsp"),
    source_id=several(TypeId("src")),
    severity=several(SeverityName()),
    min_severity=SeverityName(metadata={"description": "This severity and those above; INFO and SUCCESS are equal."}),
    disposition=several(ma.fields.String(validate=ma.validate.OneOf([str(each) for each in Disposition]))),
    incident_id=TypeId("inc"),
    action=several(ma.fields.String(validate=ma.validate.OneOf([str(each) for each in Action]))),
    flag=several(ma.fields.String(validate=ma.validate.OneOf([str(each) for each in EventFlag]))),
    **of_resources(),
    q=SearchText(metadata={"description": "Part of the title, resource or dedup key, in any case.", "maxLength": 256}),
    since=Timestamp(metadata={"description": "Received at or after."}),
    last=last("Received in this period up to now."),
    until=Timestamp(metadata={"description": "Received before."}),
)
"""The filters of the list and of its facets."""

EventsQuery = page_query("Events", ("received", "occurred", "severity", "source", "title", "disposition"), **FILTERS)
EventsPage = page_of(EventRow, "Event")
