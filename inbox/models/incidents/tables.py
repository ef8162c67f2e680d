"""Incidents, their timelines and timers."""

from __future__ import annotations

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.database.base import SeverityField, Table, TimestampField


class Incident(Table):
    """A condition that events of one fingerprint report; at most one incident per (source, fingerprint) is unresolved.

    Specification 7.1.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    number = peewee.BigIntegerField()
    source_id = peewee.UUIDField()
    fingerprint = peewee.TextField()
    title = peewee.TextField()
    severity = SeverityField()
    last_severity = SeverityField()
    state = peewee.TextField()
    state_before_silence = peewee.TextField(null=True)
    flapping = peewee.BooleanField(default=False)
    resource = peewee.TextField(null=True)
    type = peewee.TextField(null=True)
    tags = ArrayField(peewee.TextField, default=list, index=False)
    dedup_key = peewee.TextField(null=True)
    rule_id = peewee.UUIDField(null=True)
    routing_profile_id = peewee.UUIDField(null=True)
    destination_ids = ArrayField(peewee.UUIDField, default=list, index=False)
    people = BinaryJSONField(default=list, index=False)
    assignee_id = peewee.UUIDField(null=True)
    event_count = peewee.BigIntegerField(default=1)
    reopen_count = peewee.IntegerField(default=0)
    notice_count = peewee.IntegerField(default=0)
    first_seen_at = TimestampField()
    last_seen_at = TimestampField()
    opened_at = TimestampField()
    acknowledged_at = TimestampField(null=True)
    acknowledged_by = peewee.UUIDField(null=True)
    snoozed_until = TimestampField(null=True)
    silenced_by = peewee.UUIDField(null=True)
    resolved_at = TimestampField(null=True)
    resolved_by = BinaryJSONField(null=True, index=False)
    related_incident_id = peewee.UUIDField(null=True)
    state_change_times = ArrayField(TimestampField, default=list, index=False)
    steps_taken = peewee.IntegerField(default=0)
    renotify_count = peewee.IntegerField(default=0)
    notified_at = TimestampField(null=True)
    notified_severity = SeverityField(null=True)
    last_step = ArrayField(peewee.IntegerField, null=True, index=False)
    steps_start_at = TimestampField(null=True)
    last_entry_at = TimestampField(null=True)
    title_edited = peewee.BooleanField(default=False)
    alert_count = peewee.IntegerField(default=0)
    firing_count = peewee.IntegerField(default=0)
    alert_round = peewee.IntegerField(default=0)
    alerts_left_out = peewee.BigIntegerField(default=0)
    joined_count = peewee.IntegerField(default=0)
    joined_titles = ArrayField(peewee.TextField, default=list, index=False)
    joined_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)

    class Meta:
        table_name = "incidents"


class TimelineEntry(Table):
    """One entry of an incident's timeline; `actor` is `{type, id, name}`."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    incident_id = peewee.UUIDField()
    at = TimestampField()
    kind = peewee.TextField()
    actor = BinaryJSONField(index=False)
    event_id = peewee.UUIDField(null=True)
    details = BinaryJSONField(default=dict, index=False)

    class Meta:
        table_name = "timeline"


class Timer(Table):
    """Work that is due at a time: `kind` names the work, `subject_id` its object. Redis holds only wake-ups, no state.

    `resume_after` is the last processed incident of a timer that processes many incidents in several transactions.
    """

    kind = peewee.TextField()
    subject_id = peewee.UUIDField()
    workspace_id = peewee.UUIDField()
    due_at = TimestampField()
    resume_after = peewee.UUIDField(null=True)

    class Meta:
        table_name = "timers"
        primary_key = peewee.CompositeKey("kind", "subject_id")
