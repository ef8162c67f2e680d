"""Shapes of events: sent events, receipts, and stored events (specification 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.event_rows import FINGERPRINT, EventFields, EventRow, EventWarning
from inbox.api.http.schemas.list_filters import SearchText, last, of_resources, several
from inbox.domain.events import fields, labels, metadata
from inbox.domain.events.fields import Action
from inbox.domain.events.validation import BATCH_LIMIT, EventFlag
from inbox.domain.incidents.event_transition import Disposition
from inbox.models.events.search import EVENTS


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


class EventRecord(EventFields):
    """A stored event. `routing` explains its result and the reasons; null until it is routed."""

    body = ma.fields.String(required=True, allow_none=True)
    idempotency_key = ma.fields.String(required=True, allow_none=True)
    metadata = ma.fields.Dict(required=True, allow_none=True)


class Label(ma.fields.String):
    """A label of events: `name=value`."""

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if labels.parsed(text) is None:
            raise ma.ValidationError(
                f"Write name=value, with at most {labels.LONGEST_FILTER} characters and {labels.DEEPEST} parts of the name."
            )
        return text


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
    label=several(Label(metadata={"example": "instance=db-1:9100"}), "With this label, `name=value`."),
    q=SearchText(metadata={"description": "Part of the title, resource or dedup key, in any case.", "maxLength": 256}),
    since=Timestamp(metadata={"description": "Received at or after."}),
    last=last("Received in this period up to now."),
    until=Timestamp(metadata={"description": "Received before."}),
)
"""The filters of the list and of its facets."""

EventsQuery = page_query("Events", tuple(EVENTS.sorts), **FILTERS)
EventsPage = page_of(EventRow, "Event")
