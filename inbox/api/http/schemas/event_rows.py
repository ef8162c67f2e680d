"""Shapes of events in lists, with their routing (specification 4.1)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import Prerendered, Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.enumerations import Code
from inbox.api.http.schemas.plain_rows import event_row
from inbox.domain.events import fields
from inbox.domain.events.fields import Action, WarningCode
from inbox.domain.events.validation import EventFlag
from inbox.domain.incidents.event_transition import Disposition
from inbox.domain.incidents.state_machine import Act, Reason
from inbox.domain.routing.decision import with_incident

_BY = {
    "description": "What decided the disposition. `profile`: the routing profile of the source decides who is notified."
}
_CLAUSES = {"description": "Those of the match that carried it."}


class ClauseRecord(Schema):
    """A clause of a match, whether it matched, and the value it was compared with."""

    clause = ma.fields.String(required=True, metadata={"example": 'resource startsWith "host:db"'})
    matched = ma.fields.Boolean(required=True)
    value = ma.fields.Raw(required=True, allow_none=True, metadata={"example": "host:db-1"})


class RuleResult(Schema):
    """A rule that matched, or (`error`) could not be evaluated."""

    rule_id = TypeId("rul", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Databases"})
    decided = ma.fields.Boolean(metadata={"description": "It decided the disposition of the event."})
    clauses = ma.fields.List(ma.fields.Nested(ClauseRecord), metadata=_CLAUSES)
    error = ma.fields.String(metadata={"description": "Why it could not be evaluated."})


class RoutingRecord(Schema):
    """The result of routing for an event, with its reasons."""

    by = ma.fields.String(
        required=True, allow_none=True, validate=ma.validate.OneOf(["rule", "profile", "default"]), metadata=_BY
    )
    rule_id = TypeId("rul", required=True, allow_none=True, metadata={"description": "The rule that decided."})
    trace = ma.fields.List(ma.fields.String(), required=True, metadata={"description": "What led to it, in order."})
    disposition = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Disposition]))
    incident_id = TypeId("inc", required=True, allow_none=True)
    act = ma.fields.String(required=True, allow_none=True, validate=ma.validate.OneOf([str(each) for each in Act]))
    reason = ma.fields.String(
        required=True,
        allow_none=True,
        validate=ma.validate.OneOf([str(each) for each in Reason]),
        metadata={"description": "Of the notice that followed; null: none did."},
    )
    profile_id = TypeId("prf", metadata={"description": "The routing profile that decides who is notified."})
    rules = ma.fields.List(ma.fields.Nested(RuleResult))


class EventWarning(Schema):
    """A change to the event before it was stored. `pointer` points into the event."""

    code = ma.fields.String(required=True, validate=ma.validate.OneOf([str(code) for code in WarningCode]))
    pointer = ma.fields.String(required=True, metadata={"example": "/title"})
    detail = ma.fields.String(required=True, metadata={"example": "cut to 256 characters"})


FINGERPRINT = {"example": "f1:0c5f2a8a3a6e0f0d1b7c9e5d4a3b2c1d0e9f8a7b"}


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
