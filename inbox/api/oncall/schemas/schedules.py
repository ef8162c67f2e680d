"""Shapes of on-call schedules and their layers (specification 23.1)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Line, Prerendered, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import by_name
from inbox.api.http.schemas.windows import TimeZone, Window
from inbox.domain.oncall.problems import ProblemKind
from inbox.domain.oncall.schedule import MAX_EVERY, MAX_LAYERS, MAX_MEMBERS, MAX_PEOPLE, Counting, Unit
from inbox.domain.values.addresses import LONGEST_URL

LONGEST_NAME, LONGEST_DESCRIPTION, MAX_WINDOWS = 100, 500, 20

_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d", re.ASCII)


EXAMPLE_LAYERS = [
    {
        "name": "Business hours",
        "level": 1,
        "timezone": None,
        "start": "2026-03-02T09:00",
        "unit": "week",
        "every": 1,
        "members": [["usr_01j0000000e008000000000001"]],
        "windows": [{"days": ["mon", "tue", "wed", "thu", "fri"], "start": "09:00", "end": "17:00"}],
        "from": None,
        "until": None,
        "counts": "all",
    }
]
"""The layers of the examples of requests."""


class LocalTime(ma.fields.Field[datetime]):
    """A local time without a zone, as `YYYY-MM-DDTHH:MM`."""

    def __init__(self, **kwargs: Any) -> None:
        about = {"type": "string", "example": "2026-03-02T09:00", "pattern": f"^{_LOCAL.pattern}$"}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})

    def _deserialize(self, value: object, attr: str | None, data: object, **kwargs: Any) -> datetime:
        try:
            if isinstance(value, str) and _LOCAL.fullmatch(value):
                return datetime.fromisoformat(value)
        except ValueError:
            pass
        raise ma.ValidationError("Not a local time without a zone, such as 2026-03-02T09:00.")


class CalendarUrl(ma.fields.String):
    """The secret address of an external calendar."""

    def __init__(self, **kwargs: Any) -> None:
        about = {
            "example": "https://calendar.example.com/team.ics",
            "description": "The iCalendar file to follow; it is never shown again. Null: layers.",
        }
        limit = ma.validate.Length(1, LONGEST_URL)
        super().__init__(allow_none=True, load_only=True, validate=limit, metadata=about, **kwargs)


class LayerShape(Schema):
    """A list of people who take turns. The highest level that has people at a time is on call."""

    id = TypeId("lay", metadata={"description": "Without it, the layer is new."})
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Business hours"})
    level = StrictInteger(load_default=1, validate=ma.validate.Range(1, MAX_LAYERS))
    timezone = TimeZone(allow_none=True, load_default=None, metadata={"description": "Null: the schedule's."})
    start = LocalTime(required=True, metadata={"description": "When the first turn begins, by the clock."})
    unit = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Unit]))
    every = StrictInteger(
        required=True, validate=ma.validate.Range(1, MAX_EVERY), metadata={"description": "Units of a turn."}
    )
    members = BoundedList(
        BoundedList(TypeId("usr"), validate=ma.validate.Length(max=MAX_PEOPLE)),
        required=True,
        validate=ma.validate.Length(1, MAX_MEMBERS),
        metadata={"description": "The people of each turn, in order. An empty list: nobody takes this turn."},
    )
    windows = BoundedList(
        ma.fields.Nested(Window),
        load_default=list,
        validate=ma.validate.Length(max=MAX_WINDOWS),
        metadata={"description": "When it is active; none: always."},
    )
    from_ = Timestamp(data_key="from", allow_none=True, load_default=None)
    until = Timestamp(allow_none=True, load_default=None)
    counts = ma.fields.String(
        load_default=str(Counting.ALL),
        validate=ma.validate.OneOf([str(each) for each in Counting]),
        metadata={"description": "Whether `all` turns move the rotation on, or only those that a window `covered`."},
    )


class SlackShape(Schema):
    """A user group of Slack, and the topic of the destination's channel, that show who is on call."""

    destination_id = TypeId("dst", required=True, metadata={"description": "A Slack destination with a bot token."})
    user_group_id = ma.fields.String(
        allow_none=True,
        load_default=None,
        validate=ma.validate.Regexp(r"S[A-Z0-9]{2,20}\Z"),
        metadata={"example": "S0123456789", "description": "Its members are the people on call."},
    )
    sets_topic = ma.fields.Boolean(load_default=False)


class SlackRecord(SlackShape):
    """What follows a schedule in Slack, and why it may not."""

    failing_since = Timestamp(required=True, allow_none=True)
    failure = ma.fields.String(required=True, allow_none=True, metadata={"example": "Slack answered 503."})


class ScheduleEdit(Schema):
    """The fields that an administrator can change. `layers` are replaced as a whole."""

    name = Line(LONGEST_NAME, metadata={"example": "Backend"})
    description = ma.fields.String(validate=ma.validate.Length(max=LONGEST_DESCRIPTION))
    timezone = TimeZone()
    notice_destination_id = TypeId(
        "dst", allow_none=True, metadata={"description": "Where handoffs are told. Null: nowhere."}
    )
    layers = BoundedList(ma.fields.Nested(LayerShape), validate=ma.validate.Length(max=MAX_LAYERS))
    calendar_url = CalendarUrl()
    slack = ma.fields.Nested(SlackShape, allow_none=True)


class ScheduleNew(ScheduleEdit):
    """A new schedule."""

    workspace_id = TypeId("wsp", required=True)
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Backend"})
    timezone = TimeZone(required=True)
    layers = BoundedList(
        ma.fields.Nested(LayerShape),
        load_default=list,
        validate=ma.validate.Length(max=MAX_LAYERS),
        metadata={"description": "At least one, unless the schedule follows a calendar."},
    )


class CalendarRecord(Schema):
    """The external calendar that a schedule follows. Its address is secret."""

    hint = ma.fields.String(required=True, metadata={"description": "The host.", "example": "calendar.example.com"})
    is_followed = ma.fields.Boolean(
        required=True, metadata={"description": "False until its first reading: layers count until then."}
    )
    read_at = Timestamp(required=True, allow_none=True, metadata={"description": "Of the last good copy."})
    failing_since = Timestamp(required=True, allow_none=True)
    failure = ma.fields.String(required=True, allow_none=True, metadata={"example": "The server answered 404."})
    unmatched_total = ma.fields.Integer(
        required=True, metadata={"description": "Names in its events that match no member."}
    )


class ProblemRecord(Schema):
    """A problem of a schedule. A gap has its times, a layer that is never active its id, an absent member their id."""

    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in ProblemKind]))
    starts_at = Timestamp(required=True, allow_none=True)
    ends_at = Timestamp(required=True, allow_none=True)
    layer_id = TypeId("lay", required=True, allow_none=True)
    user_id = TypeId("usr", required=True, allow_none=True)


class ScheduleRecord(Schema):
    """An on-call schedule."""

    id = TypeId("sch", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True)
    description = ma.fields.String(required=True)
    timezone = ma.fields.String(required=True, metadata={"example": "Europe/Berlin"})
    layers = Prerendered(LayerShape, many=True, required=True)
    notice_destination_id = TypeId("dst", required=True, allow_none=True)
    calendar = ma.fields.Nested(
        CalendarRecord, required=True, allow_none=True, metadata={"description": "Null: it has layers."}
    )
    slack = ma.fields.Nested(SlackRecord, required=True, allow_none=True)
    problems = ma.fields.List(ma.fields.Nested(ProblemRecord), required=True)
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


SchedulesQuery = page_query(
    "Schedules",
    ("created", "name"),
    workspace_id=TypeId("wsp"),
    q=by_name(),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
)
SchedulesPage: Any = page_of(ScheduleRecord, "Schedule")
