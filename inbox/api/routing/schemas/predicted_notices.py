"""Shapes of notices that previews and simulations predict (specification 6.9, 6.10)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.deliveries.schemas.explanations import DECISION
from inbox.api.http.schemas.base import Schema, SeverityName, TypeId
from inbox.domain.deliveries.notices import Cause
from inbox.domain.incidents.state_machine import Reason


class ConsideredPerson(Schema):
    """A person whom a step would page, or why it would page nobody."""

    user_id = TypeId("usr", required=True, allow_none=True, metadata={"description": "Null: nobody is on call."})
    schedule_id = TypeId("sch", required=True, allow_none=True, metadata={"description": "By which they are on call."})
    name = ma.fields.String(required=True, metadata={"description": "Of the person, or of the schedule."})
    decision = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in (Cause.NOTIFY, Cause.NOBODY_ON_CALL, Cause.UNREACHABLE)]),
        metadata={"example": "notify"},
    )


class RecipientDecisionRecord(Schema):
    """The predicted decision for a destination."""

    destination_id = ma.fields.String(required=True, allow_none=True)
    name = ma.fields.String(required=True)
    decision = ma.fields.String(
        required=True,
        metadata={"example": "notify", "description": "The cause; `silenced` with the id.", "pattern": DECISION},
    )
    text = ma.fields.String(required=True, metadata={"example": "Pager would be notified."})
    until = ma.fields.String(metadata={"format": "date-time"})
    min_severity = SeverityName(metadata={"description": "The least severity that it, or its step, takes."})
    step = ma.fields.Integer(metadata={"description": "The step of the routing profile that asks for `minSeverity`."})


class PredictedNotice(Schema):
    """A notice that would follow at once."""

    reason = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Reason]))
    text = ma.fields.String(required=True, metadata={"example": "The incident opens. Notified: Pager."})
    destinations = ma.fields.List(ma.fields.Nested(RecipientDecisionRecord), required=True)
    people = ma.fields.List(
        ma.fields.Nested(ConsideredPerson), required=True, metadata={"description": "Whom it would page now."}
    )


class EventNotices(Schema):
    """The notices with the stored rules and with the previewed rules."""

    before = ma.fields.List(ma.fields.Nested(PredictedNotice), required=True)
    after = ma.fields.List(ma.fields.Nested(PredictedNotice), required=True)
