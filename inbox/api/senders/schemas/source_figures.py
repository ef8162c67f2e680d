"""Shapes of the warnings and the numbers of keys of a source (specification 5.1)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, Timestamp
from inbox.domain.events.fields import WarningCode


class WarningExample(Schema):
    """The latest warning of a code; `pointer` points into the event."""

    pointer = ma.fields.String(required=True, metadata={"example": "/dedup_key"})
    detail = ma.fields.String(
        required=True, metadata={"example": "unknown field, not stored; did you mean `dedupKey`?"}
    )


class SourceWarningRecord(Schema):
    """The number of changes to events of the source before they were stored, for one reason."""

    code = ma.fields.String(required=True, validate=ma.validate.OneOf([str(code) for code in WarningCode]))
    count = ma.fields.Integer(required=True)
    last_at = Timestamp(required=True)
    example = ma.fields.Nested(WarningExample, required=True)


class SourceKeyCounts(Schema):
    """The valid keys of the source."""

    active = ma.fields.Integer(required=True, metadata={"description": "Keys without an end."})
    ending = ma.fields.Integer(required=True, metadata={"description": "Rotated keys that still work."})
    oldest_created_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "When the oldest of them was created."}
    )
