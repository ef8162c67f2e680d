"""Shapes of rules (specification 6.2)."""

from __future__ import annotations

from datetime import timedelta

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import (
    BoundedList,
    Flag,
    Line,
    Minutes,
    Prerendered,
    Schema,
    SeverityName,
    StrictInteger,
    Timestamp,
    TypeId,
    WebLink,
)
from inbox.api.http.schemas.list_filters import by_name
from inbox.api.http.schemas.page_targets import PageTargets
from inbox.api.http.schemas.windows import ScheduleShape
from inbox.api.routing.schemas.costs import COSTLY, CostlyRecord
from inbox.api.routing.schemas.matches import MatchLine, MatchTree
from inbox.api.senders.schemas.sources import MAX_GROUPING_FIELDS, GroupingField
from inbox.domain.events.fields import TAG_LIMIT, TAGS_LIMIT, URL_LIMIT
from inbox.domain.incidents.alerts import ResolveWhen
from inbox.domain.routing.rule_action import RuleAction
from inbox.domain.routing.rules import MAX_RULES

LONGEST_NAME = 100
MAX_DESTINATIONS = 50
A_DAY, A_MONTH = timedelta(days=1), timedelta(days=30)

_EXAMPLE = {"all": [{"field": "severity", "op": "gte", "value": "ERROR"}]}
_MATCH = {
    "description": 'Which events it is about: a tree of `{"all": [...]}`, `{"any": [...]}`, `{"not": ...}` and'
    ' `{"field", "op", "value"}`, at most 4 deep and with at most 50 clauses. `{"all": []}` is every event.',
    "example": _EXAMPLE,
}
_TEXT = {"description": "The same on one line, in place of `match`.", "example": "severity >= ERROR"}
_SOURCES = {"description": "Only events of these; none: of every source."}
_CONTINUE = {
    "description": "Later rules are evaluated too: tags and destinations add up, otherwise the last rule that sets a value counts."
}
_HOURS = {"description": "Only at these hours, by the time an event is received; null: always."}
_AFTER = {"description": "The nth matching event within some minutes opens an incident; null: the first one does."}
_POSITION = {"description": "From 1, which is evaluated first."}


class OpenAfterShape(Schema):
    """The number of events of one fingerprint, and the minutes in which they must arrive to open an incident."""

    count = StrictInteger(required=True, validate=ma.validate.Range(2, 100), metadata={"example": 3})
    within = Minutes(timedelta(minutes=1), A_DAY, required=True, data_key="withinMinutes")


class ThenShape(Schema):
    """The actions of a rule on events that match. An edit changes the members that it names."""

    disposition = ma.fields.Enum(
        RuleAction,
        by_value=True,
        allow_none=True,
        metadata={"description": "Null, with `continue` only: later rules or the default route decide."},
    )
    severity = SeverityName(allow_none=True, metadata={"description": "Instead of the event's own; null: its own."})
    add_tags = BoundedList(Line(TAG_LIMIT, metadata={"example": "db"}), validate=ma.validate.Length(max=TAGS_LIMIT))
    group_by = BoundedList(
        GroupingField(metadata={"example": "resource.kind"}),
        validate=ma.validate.Length(max=MAX_GROUPING_FIELDS),
        metadata={"description": "Instead of `dedupKey` and the source's `groupBy`; none: as the source says."},
    )
    resolve_when = ma.fields.Enum(
        ResolveWhen,
        by_value=True,
        metadata={"description": "With `groupBy`: the incident resolves when `all` or `any` of its alerts ended."},
    )
    destination_ids = BoundedList(
        TypeId("dst"),
        validate=ma.validate.Length(max=MAX_DESTINATIONS),
        metadata={
            "description": "Notified at once. Without these, people and a profile, the next rule or the default route decides."
        },
    )
    people = PageTargets()
    routing_profile_id = TypeId("prf", allow_none=True)
    snooze = Minutes(
        timedelta(minutes=1),
        A_MONTH,
        allow_none=True,
        data_key="snoozeMinutes",
        metadata={"description": "The incident opens snoozed for so long; null: it does not."},
    )
    runbook_url = WebLink(
        URL_LIMIT,
        allow_none=True,
        metadata={
            "description": "A link in messages about incidents of the rule, instead of that of the event; null: none.",
            "example": "https://wiki.example.org/runbooks/disk-full",
        },
    )


class RuleEdit(Schema):
    """The fields that an administrator can change. Fields that are left out stay unchanged."""

    name = Line(LONGEST_NAME, metadata={"example": "Databases at night"})
    enabled = Flag()
    source_ids = BoundedList(TypeId("src"), validate=ma.validate.Length(max=200), metadata=_SOURCES)
    match = MatchTree(metadata=_MATCH)
    match_text = MatchLine(metadata=_TEXT)
    active_during = ma.fields.Nested(ScheduleShape, allow_none=True, metadata=_HOURS)
    open_after = ma.fields.Nested(OpenAfterShape, allow_none=True, metadata=_AFTER)
    then = ma.fields.Nested(ThenShape)
    continue_matching = Flag(data_key="continue", metadata=_CONTINUE)


class RuleNew(RuleEdit):
    """A new rule, with `match` or `matchText`."""

    workspace_id = TypeId("wsp", required=True)
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Databases at night"})
    then = ma.fields.Nested(ThenShape, required=True)
    position = StrictInteger(
        validate=ma.validate.Range(min=1), metadata={"description": "From 1; last, when left out."}
    )


class RuleRecord(Schema):
    """A rule (specification 6.2)."""

    id = TypeId("rul", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True)
    enabled = ma.fields.Boolean(required=True)
    position = ma.fields.Integer(required=True, metadata=_POSITION)
    source_ids = ma.fields.List(TypeId("src"), required=True, metadata=_SOURCES)
    match = ma.fields.Dict(required=True, metadata=_MATCH)
    match_text = ma.fields.String(required=True, metadata={"example": "severity >= ERROR"})
    active_during = Prerendered(ScheduleShape, required=True, allow_none=True, metadata=_HOURS)
    open_after = Prerendered(OpenAfterShape, required=True, allow_none=True, metadata=_AFTER)
    then = Prerendered(ThenShape, required=True, attribute="actions")
    continue_matching = ma.fields.Boolean(required=True, data_key="continue", metadata=_CONTINUE)
    text = ma.fields.String(
        required=True,
        metadata={
            "description": "The rule as a sentence.",
            "example": "When severity >= ERROR: open an incident and notify Pager.",
        },
    )
    matched_last_24h = ma.fields.Integer(
        required=True, data_key="matchedLast24h", metadata={"description": "Events of the last 24 hours, to the hour."}
    )
    last_matched_at = Timestamp(required=True, allow_none=True)
    too_costly = ma.fields.Nested(CostlyRecord, required=True, allow_none=True, metadata=COSTLY)
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


class RuleOrderRequest(Schema):
    """All rules of a workspace, in the order of evaluation."""

    workspace_id = TypeId("wsp", required=True)
    ids = BoundedList(TypeId("rul"), required=True, validate=ma.validate.Length(max=MAX_RULES))
    rev = StrictInteger(required=True, metadata={"description": "`rulesRev` of the order that is to be replaced."})


class RuleOrderRecord(RuleOrderRequest):
    """The present order. The next request sends its `rev`."""

    rev = StrictInteger(required=True, metadata={"description": "`rulesRev` as it is now."})


class MatchText(Schema):
    """A match in either of its two forms."""

    match = MatchTree(metadata=_MATCH)
    match_text = MatchLine(metadata=_TEXT)


class MatchForms(Schema):
    """A match in both forms."""

    match = ma.fields.Dict(required=True, metadata=_MATCH)
    match_text = ma.fields.String(required=True, metadata=_TEXT)


RulesQuery = page_query(
    "Rules",
    ("position", "name", "created"),
    workspace_id=TypeId("wsp"),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
    q=by_name(),
    order=ma.fields.String(load_default="asc", validate=ma.validate.OneOf(["asc", "desc"])),
)


class RulesPage(page_of(RuleRecord, "Rule")):  # type: ignore[misc]
    """A page of rules."""

    rules_rev = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The revision of the order, also the `ETag`; null without `workspaceId`."},
    )
