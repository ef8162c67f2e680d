"""Shapes of the pages of an incident (specification 23.13)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import Line, Schema, Timestamp, TypeId
from inbox.api.http.schemas.page_targets import PageTargets
from inbox.api.incidents.schemas.incidents import LONGEST_NOTE, ActRequest, NamedRecord
from inbox.domain.deliveries.delivery import Status
from inbox.domain.deliveries.notices import Cause
from inbox.domain.events.fields import TITLE_LIMIT
from inbox.models.incidents.read import ANSWERS
from inbox.services.incidents.by_hand import SEVERITIES

PAGE = "pag"
"""The prefix of the ids of pages."""


class PagedPersonRef(NamedRecord):
    """A person with the name."""

    id = TypeId("usr", required=True)


class PagedScheduleRef(NamedRecord):
    """An on-call schedule with its name."""

    id = TypeId("sch", required=True)


class PageContact(Schema):
    """What became of a page at one contact of the person. The address is shown to nobody."""

    kind = ma.fields.String(required=True, metadata={"description": "`push` or `email`.", "example": "push"})
    delivery_id = TypeId("dlv", required=True)
    status = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Status]))
    cause = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "`notification_rule` while it waits for its rule.", "example": "notification_rule"},
    )
    due_at = Timestamp(required=True, allow_none=True, metadata={"description": "When it is sent, while it waits."})
    settled_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "When the contact accepted it, or it ended otherwise."}
    )


class PageAnswer(Schema):
    """The first act of the paged person since the page."""

    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in ANSWERS]))
    at = Timestamp(required=True)


class PageRecord(Schema):
    """A person whom a step paged, or why it paged nobody."""

    id = TypeId(PAGE, required=True)
    at = Timestamp(required=True)
    notice_id = TypeId("ntc", required=True)
    step = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Of the routing profile; 0 of a rule or the default route; null of a person's act."},
    )
    round = ma.fields.Integer(
        required=True, allow_none=True, metadata={"description": "1, and one more with each repetition."}
    )
    user = ma.fields.Nested(PagedPersonRef, required=True, allow_none=True)
    schedule = ma.fields.Nested(PagedScheduleRef, required=True, allow_none=True)
    cause = ma.fields.String(
        required=True,
        allow_none=True,
        validate=ma.validate.OneOf([str(Cause.NOBODY_ON_CALL), str(Cause.UNREACHABLE)]),
        metadata={"description": "Null: the person was paged."},
    )
    contacts = ma.fields.List(
        ma.fields.Nested(PageContact),
        required=True,
        metadata={"description": "In the order of the rules, without those that an earlier page is still to reach."},
    )
    answer = ma.fields.Nested(PageAnswer, required=True, allow_none=True)
    text = ma.fields.String(required=True, metadata={"example": "Mia was paged."})


class PageRequest(ActRequest):
    """The people to page now, with a note."""

    may_be_absent = False

    people = PageTargets(required=True, least=1)


class IncidentNew(Schema):
    """An incident that a person opens."""

    workspace_id = TypeId("wsp", required=True)
    title = Line(TITLE_LIMIT, required=True, metadata={"example": "Checkout is slow"})
    severity = ma.fields.String(
        required=True, validate=ma.validate.OneOf([str(each) for each in SEVERITIES]), metadata={"example": "ERROR"}
    )
    text = ma.fields.String(validate=ma.validate.Length(max=LONGEST_NOTE), metadata={"example": "Customers call."})
    people = PageTargets(load_default=list)


class IncidentAccepted(Schema):
    """The stored event. Routing follows at once, and opens the incident."""

    event_id = TypeId("evt", required=True)
    source_id = TypeId("src", required=True, metadata={"description": "The built-in source of the workspace."})


PagesQuery = page_query("IncidentPages", ("at",))
PagesPage = page_of(PageRecord, "IncidentPage")
