"""Shapes of the samples of sources (specification 19.14)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, Timestamp


class SampleFault(Schema):
    """An unreadable place of the payload."""

    pointer = ma.fields.String(required=True, metadata={"example": "/alerts/0/fingerprint"})
    detail = ma.fields.String(required=True, metadata={"example": "is required, as a text or a number"})


class SourceSample(Schema):
    """A payload that was refused, or read in part."""

    tool = ma.fields.String(required=True, metadata={"example": "alertmanager"})
    received_at = Timestamp(required=True)
    headers = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.String(),
        required=True,
        metadata={"description": "By lower-case name. `[REDACTED]` replaces each value that may be a credential."},
    )
    body = ma.fields.String(
        required=True, metadata={"description": "Without secrets; up to 16,384 characters. JSON is indented."}
    )
    truncated = ma.fields.Boolean(required=True, metadata={"description": "Whether the body was longer."})
    detail = ma.fields.String(required=True, metadata={"description": "The problem that the payload caused."})
    faults = ma.fields.List(ma.fields.Nested(SampleFault), required=True)


class SourceSampleRecord(Schema):
    """The last sample of a source."""

    sample = ma.fields.Nested(
        SourceSample, required=True, allow_none=True, metadata={"description": "Null: there was none for a day."}
    )
