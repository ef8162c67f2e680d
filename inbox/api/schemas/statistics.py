"""Shapes of the statistics (specification 7.9)."""

from __future__ import annotations

import marshmallow as ma

from inbox.api.schemas.base import Schema, Timestamp, TypeId
from inbox.domain.time_buckets import Bucket


class StatisticsQuery(Schema):
    """Of which workspace, of which time, how finely."""

    workspace_id = TypeId("wsp", metadata={"description": "All of yours where none is named."})
    since = Timestamp(metadata={"description": "Seven days before `until` where it is not said."})
    until = Timestamp(
        metadata={"description": "The end of this hour where it is not said; at most 366 days after `since`."}
    )
    bucket = ma.fields.Enum(Bucket, by_value=True, load_default=Bucket.DAY)


class BucketRecord(Schema):
    """Incidents first seen in one bucket."""

    start = Timestamp(required=True)
    incidents = ma.fields.Integer(required=True)
    by_severity = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.Integer(), required=True, metadata={"example": {"CRITICAL": 1}}
    )


class DurationRecord(Schema):
    """How long something took, of `n` incidents; null of none."""

    n = ma.fields.Integer(required=True)
    mean_seconds = ma.fields.Float(required=True, allow_none=True)
    median_seconds = ma.fields.Float(required=True, allow_none=True)
    p90_seconds = ma.fields.Float(required=True, allow_none=True)


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


class NotifiedDestination(Schema):
    """How much was meant for a destination, and what became of it; replays apart."""

    destination_id = TypeId("dst", required=True)
    name = ma.fields.String(required=True)
    notices = ma.fields.Integer(required=True)
    sent = ma.fields.Integer(required=True)
    failed = ma.fields.Integer(required=True)
    other = ma.fields.Integer(required=True, metadata={"description": "Waiting, held, skipped or expired."})


class UnmatchedRule(Schema):
    """A rule, older than seven days, that never matched an event."""

    rule_id = TypeId("rul", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True)
    enabled = ma.fields.Boolean(required=True)
    created_at = Timestamp(required=True)


class StatisticsRecord(Schema):
    """What a time span shows. Incidents belong to the time at which they were first seen."""

    since = Timestamp(required=True)
    until = Timestamp(required=True)
    bucket = ma.fields.String(required=True, validate=ma.validate.OneOf([str(bucket) for bucket in Bucket]))
    timezone = ma.fields.String(
        required=True, metadata={"description": "The workspace's, on whose clock the buckets are; over several, UTC."}
    )
    buckets = ma.fields.List(ma.fields.Nested(BucketRecord), required=True)
    time_to_acknowledge = ma.fields.Nested(DurationRecord, required=True)
    time_to_resolve = ma.fields.Nested(DurationRecord, required=True)
    noisiest_sources = ma.fields.List(ma.fields.Nested(NoisySource), required=True)
    noisiest_fingerprints = ma.fields.List(ma.fields.Nested(NoisyFingerprint), required=True)
    destinations = ma.fields.List(ma.fields.Nested(NotifiedDestination), required=True)
    unmatched_rules = ma.fields.List(ma.fields.Nested(UnmatchedRule), required=True)
