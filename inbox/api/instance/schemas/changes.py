"""The shape of a `data:` line of the stream (specification 14.2)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, TypeId
from inbox.live.feed import PREFIX, RESYNC


class Change(Schema):
    """A reference to a changed record, or `resync`. Fields that a type does not have are absent."""

    type = ma.fields.String(required=True, validate=ma.validate.OneOf([*PREFIX, RESYNC]), metadata={"example": "event"})
    workspace_id = TypeId(
        "wsp",
        required=True,
        allow_none=True,
        metadata={"description": "Null for records of the caller alone, and for a `resync` of everything."},
    )
    id = ma.fields.String(metadata={"description": "Of the record; not in `resync`.", "format": "typeid"})
    op = ma.fields.String(
        validate=ma.validate.OneOf(["created", "changed", "deleted"]), metadata={"description": "Not in `resync`."}
    )
    rev = ma.fields.Integer(metadata={"description": "Of the record where it has one, else 0; not in `resync`."})
    incident_id = TypeId("inc", allow_none=True, metadata={"description": "Of `event` and `delivery`."})
    source_id = TypeId("src", allow_none=True, metadata={"description": "Of `event`; null where it is not known."})
    destination_id = TypeId("dst", allow_none=True, metadata={"description": "Of `delivery`."})
    types = ma.fields.List(
        ma.fields.String(),
        metadata={"description": "Of `resync`: only records of these types have changed. Absent where all may have."},
    )
    spread_seconds = ma.fields.Integer(
        metadata={"description": "Wait for a random part of this time before you reload. Always in `resync`."}
    )
