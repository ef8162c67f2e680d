"""Shapes of the statistics (specification 7.9)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.http.schemas.base import Schema, SeverityName, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import SearchText, several
from inbox.api.incidents.schemas.incidents import STATES
from inbox.domain.values.time_buckets import Bucket


class StatisticsQuery(Schema):
    """The workspace, the period, the width of the buckets, and filters."""

    workspace_id = TypeId("wsp", metadata={"description": "All of yours where none is named."})
    since = Timestamp(metadata={"description": "Seven days before `until` where it is not said."})
    until = Timestamp(
        metadata={"description": "The end of this hour where it is not said; at most 366 days after `since`."}
    )
    bucket = ma.fields.Enum(
        Bucket,
        by_value=True,
        load_default=Bucket.DAY,
        metadata={"description": "Buckets of an hour cover at most 31 days."},
    )
    source_id = several(TypeId("src"), "Of this source.")
    severity = several(SeverityName(), "Of this severity.")
    tag = several(SearchText(), "With this tag.")


class DurationRecord(Schema):
    """A duration over `n` incidents. The values are null without any."""

    n = ma.fields.Integer(required=True)
    mean_seconds = ma.fields.Float(required=True, allow_none=True)
    median_seconds = ma.fields.Float(required=True, allow_none=True)
    p90_seconds = ma.fields.Float(required=True, allow_none=True)


class DeliveryCounts(Schema):
    """Deliveries by status, without replays."""

    sent = ma.fields.Integer(required=True)
    failed = ma.fields.Integer(required=True)
    held = ma.fields.Integer(required=True)
    skipped = ma.fields.Integer(required=True)
    expired = ma.fields.Integer(required=True)
    gathered = ma.fields.Integer(required=True, metadata={"description": "Notices that a digest has."})
    pending = ma.fields.Integer(required=True, metadata={"description": "Due, being sent, or retried."})


class BucketRecord(Schema):
    """Incidents first seen, events received and notices created in one bucket."""

    start = Timestamp(required=True)
    incidents = ma.fields.Integer(required=True)
    by_severity = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.Integer(), required=True, metadata={"example": {"CRITICAL": 1}}
    )
    events = ma.fields.Integer(required=True)
    notices = ma.fields.Dict(
        keys=ma.fields.String(),
        values=ma.fields.Integer(),
        required=True,
        metadata={"description": "Notices with a delivery, by reason.", "example": {"opened": 1}},
    )
    deliveries = ma.fields.Nested(DeliveryCounts, required=True)
    time_to_acknowledge = ma.fields.Nested(DurationRecord, required=True)
    time_to_resolve = ma.fields.Nested(DurationRecord, required=True)


class NoisySource(Schema):
    """A source with many events."""

    source_id = TypeId("src", required=True)
    name = ma.fields.String(required=True)
    incidents = ma.fields.Integer(required=True)
    events = ma.fields.Integer(required=True, metadata={"description": "Counted to these incidents."})


class NoisyFingerprint(Schema):
    """A fingerprint with many events."""

    fingerprint = ma.fields.String(required=True)
    source_id = TypeId("src", required=True)
    incident_id = TypeId("inc", required=True, metadata={"description": "Its newest incident."})
    title = ma.fields.String(required=True)
    incidents = ma.fields.Integer(required=True)
    events = ma.fields.Integer(required=True)
    openings = ma.fields.Integer(required=True, metadata={"description": "Its incidents and their reopenings."})


class RankedIncident(Schema):
    """An incident of a ranking."""

    incident_id = TypeId("inc", required=True)
    number = ma.fields.Integer(required=True)
    title = ma.fields.String(required=True)
    source_id = TypeId("src", required=True)
    fingerprint = ma.fields.String(required=True)
    state = ma.fields.String(required=True, validate=ma.validate.OneOf(STATES))
    severity = SeverityName(required=True)
    opened_at = Timestamp(required=True, metadata={"description": "Its last opening."})
    resolved_at = Timestamp(required=True, allow_none=True)


class MostReopened(RankedIncident):
    """An incident with the number of its reopenings."""

    reopenings = ma.fields.Integer(required=True)


class ResolvingPerson(Schema):
    """A person who resolved incidents."""

    user_id = TypeId("usr", required=True)
    name = ma.fields.String(required=True, allow_none=True)
    incidents = ma.fields.Integer(required=True)


class ResolvedBy(Schema):
    """Resolved incidents by the actor that resolved them."""

    person = ma.fields.Integer(required=True)
    recovery = ma.fields.Integer(required=True, metadata={"description": "By an event or a heartbeat monitor."})
    automatic = ma.fields.Integer(required=True, metadata={"description": "By the service, after a time."})
    people = ma.fields.List(ma.fields.Nested(ResolvingPerson), required=True)


class CountedFrom(Schema):
    """The times from which the figures are complete. They are later than `since` if there were too many rows."""

    incidents = Timestamp(required=True)
    events = Timestamp(required=True)
    deliveries = Timestamp(required=True)


class NotifiedDestination(DeliveryCounts):
    """The deliveries to a destination by status."""

    destination_id = TypeId("dst", required=True)
    name = ma.fields.String(required=True)
    notices = ma.fields.Integer(required=True)


class UnmatchedRule(Schema):
    """A rule, older than seven days, that never matched an event."""

    rule_id = TypeId("rul", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True)
    enabled = ma.fields.Boolean(required=True)
    created_at = Timestamp(required=True)


class StatisticsRecord(Schema):
    """The statistics of a period. Incidents belong to the time at which they were first seen."""

    since = Timestamp(required=True)
    until = Timestamp(required=True)
    bucket = ma.fields.String(required=True, validate=ma.validate.OneOf([str(bucket) for bucket in Bucket]))
    timezone = ma.fields.String(
        required=True, metadata={"description": "The workspace's, on whose clock the buckets are; over several, UTC."}
    )
    counted_from = ma.fields.Nested(CountedFrom, required=True)
    buckets = ma.fields.List(ma.fields.Nested(BucketRecord), required=True)
    time_to_acknowledge = ma.fields.Nested(DurationRecord, required=True)
    time_to_resolve = ma.fields.Nested(DurationRecord, required=True)
    heat_map = ma.fields.List(
        ma.fields.List(ma.fields.Integer()),
        required=True,
        metadata={"description": "Incidents by weekday, from Monday, and by hour of the day."},
    )
    noisiest_sources = ma.fields.List(ma.fields.Nested(NoisySource), required=True)
    noisiest_fingerprints = ma.fields.List(ma.fields.Nested(NoisyFingerprint), required=True)
    top_flapping = ma.fields.List(
        ma.fields.Nested(NoisyFingerprint),
        required=True,
        metadata={"description": "The fingerprints that opened most often, at least twice."},
    )
    longest_open = ma.fields.List(
        ma.fields.Nested(RankedIncident),
        required=True,
        metadata={"description": "Those with the longest time from `openedAt` to `resolvedAt`, or to now."},
    )
    most_reopened = ma.fields.List(ma.fields.Nested(MostReopened), required=True)
    resolved_by = ma.fields.Nested(ResolvedBy, required=True)
    destinations = ma.fields.List(ma.fields.Nested(NotifiedDestination), required=True)
    unmatched_rules = ma.fields.List(ma.fields.Nested(UnmatchedRule), required=True)
