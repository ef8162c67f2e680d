"""Shapes of watchers and of their check-ins (specification 20)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedDict, BoundedList, Line, Schema, StrictInteger, Timestamp, TypeId
from inbox.api.http.schemas.list_filters import by_name
from inbox.domain.heartbeats import watchers
from inbox.domain.heartbeats.monitor import HeartbeatStatus
from inbox.domain.heartbeats.watchers import CheckStatus, ReportedCheck
from inbox.domain.values.redaction import redact

LONGEST_NAME = 100
LONGEST_HOSTNAME = 253
LONGEST_VERSION = 64
LONGEST_CHECK = 64
LONGEST_LABEL = 64
LONGEST_VALUE = 200
MOST_LABELS = 20

_ID = r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}"
_STATUSES = [str(each) for each in CheckStatus]
_INTERVAL = {"description": "The time between two check-ins.", "example": 60}
_GRACE = {"description": "How long a check-in may be overdue before the watcher is down.", "example": 60}


class WatcherOwnId(ma.fields.String):
    """The id that a watcher gives itself."""

    def __init__(self, **kwargs: Any) -> None:
        about = {"pattern": f"^{_ID}$", "maxLength": 100, "example": "web-1", "description": "Chosen by the watcher."}
        super().__init__(**{**kwargs, "metadata": {**about, **kwargs.get("metadata", {})}})

    def _deserialize(self, value: object, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        if re.fullmatch(_ID, text) is None:
            raise ma.ValidationError(
                "Must have 1 to 100 letters, digits and . _ : @ - and begin with a letter or digit."
            )
        if redact(text) != text:
            raise ma.ValidationError("Must not contain a key.")
        return text


class CheckReport(Schema):
    """A check of a check-in."""

    name = Line(LONGEST_CHECK, required=True, metadata={"example": "disk /"})
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(_STATUSES), metadata={"example": "ok"})
    message = ma.fields.String(
        load_default="",
        metadata={
            "description": f"Redacted and cut to {watchers.MESSAGE_CHARACTERS:,} characters.",
            "example": "41 % used",
        },
    )

    @ma.post_load
    def _report(self, data: Mapping[str, Any], **_: object) -> ReportedCheck:
        message = redact(data["message"])[: watchers.MESSAGE_CHARACTERS]
        return ReportedCheck(redact(data["name"]), CheckStatus(data["status"]), message)


class CheckIn(Schema):
    """A check-in of a watcher."""

    watcher_id = WatcherOwnId(required=True)
    name = Line(LONGEST_NAME, metadata={"description": "Missing: `hostname`, else `watcherId`.", "example": "web-1"})
    hostname = Line(LONGEST_HOSTNAME, metadata={"example": "web-1.example.org"})
    version = Line(LONGEST_VERSION, metadata={"description": "Of the watcher.", "example": "1.0"})
    interval_seconds = StrictInteger(
        load_default=watchers.DEFAULT_INTERVAL,
        validate=ma.validate.Range(watchers.SHORTEST_INTERVAL, watchers.LONGEST_INTERVAL),
        metadata=_INTERVAL,
    )
    labels = BoundedDict(
        keys=Line(LONGEST_LABEL),
        values=Line(LONGEST_VALUE),
        validate=ma.validate.Length(max=MOST_LABELS),
        metadata={"example": {"environment": "production"}},
    )
    checks = BoundedList(
        ma.fields.Nested(CheckReport),
        validate=ma.validate.Length(max=watchers.MAX_CHECKS),
        metadata={"description": "All checks of the watcher. Missing: as in the last check-in."},
    )

    @ma.validates_schema(skip_on_field_errors=True)
    def _different(self, data: Mapping[str, Any], **_: object) -> None:
        seen: set[str] = set()
        faults = {}
        for place, check in enumerate(data.get("checks", ())):
            if check.name in seen:
                faults[place] = {"name": ["Another check has this name."]}
            seen.add(check.name)
        if faults:
            raise ma.ValidationError({"checks": faults})


class CheckRecord(Schema):
    """A check as of the last check-in."""

    name = ma.fields.String(required=True, metadata={"example": "disk /"})
    status = ma.fields.String(required=True, validate=ma.validate.OneOf(_STATUSES), metadata={"example": "ok"})
    message = ma.fields.String(required=True, metadata={"example": "41 % used"})
    since = Timestamp(required=True, metadata={"description": "When it got this status."})
    incident_id = TypeId("inc", required=True, allow_none=True, metadata={"description": "Its unresolved incident."})


class WatcherRecord(Schema):
    """A watcher with its present status."""

    id = TypeId("wat", required=True)
    workspace_id = TypeId("wsp", required=True)
    source_id = TypeId("src", required=True)
    monitor_id = TypeId("mon", required=True, metadata={"description": "Its heartbeat monitor."})
    watcher_id = ma.fields.String(
        required=True, metadata={"description": "The id that it gives itself.", "example": "web-1"}
    )
    name = ma.fields.String(required=True, metadata={"example": "web-1"})
    reported_name = ma.fields.String(required=True, metadata={"description": "The name of its last check-in."})
    hostname = ma.fields.String(required=True, metadata={"example": "web-1.example.org"})
    version = ma.fields.String(required=True, metadata={"example": "1.0"})
    interval_seconds = ma.fields.Integer(required=True, metadata=_INTERVAL)
    grace_seconds = ma.fields.Integer(required=True, metadata=_GRACE)
    labels = ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.String(), required=True)
    status = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(each) for each in HeartbeatStatus]),
        metadata={"description": "Of its heartbeat monitor.", "example": "up"},
    )
    checks = ma.fields.List(ma.fields.Nested(CheckRecord), required=True, attribute="present_checks")
    last_check_in_at = Timestamp(required=True)
    next_due_at = Timestamp(
        required=True,
        allow_none=True,
        attribute="due_at",
        metadata={"description": "When the next check-in is expected."},
    )
    down_since = Timestamp(required=True, allow_none=True)
    incident_id = TypeId(
        "inc", required=True, allow_none=True, metadata={"description": "The unresolved incident of its heartbeat."}
    )
    created_at = Timestamp(required=True)
    rev = ma.fields.Integer(required=True)


class WatcherEdit(Schema):
    """The fields that an administrator can set."""

    name = Line(
        LONGEST_NAME,
        allow_none=True,
        metadata={"description": "null: as the watcher reports itself.", "example": "Web server"},
    )


class WatcherHeartbeat(Schema):
    """The heartbeat monitor of a watcher."""

    id = TypeId("mon", required=True)
    interval_seconds = ma.fields.Integer(required=True, metadata=_INTERVAL)
    grace_seconds = ma.fields.Integer(required=True, metadata=_GRACE)


class CheckInAnswer(Schema):
    """The watcher after its check-in."""

    watcher = ma.fields.Nested(WatcherRecord, required=True)
    heartbeat = ma.fields.Nested(WatcherHeartbeat, required=True)
    next_check_in_seconds = ma.fields.Integer(
        required=True, metadata={"description": "When the next check-in is expected.", "example": 60}
    )


WatchersQuery = page_query(
    "Watchers", ("created", "name"), workspace_id=TypeId("wsp"), source_id=TypeId("src"), q=by_name()
)
WatchersPage = page_of(WatcherRecord, "Watcher")
