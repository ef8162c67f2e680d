"""Bodies and answers of workspaces, their settings and their default route (specification 12.1)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import marshmallow as ma

from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import (
    BoundedList,
    Flag,
    Line,
    Prerendered,
    Schema,
    StrictInteger,
    Timestamp,
    TypeId,
    camel,
)
from inbox.api.http.schemas.page_targets import PageTargets
from inbox.api.http.schemas.windows import Holiday, TimeZone, Window, leaves_time
from inbox.domain.routing.rule_action import DEFAULT_ROUTE_ACTIONS
from inbox.domain.values.severity import Severity
from inbox.domain.workspaces.settings import SHIPPED

A_WEEK, A_MONTH, TEN_YEARS = 7 * 24 * 60, 30 * 24 * 60, 3650


class QuietHours(Schema):
    """The periods in which notices below a severity are held (specification 8.5)."""

    enabled = Flag()
    timezone = TimeZone(allow_none=True, metadata={"description": "Null: the workspace's."})
    windows = BoundedList(ma.fields.Nested(Window), validate=[ma.validate.Length(max=20), leaves_time])
    holidays = BoundedList(Holiday(metadata={"example": "2026-12-25"}), validate=ma.validate.Length(max=100))


def _minutes(most: int, description: str) -> StrictInteger:
    return StrictInteger(validate=ma.validate.Range(0, most), metadata={"description": description})


def _days() -> StrictInteger:
    return StrictInteger(validate=ma.validate.Range(1, TEN_YEARS))


RenotifyMinutes: type[Schema] = type(
    "RenotifyMinutes",
    (Schema,),
    {
        "__doc__": "Minutes between reminders of an open incident, by severity; 0: none.",
        **{name: _minutes(A_WEEK, "0: never.") for name in ("CRITICAL", "ERROR", "WARNING")},
    },
)


class Retention(Schema):
    """The days after which old records are purged."""

    event_days = _days()
    incident_days = _days()
    delivery_days = _days()
    audit_days = _days()


MOST_DAILY_MESSAGES = 10_000


def _daily(what: str) -> StrictInteger:
    return StrictInteger(
        validate=ma.validate.Range(0, MOST_DAILY_MESSAGES), metadata={"description": f"The most {what}; 0: none."}
    )


class DailyMessages(Schema):
    """The most text messages and calls to members on a day in UTC. Beyond it, other methods go on."""

    sms_per_person = _daily("text messages to one person")
    sms_per_workspace = _daily("text messages of the workspace")
    calls_per_person = _daily("calls to one person")
    calls_per_workspace = _daily("calls of the workspace")


class SettingsShape(Schema):
    """The settings of a workspace. Settings that a change leaves out stay unchanged."""

    quiet_hours = ma.fields.Nested(QuietHours)
    reopen_window_minutes = _minutes(
        A_WEEK, "How long after its end an incident is reopened rather than a new one opened."
    )
    reoccur_quiet_minutes = _minutes(
        A_WEEK, "A repeat of an open incident notifies after this time without events; 0: each repeat notifies."
    )
    joined_quiet_minutes = _minutes(
        A_WEEK, "The least time between two notices about alerts that joined one incident; 0: no pause."
    )
    auto_resolve_minutes = _minutes(A_MONTH, "After how long without an event an incident is resolved; 0: never.")
    ack_timeout_minutes = _minutes(A_MONTH, "After how long an acknowledgement lapses; 0: never.")
    renotify_minutes = ma.fields.Nested(RenotifyMinutes)
    renotify_max = StrictInteger(validate=ma.validate.Range(0, 100))
    fallback_destination_id = TypeId("dst", allow_none=True)
    retention = ma.fields.Nested(Retention)
    require_mfa = Flag()
    daily_messages = ma.fields.Nested(DailyMessages)


class QuietHoursStatus(Schema):
    """The quiet hours at the time of the answer."""

    now = ma.fields.Boolean(required=True, metadata={"description": "Whether it is quiet now."})
    until = Timestamp(required=True, allow_none=True, metadata={"description": "The end of the present quiet hours."})
    next_at = Timestamp(
        required=True,
        allow_none=True,
        metadata={"description": "The next start, after `until`; null when none follows within a year."},
    )
    text = ma.fields.String(required=True, metadata={"example": "Quiet hours until 07:00 Europe/Berlin."})


class QuietHoursPreviewRequest(Schema):
    """Quiet hours that may be unsaved. Values that are left out come from the workspace."""

    quiet_hours = ma.fields.Nested(QuietHours, required=True)
    timezone = TimeZone(metadata={"description": "In place of the time zone of the workspace."})
    at = Timestamp(metadata={"description": "Now, when left out; at most a year away."})


class QuietPeriod(Schema):
    """One period of quiet hours."""

    start = Timestamp(required=True)
    end = Timestamp(required=True)


class QuietHoursPreview(QuietHoursStatus):
    """The quiet hours at `at`, and the next ones after `until`."""

    upcoming = ma.fields.List(
        ma.fields.Nested(QuietPeriod), required=True, metadata={"description": "At most seven, within a year."}
    )


class WorkspaceRecord(Schema):
    """A workspace, with the caller's role in it."""

    id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Acme"})
    slug = ma.fields.String(required=True, metadata={"example": "acme"})
    timezone = ma.fields.String(required=True, metadata={"example": "Europe/Berlin"})
    role = ma.fields.String(required=True, validate=ma.validate.OneOf(["viewer", "member", "admin", "owner"]))
    settings = Prerendered(SettingsShape, required=True, metadata={"example": dict(SHIPPED)})
    quiet = ma.fields.Nested(QuietHoursStatus, required=True)
    notifies_nobody = ma.fields.Boolean(
        required=True,
        metadata={
            "description": "Whether its incidents can notify nobody: no route, rule or profile leads to an enabled"
            " destination, and no member has a phone that receives notices."
        },
    )
    created_at = Timestamp(required=True)
    rev = StrictInteger(required=True, metadata={"example": 1})


WorkspacesQuery = page_query("Workspaces", ("created", "name"))
WorkspacesPage = page_of(WorkspaceRecord, "Workspaces")


class WorkspaceNew(Schema):
    """A new workspace."""

    name = Line(100, required=True, metadata={"example": "Acme"})
    timezone = TimeZone(load_default="UTC")


class WorkspaceChange(Schema):
    """Changes of a workspace. Fields that are left out stay unchanged."""

    name = Line(100, metadata={"example": "Acme"})
    timezone = TimeZone()
    settings = ma.fields.Nested(SettingsShape)


Dispositions: type[Schema] = type(
    "Dispositions",
    (Schema,),
    {
        "__doc__": "What becomes of an event, by severity.",
        **{
            str(name): ma.fields.String(validate=ma.validate.OneOf([str(each) for each in DEFAULT_ROUTE_ACTIONS]))
            for name in Severity
        },
    },
)


class RouteRecord(Schema):
    """The default route: the destinations of notices, and the result for events that no rule decides."""

    destination_ids = BoundedList(TypeId("dst"), required=True, validate=ma.validate.Length(max=50))
    people = PageTargets(load_default=list)
    routing_profile_id = TypeId("prf", allow_none=True, load_default=None)
    dispositions = ma.fields.Nested(Dispositions, load_default=dict)


class RouteReplacement(RouteRecord):
    """Replaces the default route. Without `people` it keeps its people, because older clients do not send them."""

    people = PageTargets()


def stored(value: object) -> Any:
    """Returns loaded settings in their stored shape: the shape of the API, with ids as plain UUIDs."""
    if isinstance(value, dict):
        return {camel(name): stored(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [stored(inner) for inner in value]
    return str(value) if isinstance(value, UUID) else value
