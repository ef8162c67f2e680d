"""Shapes of previews of rules on stored events (specification 6.9)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import (
    BoundedDict,
    BoundedList,
    Prerendered,
    Schema,
    SeverityName,
    StrictInteger,
    Timestamp,
    TypeId,
)
from inbox.api.http.schemas.event_rows import ClauseRecord, RoutingRecord
from inbox.api.routing.schemas.predicted_notices import EventNotices
from inbox.api.routing.schemas.rules import RuleEdit
from inbox.api.senders.schemas.events import EventNew
from inbox.domain.routing.preview.near_misses import MAX_NEAREST
from inbox.domain.routing.rules import MAX_RULES
from inbox.flow.preview.rule_report import MAX_RULES as MOST_TRIED
from inbox.flow.preview.single_event import RuleResult
from inbox.models.routing.previews import PreviewStatus


class PreviewRule(RuleEdit):
    """A rule to preview: a stored one (`id`) with the given changes, or a new one."""

    id = TypeId("rul", metadata={"description": "Of the stored rule whose place it takes."})
    position = StrictInteger(
        validate=ma.validate.Range(min=1),
        metadata={"description": "From 1. Left out: where it is, a new one last. Of `rules` the order counts."},
    )


class PreviewRules(Schema):
    """The rules to preview: `rule` among the stored ones, `rules` instead of them, or neither."""

    workspace_id = TypeId("wsp", required=True)
    rule = ma.fields.Nested(PreviewRule)
    rules = BoundedList(
        ma.fields.Nested(PreviewRule),
        validate=ma.validate.Length(max=MAX_RULES),
        metadata={"description": "All rules in the order of their evaluation; `{id}` alone is a stored rule."},
    )


class PreviewRequest(PreviewRules):
    """The rules and the events of a preview."""

    since = Timestamp(required=True, metadata={"description": "Events received from then on."})
    until = Timestamp(metadata={"description": "Up to but without then; left out: until now."})
    source_ids = BoundedList(
        TypeId("src"), validate=ma.validate.Length(max=200), metadata={"description": "Only theirs; none: all."}
    )


class EventPreviewRequest(PreviewRules):
    """The rules and the event: a stored one (`eventId`), or the body of `POST /v1/events` with its sender."""

    event_id = TypeId("evt")
    event = BoundedDict(metadata={"description": f"One event. {EventNew.__doc__}", "example": {"title": "Disk full"}})
    source_id = TypeId("src", metadata={"description": "The source that would send `event`."})


class BeforeAfter(Schema):
    """A number with the stored rules and with the previewed rules."""

    before = ma.fields.Integer(required=True)
    after = ma.fields.Integer(required=True)


class Named(Schema):
    """Numbers by name."""

    before = ma.fields.Dict(ma.fields.String(), ma.fields.Integer(), required=True)
    after = ma.fields.Dict(ma.fields.String(), ma.fields.Integer(), required=True)


class PredictedNotices(BeforeAfter):
    """Predicted notices, including timed ones. Nobody is assumed to react, and every receiver to accept them."""

    at_night = ma.fields.Nested(
        BeforeAfter,
        required=True,
        metadata={"description": "Of them sent from 22:00 to 07:00 by the workspace's clock or in its quiet hours."},
    )
    held = ma.fields.Nested(
        BeforeAfter,
        required=True,
        metadata={"description": "Of these, held by quiet hours for all their destinations."},
    )
    by_reason = ma.fields.Nested(Named, required=True)


class OfSource(Schema):
    """The events of a source, and the number of them that the rule matches."""

    source_id = TypeId("src", required=True)
    source_name = ma.fields.String(required=True)
    events = ma.fields.Integer(required=True)
    matched = ma.fields.Integer(required=True)


class OfSeverity(Schema):
    """The events of a severity, and the number of them that the rule matches."""

    severity = SeverityName(required=True)
    events = ma.fields.Integer(required=True)
    matched = ma.fields.Integer(required=True)


class OutcomeRecord(RoutingRecord):
    """The predicted result for an event. `severity` is its severity after the rules, `incidentId` is always null."""

    severity = SeverityName(required=True)
    text = ma.fields.String(required=True, metadata={"example": "Event opened the incident."})
    reasons = ma.fields.List(
        ma.fields.String(), required=True, metadata={"description": "What led to it, a sentence each."}
    )


class PreviewEvent(Schema):
    """The previewed event."""

    event_id = TypeId("evt", required=True, allow_none=True)
    title = ma.fields.String(required=True)
    severity = SeverityName(required=True)
    source_id = TypeId("src", required=True)
    source_name = ma.fields.String(required=True)
    received_at = Timestamp(required=True)


class SampleRecord(PreviewEvent):
    """An event with a different result. `clauses` belong to `ruleId`: the previewed rule, else the deciding one."""

    before = ma.fields.Nested(OutcomeRecord, required=True)
    after = ma.fields.Nested(OutcomeRecord, required=True)
    rule_id = TypeId("rul", required=True, allow_none=True)
    clauses = ma.fields.List(
        ma.fields.Nested(ClauseRecord),
        required=True,
        metadata={"description": "Each clause of the match: what held and what failed."},
    )


class ClauseCounts(Schema):
    """A clause, and the events it excluded. `sourceIds: …` and `activeDuring: …` are the rule's sources and hours."""

    clause = ma.fields.String(required=True, metadata={"example": 'tags = "prod"'})
    matched = ma.fields.Integer(required=True, metadata={"description": "Events that match it."})
    sole_failure = ma.fields.Integer(
        required=True, metadata={"description": "Events that the rule would match if this clause held, too."}
    )


class NearMiss(PreviewEvent):
    """An event that a rule did not match, and the clauses that failed."""

    failed_clauses = ma.fields.Integer(
        required=True, metadata={"description": "The smallest number of clauses that would have to match in addition."}
    )
    events = ma.fields.Integer(required=True, metadata={"description": "How many failed the same clauses."})
    clauses = ma.fields.List(ma.fields.Nested(ClauseRecord), required=True)


class RuleReport(Schema):
    """The events that a previewed rule matched and missed, whichever rule decided in the end."""

    rule_id = TypeId("rul", required=True)
    name = ma.fields.String(required=True)
    matched = ma.fields.Integer(required=True, metadata={"description": "Events that match all of it."})
    preempted = ma.fields.Integer(
        required=True, metadata={"description": "Of them those in which it has no say: a rule before it decides."}
    )
    text = ma.fields.String(required=True, metadata={"example": 'Rule "Databases" matches 412 events.'})
    clauses = ma.fields.List(ma.fields.Nested(ClauseCounts), required=True)
    near_misses = ma.fields.List(
        ma.fields.Nested(NearMiss),
        required=True,
        validate=ma.validate.Length(max=MAX_NEAREST),
        metadata={
            "description": "Nearest first. Of events as near, the first that fails each set of clauses; then others that have"
            " other values there."
        },
    )


class PreviewRecord(Schema):
    """The result of the rules for the events, if no incident was open at first and nobody reacted."""

    events = ma.fields.Integer(required=True)
    matched = ma.fields.Integer(
        required=True, metadata={"description": "In which `rule`, or any of the rules, would have had a say."}
    )
    changed = ma.fields.Integer(required=True, metadata={"description": "Those that would have fared otherwise."})
    text = ma.fields.String(
        required=True,
        metadata={
            "example": "412 of 25,400 events match. 12 events would have a different outcome. Notifications: 80 instead of 92."
        },
    )
    by_source = ma.fields.List(ma.fields.Nested(OfSource), required=True)
    by_severity = ma.fields.List(ma.fields.Nested(OfSeverity), required=True)
    by_disposition = ma.fields.Nested(Named, required=True)
    incidents = ma.fields.Nested(BeforeAfter, required=True, metadata={"description": "New ones."})
    reopened = ma.fields.Nested(BeforeAfter, required=True)
    notices = ma.fields.Nested(PredictedNotices, required=True)
    deliveries = ma.fields.Nested(
        BeforeAfter, required=True, metadata={"description": "Notices, counted once for each destination."}
    )
    pages = ma.fields.Nested(
        BeforeAfter,
        required=True,
        metadata={"description": "Entries of `people` in steps that are due: a person each, or whoever is on call."},
    )
    sample = ma.fields.List(ma.fields.Nested(SampleRecord), required=True, validate=ma.validate.Length(max=20))
    rule_reports = ma.fields.List(
        ma.fields.Nested(RuleReport),
        required=True,
        validate=ma.validate.Length(max=MOST_TRIED),
        metadata={
            "description": "`rule`; of `rules` the first of those that are new, or say something else than before."
        },
    )


class PreviewProgress(Schema):
    """The progress of a preview. `of` is null until the events are counted."""

    events = ma.fields.Integer(required=True)
    of = ma.fields.Integer(required=True, allow_none=True, attribute="total")


class PreviewJobRecord(Schema):
    """A preview that runs in the background. It is kept for 24 hours."""

    id = TypeId("prv", required=True)
    workspace_id = TypeId("wsp", required=True)
    status = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in PreviewStatus]))
    progress = ma.fields.Nested(PreviewProgress, required=True)
    result = Prerendered(PreviewRecord, required=True, allow_none=True)
    error = ma.fields.String(required=True, allow_none=True, metadata={"description": "Why it failed."})
    created_at = Timestamp(required=True)
    expires_at = Timestamp(required=True)


class RuleResultRecord(Schema):
    """The result of a rule for the event: its effect, whether its match holds, and each of its clauses."""

    rule_id = TypeId("rul", required=True)
    name = ma.fields.String(required=True)
    position = ma.fields.Integer(required=True)
    result = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in RuleResult]))
    matched = ma.fields.Boolean(required=True)
    clauses = ma.fields.List(ma.fields.Nested(ClauseRecord), required=True)
    text = ma.fields.String(required=True, metadata={"example": 'Rule "Databases" matches and decides: any event.'})


class EventPreviewRecord(Schema):
    """The predicted result for the event as the first of its kind, at the time when it was received."""

    event = ma.fields.Nested(PreviewEvent, required=True)
    rules = ma.fields.List(
        ma.fields.Nested(RuleResultRecord),
        required=True,
        metadata={"description": "All as they would be, in their order."},
    )
    changed = ma.fields.Boolean(required=True)
    before = ma.fields.Nested(OutcomeRecord, required=True)
    after = ma.fields.Nested(OutcomeRecord, required=True)
    notices = ma.fields.Nested(EventNotices, required=True)
