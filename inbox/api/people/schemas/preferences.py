"""Shapes of a person's preferences (specification 11.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.http.schemas.base import BoundedDict, BoundedList, Flag, Schema, StrictInteger, TypeId, typeid_schema
from inbox.api.http.schemas.windows import TimeZone, Window, leaves_time
from inbox.domain.oncall import lead_times
from inbox.domain.values import ids

LONGEST_SNOOZE = 30 * 24 * 60
MAX_WORKSPACES, MAX_DISMISSED, LONGEST_DISMISSED = 200, 100, 64


def _choice(*values: str, description: str) -> dict[str, Any]:
    return {"validate": ma.validate.OneOf(values), "metadata": {"description": description, "example": values[0]}}


_THEME = _choice("system", "light", "dark", description="The colour theme.")
_HOURS = _choice("auto", "h12", "h23", description="The clock; `auto`: that of the language.")
_TIMES = _choice("local", "workspace", "utc", description="The time zone of shown times.")
_DENSITY = _choice("comfortable", "compact", description="The height of rows.")


class WorkspacePreferences(Schema):
    """Preferences of a person in one workspace."""

    default_view_id = TypeId("view", allow_none=True)
    dismissed = BoundedList(
        ma.fields.String(validate=ma.validate.Length(1, LONGEST_DISMISSED)),
        validate=ma.validate.Length(max=MAX_DISMISSED),
        metadata={"description": "Names of hints that the person closed."},
    )


class PhoneQuietHours(Schema):
    """The periods in which the phones of a person get pages and critical incidents alone."""

    enabled = Flag(required=True)
    timezone = TimeZone(required=True)
    windows = BoundedList(ma.fields.Nested(Window), required=True, validate=[ma.validate.Length(max=20), leaves_time])


_PHONE_QUIET = {"description": "Null: none.", "example": None}

_PER_WORKSPACE = {
    "description": "By workspace id. An entry replaces the one before; null removes it.",
    "example": {},
}


_LEADS = {
    "description": "How many minutes before on-call shifts mails are sent; 0: at the start. Empty: no mails.",
    "example": list(lead_times.DEFAULT),
}


def _is_workspace_id(text: str) -> None:
    if ids.decode("wsp", text) is None:
        raise ma.ValidationError("Not the id of a workspace.")


class PreferencesEdit(Schema):
    """Preferences to change. All others stay."""

    theme = ma.fields.String(**_THEME)
    hour_cycle = ma.fields.String(**_HOURS)
    times = ma.fields.String(**_TIMES)
    shortcuts = Flag(metadata={"description": "Whether keys are shortcuts."})
    density = ma.fields.String(**_DENSITY)
    default_snooze_minutes = StrictInteger(validate=ma.validate.Range(1, LONGEST_SNOOZE), metadata={"example": 60})
    last_workspace_id = TypeId("wsp", allow_none=True)
    per_workspace = BoundedDict(
        keys=ma.fields.String(validate=_is_workspace_id),
        values=ma.fields.Nested(WorkspacePreferences, allow_none=True),
        validate=ma.validate.Length(max=MAX_WORKSPACES),
        metadata=_PER_WORKSPACE,
    )
    desktop_notices = Flag(metadata={"description": "Whether the browser shows notifications."})
    sound = Flag(metadata={"description": "Whether a new incident makes a sound."})
    shift_notice_minutes = BoundedList(
        StrictInteger(validate=ma.validate.Range(0, lead_times.LONGEST)),
        validate=ma.validate.Length(max=lead_times.MAX_LEADS),
        metadata=_LEADS,
    )
    phone_quiet_hours = ma.fields.Nested(PhoneQuietHours, allow_none=True, metadata=_PHONE_QUIET)


class PreferencesRecord(Schema):
    """The preferences of the caller. Unchanged preferences have their defaults."""

    theme = ma.fields.String(required=True, **_THEME)
    hour_cycle = ma.fields.String(required=True, **_HOURS)
    times = ma.fields.String(required=True, **_TIMES)
    shortcuts = Flag(required=True)
    density = ma.fields.String(required=True, **_DENSITY)
    default_snooze_minutes = StrictInteger(required=True, metadata={"example": 60})
    last_workspace_id = ma.fields.String(
        required=True, allow_none=True, metadata={"format": "typeid", "example": typeid_schema("wsp")["example"]}
    )
    per_workspace = ma.fields.Dict(
        keys=ma.fields.String(), values=ma.fields.Nested(WorkspacePreferences), required=True
    )
    desktop_notices = Flag(required=True)
    sound = Flag(required=True)
    shift_notice_minutes = ma.fields.List(StrictInteger(), required=True, metadata=_LEADS)
    phone_quiet_hours = ma.fields.Nested(PhoneQuietHours, required=True, allow_none=True, metadata=_PHONE_QUIET)
    rev = StrictInteger(required=True, metadata={"example": 1, "description": "0 before the first change."})


def stored(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the changes in the shape of the API, in which they are stored."""
    dumped: dict[str, Any] = PreferencesEdit().dump({name: changes[name] for name in changes})
    return dumped
