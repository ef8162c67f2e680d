"""Shapes of the built-in receiver (specification 9.12)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, Timestamp


class ReceivedHeader(Schema):
    """A header of a kept request."""

    name = ma.fields.String(required=True, metadata={"example": "webhook-id"})
    value = ma.fields.String(required=True)


class ReceivedRequest(Schema):
    """A request that the built-in receiver has kept."""

    received_at = Timestamp(required=True)
    headers = ma.fields.List(ma.fields.Nested(ReceivedHeader), required=True)
    body = ma.fields.String(required=True, metadata={"description": "The body as it arrived.", "example": "{}"})


class BuiltInReceiverRecord(Schema):
    """The built-in receiver of a workspace."""

    url = ma.fields.String(
        required=True,
        metadata={
            "description": "The address for a webhook destination of this workspace.",
            "example": "http://127.0.0.1:8080/v1/built-in-receiver/AZAAAAAAcACAAAAAAAAAAcIeT5cX2oHqZz0uQm1Lk9E",
        },
    )
    unavailable_because = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why the instance cannot call the address; null: it can.", "example": None},
    )
    items = ma.fields.List(
        ma.fields.Nested(ReceivedRequest), required=True, metadata={"description": "At most 10, newest first."}
    )
