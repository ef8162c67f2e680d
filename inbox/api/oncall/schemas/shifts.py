"""Shapes of shifts, and of who is on call now (specification 23.3)."""

from __future__ import annotations

from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Schema, Timestamp, TypeId
from inbox.domain.oncall.shifts import OriginKind


class OriginRecord(Schema):
    """The layer, override or forwarding that puts a person on call."""

    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in OriginKind]))
    id = ma.fields.String(required=True, metadata={"example": "lay_01h455vb4pex5vsknk084sn02q"})


class OnCallPerson(Schema):
    """A person on call."""

    user_id = TypeId("usr", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Mia"})
    origin = ma.fields.Nested(OriginRecord, required=True)


class ShiftRecord(Schema):
    """A period with the same people on call. Without people it is a gap."""

    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)
    people = ma.fields.List(ma.fields.Nested(OnCallPerson), required=True)


class ShiftsQuery(Schema):
    """The period of the shifts."""

    from_ = Timestamp(data_key="from", metadata={"example": "2026-03-01T00:00:00Z", "description": "Without it: now."})
    to = Timestamp(metadata={"example": "2026-03-15T00:00:00Z", "description": "Without it: 14 days after `from`."})


class LayerShiftsQuery(ShiftsQuery):
    """The period of the shifts, and whether the turns of each layer are listed as well."""

    layers = ma.fields.Boolean(
        load_default=False, metadata={"description": "With the turns of each layer, as if it were the only one."}
    )


class LayerShifts(Schema):
    """The turns of a layer, which no other layer, override or forwarding hides."""

    layer_id = TypeId("lay", required=True)
    items = ma.fields.List(ma.fields.Nested(ShiftRecord), required=True)


class ShiftsResponse(Schema):
    """The shifts of a period without holes, cut at its ends. Without `layers=true` the list `layers` is empty."""

    items = ma.fields.List(ma.fields.Nested(ShiftRecord), required=True)
    layers = ma.fields.List(ma.fields.Nested(LayerShifts), required=True)


class PersonShiftsQuery(ShiftsQuery):
    """The person and the period of the shifts."""

    workspace_id = TypeId("wsp")
    user_id = TypeId("usr", metadata={"description": "Without it: the caller."})


class PersonShift(Schema):
    """A period in which the person is on call by a schedule."""

    schedule_id = TypeId("sch", required=True)
    schedule_name = ma.fields.String(required=True, metadata={"example": "Backend"})
    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)


class PersonShiftsResponse(Schema):
    """The shifts of a person by their start, cut at the ends of the period."""

    items = ma.fields.List(ma.fields.Nested(PersonShift), required=True)


class OnCallNowRecord(Schema):
    """The people on call by a schedule now, the time until which they are, and the people after them."""

    schedule_id = TypeId("sch", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"description": "The schedule's.", "example": "Backend"})
    people = ma.fields.List(ma.fields.Nested(OnCallPerson), required=True)
    until = Timestamp(
        required=True, allow_none=True, metadata={"description": "Null: no change within the next 60 days."}
    )
    next_people = ma.fields.List(ma.fields.Nested(OnCallPerson), required=True)


OnCallNowQuery = page_query("OnCallNow", ("created", "name"), workspace_id=TypeId("wsp"))
OnCallNowPage: Any = page_of(OnCallNowRecord, "OnCallNow")
