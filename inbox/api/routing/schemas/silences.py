"""Shapes of silences (specification 8.1)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Line, Prerendered, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import by_name
from inbox.api.http.schemas.windows import TimeZone
from inbox.api.incidents.schemas.incidents import ActorRecord, IncidentRecord
from inbox.api.routing.schemas.costs import COSTLY, CostlyRecord
from inbox.api.routing.schemas.matches import MatchLine, MatchTree
from inbox.domain.routing.active_periods import SilenceState
from inbox.domain.routing.silences import MAX_OCCURRENCE_MINUTES
from inbox.domain.values.recurrence import MAX_RULE_LENGTH

LONGEST_COMMENT = 500
_STATES = [str(state) for state in SilenceState]
_MATCH = {
    "description": "Which events it is about, as the `match` of a rule; of an incident its newest event counts.",
    "example": {"all": [{"field": "resource", "op": "startsWith", "value": "host:db"}]},
}
_TEXT = {"description": "The same on one line, in place of `match`.", "example": 'resource startsWith "host:db"'}
_SOURCES = {"description": "Only what comes from these; none: from every source."}
_RECURS = {"description": "The recurrence between start and end; null: it is active all the time."}


class RecurrenceShape(Schema):
    """The periods in which a silence is active between its start and its end."""

    rrule = ma.fields.String(
        required=True,
        validate=ma.validate.Length(1, MAX_RULE_LENGTH),
        metadata={
            "description": "An RRULE of RFC 5545 with FREQ=DAILY, WEEKLY, MONTHLY or YEARLY and without UNTIL. The time of"
            " day is that of `startsAt` in this time zone, whatever the season.",
            "example": "FREQ=WEEKLY;BYDAY=SU",
        },
    )
    timezone = TimeZone(required=True)
    duration_minutes = StrictInteger(
        required=True,
        validate=ma.validate.Range(1, MAX_OCCURRENCE_MINUTES),
        metadata={"description": "How long each time, by the stop-watch.", "example": 120},
    )


class SilenceEdit(Schema):
    """The fields that a member can change. Fields that are left out stay unchanged."""

    match = MatchTree(metadata=_MATCH)
    match_text = MatchLine(metadata=_TEXT)
    source_ids = BoundedList(TypeId("src"), validate=ma.validate.Length(max=200), metadata=_SOURCES)
    starts_at = Timestamp()
    ends_at = Timestamp(metadata={"description": "At most 366 days ahead."})
    recurrence = ma.fields.Nested(RecurrenceShape, allow_none=True, metadata=_RECURS)
    comment = Line(LONGEST_COMMENT, metadata={"description": "Why.", "example": "Database upgrade, OPS-7"})


class SilenceNew(SilenceEdit):
    """A new silence, with `match` or `matchText`. Without `startsAt` it begins now."""

    workspace_id = TypeId("wsp", required=True)
    ends_at = Timestamp(required=True, metadata={"description": "At most 366 days ahead."})
    comment = Line(LONGEST_COMMENT, required=True, metadata={"description": "Why.", "example": "Database upgrade"})


class SilenceExtension(Schema):
    """The new end of a silence."""

    ends_at = Timestamp(required=True, metadata={"description": "Later than before, at most 366 days ahead."})


class SilencePeriod(Schema):
    """A period in which a silence is active."""

    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)


class SilenceRecord(Schema):
    """A silence: its creator, its reason, and the number of events and incidents that it covers."""

    id = TypeId("sil", required=True)
    workspace_id = TypeId("wsp", required=True)
    match = ma.fields.Dict(required=True, metadata=_MATCH)
    match_text = ma.fields.String(required=True, metadata={"example": 'resource startsWith "host:db"'})
    source_ids = ma.fields.List(TypeId("src"), required=True, metadata=_SOURCES)
    starts_at = Timestamp(required=True)
    ends_at = Timestamp(required=True)
    recurrence = Prerendered(RecurrenceShape, required=True, allow_none=True, metadata=_RECURS)
    text = ma.fields.String(
        required=True,
        metadata={
            "description": "Its times as a sentence.",
            "example": "Every week on Sunday at 02:00 Europe/Berlin for 120 minutes, from Sun 01 Mar 2026 until Sun 27 Dec 2026.",
        },
    )
    comment = ma.fields.String(required=True)
    created_by = ma.fields.Nested(
        ActorRecord, required=True, allow_none=True, attribute="maker", metadata={"description": "Null: gone since."}
    )
    state = ma.fields.String(required=True, validate=ma.validate.OneOf(_STATES))
    next_change_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "When it begins or ends next; null: never again."}
    )
    periods = ma.fields.List(
        ma.fields.Nested(SilencePeriod),
        required=True,
        metadata={"description": "When it is active within the next seven days: the first 50 periods."},
    )
    matched_events = ma.fields.Integer(
        required=True, attribute="hits", metadata={"description": "Events that matched it."}
    )
    last_matched_at = Timestamp(required=True, allow_none=True, attribute="last_hit_at")
    silenced_incidents = ma.fields.Integer(
        required=True, metadata={"description": "Unresolved incidents that it covers."}
    )
    too_costly = ma.fields.Nested(CostlyRecord, required=True, allow_none=True, metadata=COSTLY)
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


class SilencePreviewRequest(Schema):
    """A silence to preview, with `match` or `matchText`."""

    workspace_id = TypeId("wsp", required=True)
    match = MatchTree(metadata=_MATCH)
    match_text = MatchLine(metadata=_TEXT)
    source_ids = BoundedList(TypeId("src"), validate=ma.validate.Length(max=200), metadata=_SOURCES)


class RecentEvents(Schema):
    """The events of the last seven days that a silence matches."""

    count = ma.fields.Integer(required=True, metadata={"example": 9})
    complete = ma.fields.Boolean(
        required=True, metadata={"description": "Whether all were checked; otherwise there may be more."}
    )


class SilencePreview(Schema):
    """The unresolved incidents that this silence would cover now and no other silence covers."""

    count = ma.fields.Integer(required=True)
    text = ma.fields.String(required=True, metadata={"example": "The silence would cover 7 unresolved incidents now."})
    incidents = ma.fields.List(
        ma.fields.Nested(IncidentRecord), required=True, metadata={"description": "The first 50, seen last first."}
    )
    complete = ma.fields.Boolean(
        required=True,
        metadata={"description": "Whether all were checked; otherwise the 20,000 seen last, for at most two seconds."},
    )
    recent_events = ma.fields.Nested(RecentEvents, required=True)


SilencesQuery = page_query(
    "Silences",
    ("endsAt", "startsAt", "created"),
    workspace_id=TypeId("wsp"),
    state=ma.fields.String(validate=ma.validate.OneOf(_STATES)),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
    q=by_name("Only those whose comment or match contains this text, in any case."),
)
SilencesPage = page_of(SilenceRecord, "Silence")
