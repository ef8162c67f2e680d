"""Shapes of overrides (specification 23.7)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Line, Schema, Timestamp, TypeId
from inbox.domain.oncall.schedule import MAX_LAYERS, MAX_PEOPLE, OverrideKind

LONGEST_REASON = 200

_KIND = {"description": "Its people `replace` others, are on call in addition (`add`), or are not on call (`remove`)."}


class OverrideEdit(Schema):
    """The fields of an override that can change. Once it has begun, these are `endsAt` and `reason`."""

    kind = ma.fields.String(validate=ma.validate.OneOf([str(each) for each in OverrideKind]), metadata=_KIND)
    starts_at = Timestamp(metadata={"description": "In the past: now."})
    ends_at = Timestamp(metadata={"description": "At most 366 days after its start."})
    user_ids = BoundedList(TypeId("usr"), validate=ma.validate.Length(max=MAX_PEOPLE))
    instead_of = TypeId("usr", allow_none=True, metadata={"description": "Who is replaced; null: everybody."})
    layer_ids = BoundedList(
        TypeId("lay"),
        validate=ma.validate.Length(max=MAX_LAYERS),
        metadata={"description": "The layers that it changes; none: the whole schedule."},
    )
    reason = Line(LONGEST_REASON, metadata={"example": "Dentist"})


class OverrideNew(OverrideEdit):
    """A new override. Without `startsAt`, or with one in the past, it begins now."""

    kind = ma.fields.String(
        load_default=str(OverrideKind.REPLACE),
        validate=ma.validate.OneOf([str(each) for each in OverrideKind]),
        metadata=_KIND,
    )
    starts_at = Timestamp()
    ends_at = Timestamp(required=True, metadata={"description": "At most 366 days after its start."})
    user_ids = BoundedList(TypeId("usr"), required=True, validate=ma.validate.Length(max=MAX_PEOPLE))
    instead_of = TypeId(
        "usr", allow_none=True, load_default=None, metadata={"description": "Who is replaced; null: everybody."}
    )
    layer_ids = BoundedList(
        TypeId("lay"),
        load_default=list,
        validate=ma.validate.Length(max=MAX_LAYERS),
        metadata={"description": "The layers that it changes; none: the whole schedule."},
    )


class OverrideRecord(Schema):
    """An override of a schedule."""

    id = TypeId("ovr", required=True)
    schedule_id = TypeId("sch", required=True)
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in OverrideKind]))
    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)
    user_ids = ma.fields.List(TypeId("usr"), required=True)
    instead_of = TypeId("usr", required=True, allow_none=True)
    layer_ids = ma.fields.List(TypeId("lay"), required=True)
    reason = ma.fields.String(required=True)
    created_by = TypeId("usr", required=True, allow_none=True)
    created_at = Timestamp(required=True)
    rev = ma.fields.Integer(required=True)


OverridesQuery = page_query(
    "Overrides",
    ("startsAt", "created"),
    ended=ma.fields.Boolean(metadata={"description": "Those that have ended in place of the others."}),
)
OverridesPage: Any = page_of(OverrideRecord, "Override")
