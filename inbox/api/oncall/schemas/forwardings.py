"""Shapes of forwardings (specification 23.9)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Line, Schema, Timestamp, TypeId
from inbox.api.oncall.schemas.overrides import LONGEST_REASON


class ForwardingNew(Schema):
    """A new forwarding. Without `startsAt`, or with one in the past, it begins now."""

    workspace_id = TypeId("wsp", required=True)
    user_id = TypeId("usr", required=True, metadata={"description": "Who is not on call."})
    to_user_id = TypeId("usr", required=True, data_key="to", metadata={"description": "Who is on call in their place."})
    starts_at = Timestamp()
    ends_at = Timestamp(required=True, metadata={"description": "At most 366 days after its start."})
    reason = Line(LONGEST_REASON, metadata={"example": "Holidays"})


class ForwardingRecord(Schema):
    """A forwarding of a person."""

    id = TypeId("fwd", required=True)
    workspace_id = TypeId("wsp", required=True)
    user_id = TypeId("usr", required=True)
    to_user_id = TypeId("usr", required=True, data_key="to")
    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)
    reason = ma.fields.String(required=True)
    created_by = TypeId("usr", required=True, allow_none=True)
    created_at = Timestamp(required=True)


ForwardingsQuery = page_query(
    "Forwardings",
    ("startsAt", "created"),
    workspace_id=TypeId("wsp"),
    ended=ma.fields.Boolean(metadata={"description": "Those that have ended in place of the others."}),
)
ForwardingsPage: Any = page_of(ForwardingRecord, "Forwarding")
