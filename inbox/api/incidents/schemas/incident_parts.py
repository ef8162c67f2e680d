"""Shapes of what an incident names: its silence, its newest event, its failing notices (specification 7.1)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, Timestamp, TypeId


class SilenceRef(Schema):
    """The silence that covers an incident."""

    id = TypeId("sil", required=True)
    comment = ma.fields.String(required=True, allow_none=True, metadata={"example": "Database upgrade, OPS-7"})
    ends_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "When it ends, or this occurrence of it."}
    )


class LastEventRecord(Schema):
    """The newest event of an incident, for its row in a list."""

    id = TypeId("evt", required=True)
    received_at = Timestamp(required=True)
    url = ma.fields.String(
        required=True, allow_none=True, metadata={"description": "Its page in the tool that sent it.", "format": "uri"}
    )
    body_excerpt = ma.fields.String(required=True, allow_none=True)


class UndeliveredRecord(Schema):
    """Notices of an incident that failed three times, or for two minutes, and are tried again."""

    since = Timestamp(required=True, metadata={"description": "When the oldest one was created."})
    attempts = ma.fields.Integer(required=True, metadata={"description": "The most failed ones of a delivery."})
    next_attempt_at = Timestamp(required=True, allow_none=True)
    destination_names = ma.fields.List(ma.fields.String(), required=True, metadata={"example": ["Pager"]})
