"""Bodies and answers of workspaces, their settings and their default route (decisions 4 and 8)."""

from __future__ import annotations

import re
from datetime import date
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import marshmallow as ma

from inbox.api.paging import page_of, page_query
from inbox.api.schemas.base import Finished, Flag, Line, Moment, Schema, TypeId, Whole, camel
from inbox.domain.severity import Severity
from inbox.domain.target import STANDING
from inbox.domain.workspace import SHIPPED

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
A_WEEK, A_MONTH, TEN_YEARS = 7 * 24 * 60, 30 * 24 * 60, 3650
_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d", re.ASCII)


class TimeZone(ma.fields.String):
    """A name of the time zone database."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{**kwargs, "metadata": {"example": "Europe/Berlin", **kwargs.get("metadata", {})}})

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        name = str(super()._deserialize(value, attr, data, **kwargs))
        try:
            known = name == "UTC" or (len(name) <= 64 and ZoneInfo(name) is not None)
        except (KeyError, ValueError, OSError):
            known = False
        if not known:
            raise ma.ValidationError("Not the name of a time zone, such as Europe/Berlin.")
        return name


class Window(Schema):
    """Quiet hours on some days of the week; they may cross midnight and belong to the day on which they start."""

    days = ma.fields.List(
        ma.fields.String(validate=ma.validate.OneOf(DAYS)), required=True, validate=ma.validate.Length(1, 7)
    )
    start = ma.fields.String(required=True, validate=ma.validate.Regexp(_CLOCK), metadata={"example": "22:00"})
    end = ma.fields.String(required=True, validate=ma.validate.Regexp(_CLOCK), metadata={"example": "07:00"})


class Holiday(ma.fields.String):
    """A day, as `YYYY-MM-DD`."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs))
        try:
            return date.fromisoformat(text).isoformat()
        except ValueError:
            raise ma.ValidationError("Not a day, such as 2026-12-25.") from None


class QuietHours(Schema):
    """When only what matters is told (decision 10)."""

    enabled = Flag()
    timezone = TimeZone(allow_none=True, metadata={"description": "Null: the workspace's."})
    windows = ma.fields.List(ma.fields.Nested(Window), validate=ma.validate.Length(max=20))
    holidays = ma.fields.List(Holiday(metadata={"example": "2026-12-25"}), validate=ma.validate.Length(max=100))


def _minutes(most: int, description: str) -> Whole:
    return Whole(validate=ma.validate.Range(0, most), metadata={"description": description})


def _days() -> Whole:
    return Whole(validate=ma.validate.Range(1, TEN_YEARS))


RenotifyMinutes: type[Schema] = type(
    "RenotifyMinutes",
    (Schema,),
    {
        "__doc__": "How often an open incident is told again, by severity; 0 is never.",
        **{name: _minutes(A_WEEK, "0: never.") for name in ("CRITICAL", "ERROR", "WARNING")},
    },
)


class Retention(Schema):
    """After how many days old records are purged."""

    event_days = _days()
    incident_days = _days()
    delivery_days = _days()
    audit_days = _days()


class SettingsShape(Schema):
    """The settings of a workspace; what a change leaves out stays as it is."""

    quiet_hours = ma.fields.Nested(QuietHours)
    reopen_window_minutes = _minutes(
        A_WEEK, "How long after its end an incident is reopened rather than a new one opened."
    )
    reoccur_quiet_minutes = _minutes(A_WEEK, "How long an open incident must have been quiet for a repeat to be told.")
    auto_resolve_minutes = _minutes(A_MONTH, "After how long without an event an incident is resolved; 0: never.")
    ack_timeout_minutes = _minutes(A_MONTH, "After how long an acknowledgement lapses; 0: never.")
    renotify_minutes = ma.fields.Nested(RenotifyMinutes)
    renotify_max = Whole(validate=ma.validate.Range(0, 100))
    fallback_destination_id = TypeId("dst", allow_none=True)
    retention = ma.fields.Nested(Retention)
    require_mfa = Flag()


class WorkspaceRecord(Schema):
    """A workspace, with the caller's role in it."""

    id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"example": "Acme"})
    slug = ma.fields.String(required=True, metadata={"example": "acme"})
    timezone = ma.fields.String(required=True, metadata={"example": "Europe/Berlin"})
    role = ma.fields.String(required=True, validate=ma.validate.OneOf(["viewer", "member", "admin", "owner"]))
    settings = Finished(SettingsShape, required=True, metadata={"example": dict(SHIPPED)})
    created_at = Moment(required=True)
    rev = Whole(required=True, metadata={"example": 1})


WorkspacesQuery = page_query("Workspaces", ("name", "created"))
WorkspacesPage = page_of(WorkspaceRecord, "Workspaces")


class WorkspaceNew(Schema):
    """A workspace to be made."""

    name = Line(100, required=True, metadata={"example": "Acme"})
    timezone = TimeZone(load_default="UTC")


class WorkspaceChange(Schema):
    """What is to be changed; all else stays as it is."""

    name = Line(100, metadata={"example": "Acme"})
    timezone = TimeZone()
    settings = ma.fields.Nested(SettingsShape)


Dispositions: type[Schema] = type(
    "Dispositions",
    (Schema,),
    {
        "__doc__": "What becomes of an event, by severity.",
        **{
            str(name): ma.fields.String(validate=ma.validate.OneOf([str(each) for each in STANDING]))
            for name in Severity
        },
    },
)


class RouteRecord(Schema):
    """The default route: where notices go, and what becomes of events that no rule decides."""

    destination_ids = ma.fields.List(TypeId("dst"), required=True, validate=ma.validate.Length(max=50))
    routing_profile_id = TypeId("prf", allow_none=True, load_default=None)
    dispositions = ma.fields.Nested(Dispositions, load_default=dict)


def stored(value: Any) -> Any:
    """Loaded settings in the shape in which they are stored: as the API shows them, ids as plain UUIDs."""
    if isinstance(value, dict):
        return {camel(name): stored(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [stored(inner) for inner in value]
    return str(value) if isinstance(value, UUID) else value
