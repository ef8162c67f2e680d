"""Shapes of heartbeat monitors, their pings and their previews (specification 18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.heartbeats.schemas.slugs import SLUG, SLUG_PATTERN, Slug
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import (
    BoundedList,
    Line,
    Prerendered,
    Schema,
    SeverityName,
    StrictInteger,
    Timestamp,
    TypeId,
    camel,
)
from inbox.api.http.schemas.list_filters import by_name
from inbox.api.http.schemas.windows import TimeZone
from inbox.domain.events import fields
from inbox.domain.heartbeats import schedule, watchers
from inbox.domain.heartbeats.monitor import Cause, HeartbeatStatus, Outcome, PingKind
from inbox.domain.heartbeats.preview import ClockChangeKind
from inbox.models.heartbeats.tables import METHODS

LONGEST_NAME = 100
LONGEST = 366 * 86_400
LONGEST_RUN = 31 * 86_400
MOST_FAILURES = 10

_STATUS = ma.validate.OneOf([str(each) for each in HeartbeatStatus])
_SHORTEST = int(schedule.SHORTEST_PERIOD.total_seconds())
_GRACE = {"description": "How long a ping may be overdue before the monitor fails.", "example": 300}
_RUNTIME = {
    "description": "How long a run may take after its start ping; null: the run after the next one.",
    "example": 7200,
}
_NEVER_SEEN = {
    "description": "How long after its creation a monitor without any ping fails; null: it waits for its first ping.",
    "example": 86_400,
}
_METHODS = {
    "description": "The methods of pings that count. `POST` alone keeps a link that a program opens from counting.",
    "example": ["GET", "HEAD", "POST"],
}
_FAILURES = {"description": "The number of consecutive failed or missed runs that opens the incident.", "example": 1}


class HeartbeatSchedule(Schema):
    """The schedule of expected pings: `simple` with `periodSeconds`, or `cron` with `expression` and `timezone`."""

    kind = ma.fields.String(required=True, validate=ma.validate.OneOf(["simple", "cron"]), metadata={"example": "cron"})
    period_seconds = StrictInteger(
        validate=ma.validate.Range(_SHORTEST, int(schedule.LONGEST_PERIOD.total_seconds())),
        metadata={"description": "With `simple`: a ping is expected this long after the last one."},
    )
    expression = ma.fields.String(
        validate=ma.validate.Length(1, schedule.LONGEST_EXPRESSION),
        metadata={"description": "With `cron`: five fields as of Debian's cron.", "example": "0 3 * * *"},
    )
    timezone = TimeZone(metadata={"description": "With `cron`: the zone of the sender's clock."})

    @ma.validates_schema(skip_on_field_errors=True)
    def _complete(self, data: Mapping[str, Any], **_: object) -> None:
        required = {"period_seconds"} if data["kind"] == "simple" else {"expression", "timezone"}
        faults = {camel(name): ["Missing."] for name in sorted(required - data.keys())}
        faults |= {camel(name): ["Does not belong to this kind."] for name in sorted(data.keys() - required - {"kind"})}
        if faults:
            raise ma.ValidationError(faults)

    @ma.post_load
    def _stored(self, data: Mapping[str, Any], **_: object) -> dict[str, Any]:
        if data["kind"] == "simple":
            return {"kind": "simple", "periodSeconds": data["period_seconds"]}
        return {"kind": "cron", "expression": self._expression(data["expression"]), "timezone": data["timezone"]}

    def _expression(self, text: str) -> str:
        try:
            return schedule.normalized(text)
        except schedule.BadExpression as fault:
            raise ma.ValidationError({"expression": [str(fault)]}) from None


class HeartbeatScheduleDraft(HeartbeatSchedule):
    """A schedule whose expression may be invalid."""

    def _expression(self, text: str) -> str:
        return text


class StoredSchedule(HeartbeatSchedule):
    """The schedule of a monitor. The schedule of a watcher may have a shorter period than people can set."""

    period_seconds = StrictInteger(
        validate=ma.validate.Range(watchers.SHORTEST_INTERVAL, int(schedule.LONGEST_PERIOD.total_seconds())),
        metadata={"description": "With `simple`: a ping is expected this long after the last one."},
    )


class MonitorEdit(Schema):
    """The fields that an administrator can set."""

    name = Line(LONGEST_NAME, metadata={"example": "Nightly backup"})
    slug = Slug(allow_none=True, metadata={**SLUG, "pattern": SLUG_PATTERN})
    tags = BoundedList(
        Line(fields.TAG_LIMIT),
        validate=ma.validate.Length(max=fields.TAGS_LIMIT),
        metadata={"description": "Its events have these tags."},
    )
    schedule = ma.fields.Nested(HeartbeatSchedule)
    grace_seconds = StrictInteger(validate=ma.validate.Range(_SHORTEST, LONGEST), metadata=_GRACE)
    severity = SeverityName(metadata={"description": "Of the event when it fails."})
    failures_before_incident = StrictInteger(validate=ma.validate.Range(1, MOST_FAILURES), metadata=_FAILURES)
    max_runtime_seconds = StrictInteger(
        allow_none=True, validate=ma.validate.Range(_SHORTEST, LONGEST_RUN), metadata=_RUNTIME
    )
    never_seen_seconds = StrictInteger(
        data_key="alertIfNeverSeenAfterSeconds",
        allow_none=True,
        validate=ma.validate.Range(_SHORTEST, LONGEST),
        metadata=_NEVER_SEEN,
    )
    methods = BoundedList(
        ma.fields.String(validate=ma.validate.OneOf(METHODS)), validate=ma.validate.Length(1, 3), metadata=_METHODS
    )


class MonitorNew(MonitorEdit):
    """A new monitor."""

    workspace_id = TypeId("wsp", required=True)
    source_id = TypeId("src", required=True, metadata={"description": "Its events are events of this source."})
    name = Line(LONGEST_NAME, required=True, metadata={"example": "Nightly backup"})
    schedule = ma.fields.Nested(HeartbeatSchedule, required=True)
    grace_seconds = StrictInteger(load_default=300, validate=ma.validate.Range(_SHORTEST, LONGEST), metadata=_GRACE)


class BarEntry(Schema):
    """The outcome of one period."""

    at = Timestamp(required=True)
    outcome = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Outcome]))


class MonitorRecord(Schema):
    """A heartbeat monitor with its present status."""

    id = TypeId("mon", required=True)
    workspace_id = TypeId("wsp", required=True)
    source_id = TypeId("src", required=True)
    name = ma.fields.String(required=True)
    tags = ma.fields.List(ma.fields.String(), required=True)
    schedule = Prerendered(StoredSchedule, required=True)
    slug = ma.fields.String(required=True, allow_none=True, metadata=SLUG)
    schedule_text = ma.fields.String(required=True, metadata={"example": "At 03:00 every day (Europe/Berlin)"})
    grace_seconds = ma.fields.Integer(required=True, metadata=_GRACE)
    severity = SeverityName(required=True)
    failures_before_incident = ma.fields.Integer(required=True, metadata=_FAILURES)
    max_runtime_seconds = ma.fields.Integer(required=True, allow_none=True, metadata=_RUNTIME)
    never_seen_seconds = ma.fields.Integer(
        required=True, allow_none=True, data_key="alertIfNeverSeenAfterSeconds", metadata=_NEVER_SEEN
    )
    methods = ma.fields.List(ma.fields.String(validate=ma.validate.OneOf(METHODS)), required=True, metadata=_METHODS)
    status = ma.fields.String(required=True, validate=_STATUS, attribute="present_status")
    failures = ma.fields.Integer(
        required=True, metadata={"description": "Consecutive failed or missed runs until now.", "example": 0}
    )
    last_ping_at = Timestamp(required=True, allow_none=True)
    next_due_at = Timestamp(required=True, allow_none=True, metadata={"description": "When a ping is expected."})
    started_at = Timestamp(
        required=True, allow_none=True, metadata={"description": "When the run in progress began; else null."}
    )
    down_since = Timestamp(required=True, allow_none=True)
    paused_at = Timestamp(required=True, allow_none=True)
    last_duration_ms = ma.fields.Integer(required=True, allow_none=True)
    bar = Prerendered(
        BarEntry,
        many=True,
        required=True,
        metadata={"description": "The outcomes of the last 50 periods, the newest last."},
    )
    incident_id = TypeId("inc", required=True, allow_none=True, metadata={"description": "Its unresolved incident."})
    watcher_id = TypeId(
        "wat",
        required=True,
        allow_none=True,
        metadata={"description": "The watcher that pings it by its check-ins. It has its name and its interval."},
    )
    token_hint = ma.fields.String(
        required=True, metadata={"description": "The last four characters of its token.", "example": "x7Qd"}
    )
    has_badge = ma.fields.Boolean(required=True, attribute="badge_is_on")
    created_at = Timestamp(required=True)
    rev = ma.fields.Integer(required=True)


class MonitorCreated(MonitorRecord):
    """A monitor with a new token; `pingUrl` is never answered again."""

    ping_url = ma.fields.String(required=True, metadata={"example": "https://inbox.example.org/v1/heartbeats/svc_hb_…"})


class BadgeCreated(Schema):
    """The addresses of a badge. They are never answered again."""

    svg_url = ma.fields.String(
        required=True, metadata={"example": "https://inbox.example.org/v1/badges/svc_badge_….svg"}
    )
    json_url = ma.fields.String(
        required=True, metadata={"example": "https://inbox.example.org/v1/badges/svc_badge_….json"}
    )
    shields_url = ma.fields.String(
        required=True, metadata={"example": "https://inbox.example.org/v1/badges/svc_badge_….shields"}
    )


class PingRecord(Schema):
    """A stored ping."""

    at = Timestamp(required=True)
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in PingKind]))
    exit_code = ma.fields.Integer(required=True, allow_none=True)
    run_id = ma.fields.UUID(required=True, allow_none=True)
    duration_ms = ma.fields.Integer(required=True, allow_none=True)
    method = ma.fields.String(required=True, metadata={"example": "POST"})
    user_agent = ma.fields.String(required=True)
    body = ma.fields.String(required=True, metadata={"description": "The first 10,000 bytes, redacted."})


class FlipRecord(Schema):
    """A change of status."""

    at = Timestamp(required=True)
    from_status = ma.fields.String(required=True, data_key="from", validate=_STATUS)
    to_status = ma.fields.String(required=True, data_key="to", validate=_STATUS)
    cause = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in Cause]))


class SchedulePreviewRequest(Schema):
    """A schedule to preview."""

    schedule = ma.fields.Nested(HeartbeatScheduleDraft, required=True)


class PreviewedRun(Schema):
    """An expected ping; `local` is the clock time in the zone of the schedule."""

    at = Timestamp(required=True)
    local = ma.fields.String(required=True, metadata={"example": "2026-03-01 03:00"})


class ClockChangeRecord(Schema):
    """A change of clocks within a year, and its effect on the schedule."""

    at = Timestamp(required=True)
    kind = ma.fields.String(required=True, validate=ma.validate.OneOf([str(each) for each in ClockChangeKind]))
    affects = ma.fields.Boolean(
        required=True, metadata={"description": "Whether a run is planned in the skipped or doubled hour."}
    )
    text = ma.fields.String(
        required=True,
        metadata={"example": "On 2026-03-29 clocks skip 02:00 to 03:00. The run at 02:30 happens at 03:00."},
    )


class ExpressionError(Schema):
    """The error in a cron expression, and its place."""

    detail = ma.fields.String(required=True, metadata={"example": "The minute field is invalid."})
    start = ma.fields.Integer(required=True, metadata={"example": 0})
    end = ma.fields.Integer(required=True, metadata={"example": 2})


class SchedulePreview(Schema):
    """The next runs of a schedule. With an `error`, there are none."""

    text = ma.fields.String(required=True, metadata={"example": "At 03:00 every day (Europe/Berlin)"})
    runs = ma.fields.List(ma.fields.Nested(PreviewedRun), required=True)
    clock_changes = ma.fields.List(ma.fields.Nested(ClockChangeRecord), required=True)
    error = ma.fields.Nested(ExpressionError, required=True, allow_none=True)


MonitorsQuery = page_query(
    "Monitors", ("created", "name"), workspace_id=TypeId("wsp"), source_id=TypeId("src"), q=by_name()
)
MonitorsPage = page_of(MonitorRecord, "Monitor")
PingsQuery = page_query("Pings", ("at",))
PingsPage = page_of(PingRecord, "Ping")
FlipsQuery = page_query("Flips", ("at",))
FlipsPage = page_of(FlipRecord, "Flip")
