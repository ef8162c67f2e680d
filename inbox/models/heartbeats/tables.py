"""Heartbeat monitors, their pings and changes of status, and when pings could last be received (specification 18)."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime, timedelta
from uuid import UUID

import peewee
from playhouse.postgres_ext import ArrayField, BinaryJSONField

from inbox.database.base import SeverityField, Table, TimestampField
from inbox.domain.heartbeats import schedule
from inbox.domain.heartbeats.monitor import MonitorSettings, MonitorState

METHODS = ("GET", "HEAD", "POST")
"""The methods of pings that count unless a person chooses fewer."""

_STATE_NAMES = tuple(field.name for field in fields(MonitorState))


class HeartbeatMonitor(Table):
    """A monitor: its settings, its state, and the next time at which a worker checks it (`check_at`).

    `status` is the last recorded status, for the history. The present status follows from the state and the time.
    `slug` is the name in the address of pings with a ping key, unique among the monitors of the source. `throttle_at`
    is the time at which its rate limit is unused again.
    """

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    source_id = peewee.UUIDField()
    name = peewee.TextField()
    tags = ArrayField(peewee.TextField, default=list, index=False)
    schedule = BinaryJSONField(index=False)
    grace_seconds = peewee.IntegerField()
    severity = SeverityField(default="ERROR")
    failures_before_incident = peewee.IntegerField(default=1)
    max_runtime_seconds = peewee.IntegerField(null=True)
    never_seen_seconds = peewee.IntegerField(null=True)
    methods = ArrayField(peewee.TextField, default=lambda: list(METHODS), index=False)
    token_hash = peewee.BlobField(unique=True)
    token_hint = peewee.TextField()
    slug = peewee.TextField(null=True)
    badge_hash = peewee.BlobField(null=True)
    created_at = TimestampField()
    deleted_at = TimestampField(null=True)
    rev = peewee.IntegerField(default=1)
    status = peewee.TextField(default="new")
    watched_since = TimestampField()
    last_ping_at = TimestampField(null=True)
    last_duration_ms = peewee.BigIntegerField(null=True)
    started_at = TimestampField(null=True)
    run_id = peewee.UUIDField(null=True)
    due_at = TimestampField(null=True)
    failures = peewee.IntegerField(default=0)
    late_since = TimestampField(null=True)
    down_since = TimestampField(null=True)
    paused_at = TimestampField(null=True)
    check_at = TimestampField(null=True)
    throttle_at = TimestampField()
    bar = BinaryJSONField(default=list, index=False)

    class Meta:
        table_name = "heartbeat_monitors"

    @property
    def settings(self) -> MonitorSettings:
        """The settings that people choose, for the rules."""
        return MonitorSettings(
            schedule.of_stored(self.schedule),
            timedelta(seconds=self.grace_seconds),
            _span(self.max_runtime_seconds),
            self.failures_before_incident,
            _span(self.never_seen_seconds),
        )

    @property
    def state(self) -> MonitorState:
        """The stored state, for the rules."""
        return MonitorState(
            self.watched_since,
            self.last_ping_at,
            self.started_at,
            str(self.run_id) if self.run_id else None,
            self.due_at,
            self.failures,
            self.late_since,
            self.down_since,
            self.paused_at,
        )

    @property
    def next_due_at(self) -> datetime | None:
        """The time at which a ping is expected; None while the monitor is paused."""
        due_at: datetime | None = self.due_at if self.paused_at is None else None
        return due_at

    def take(self, state: MonitorState) -> None:
        """Sets the columns of the state. The caller saves the row."""
        for name in _STATE_NAMES:
            value = getattr(state, name)
            setattr(self, name, UUID(value) if name == "run_id" and value else value)


class HeartbeatPing(Table):
    """A stored ping of a monitor. `body` is redacted and cut."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    monitor_id = peewee.UUIDField()
    at = TimestampField()
    kind = peewee.TextField()
    exit_code = peewee.SmallIntegerField(null=True)
    run_id = peewee.UUIDField(null=True)
    duration_ms = peewee.BigIntegerField(null=True)
    method = peewee.TextField()
    user_agent = peewee.TextField(default="")
    body = peewee.TextField(default="")

    class Meta:
        table_name = "heartbeat_pings"


class HeartbeatFlip(Table):
    """A change of status of a monitor, with its cause."""

    id = peewee.UUIDField(primary_key=True)
    workspace_id = peewee.UUIDField()
    monitor_id = peewee.UUIDField()
    at = TimestampField()
    from_status = peewee.TextField()
    to_status = peewee.TextField()
    cause = peewee.TextField()

    class Meta:
        table_name = "heartbeat_flips"


class PingAvailability(Table):
    """The one row that web processes keep current while they can receive and store pings.

    `alive_at` is the time by the reporting process's clock, `reported_at` the same moment by the database's clock.
    """

    id = peewee.SmallIntegerField(primary_key=True)
    alive_at = TimestampField()
    reported_at = TimestampField()

    class Meta:
        table_name = "ping_availability"


def _span(seconds: int | None) -> timedelta | None:
    return None if seconds is None else timedelta(seconds=seconds)
