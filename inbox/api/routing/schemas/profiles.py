"""Shapes of routing profiles and of their simulation (specification 6.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import marshmallow as ma

from inbox.api.deliveries.schemas.destinations import RuleNamed
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
)
from inbox.api.http.schemas.list_filters import by_name
from inbox.api.http.schemas.page_targets import PageTargets
from inbox.api.routing.schemas.predicted_notices import ConsideredPerson
from inbox.api.workspaces.schemas.workspaces import A_MONTH, A_WEEK, RenotifyMinutes
from inbox.domain.deliveries.notices import Cause
from inbox.domain.incidents.state_machine import Reason
from inbox.services.routing.profiles import EMPTY_STEP

LONGEST_NAME = 100
MAX_DELAY = 24 * 60 * 60
MAX_STEPS, MAX_ROUNDS, MAX_DESTINATIONS, MAX_TIMES = 10, 5, 50, 100

_MIN_SEVERITY = {"description": "Only while the incident is at least this severe; null: always."}


def _inherited(most: int, description: str) -> StrictInteger:
    about = {"description": f"{description} Null: as the workspace says."}
    return StrictInteger(allow_none=True, validate=ma.validate.Range(0, most), metadata=about)


class StepShape(Schema):
    """The destinations and people that are notified a certain time after an incident opened. It has one of them."""

    after_minutes = StrictInteger(required=True, validate=ma.validate.Range(0, A_WEEK), metadata={"example": 10})
    min_severity = SeverityName(allow_none=True, load_default=None, metadata=_MIN_SEVERITY)
    destination_ids = BoundedList(TypeId("dst"), required=True, validate=ma.validate.Length(0, MAX_DESTINATIONS))
    people = PageTargets(load_default=list)

    @ma.validates_schema(skip_on_field_errors=False, pass_original=True)
    def _names_one(self, data: Mapping[str, Any], sent: object, **_: object) -> None:
        if isinstance(sent, dict) and sent.get("destinationIds") == [] and not sent.get("people"):
            raise ma.ValidationError(EMPTY_STEP, "destination_ids")


class ProfileEdit(Schema):
    """The fields that an administrator can change. `steps` and `renotifyMinutes` are replaced as a whole."""

    name = Line(LONGEST_NAME, metadata={"example": "On call"})
    delay_seconds = StrictInteger(
        validate=ma.validate.Range(0, MAX_DELAY),
        metadata={"description": "An incident that ends within this time sends no notification."},
    )
    steps = BoundedList(ma.fields.Nested(StepShape), validate=ma.validate.Length(1, MAX_STEPS))
    repeat = StrictInteger(
        validate=ma.validate.Range(0, MAX_ROUNDS),
        metadata={
            "description": "How often the steps run again: each round begins as long after the last step as the one "
            "before took, at least five minutes."
        },
    )
    renotify_minutes = ma.fields.Nested(
        RenotifyMinutes, allow_none=True, metadata={"description": "What is null or left out is as the workspace says."}
    )
    renotify_max = _inherited(MAX_TIMES, "The most reminders of an open incident.")
    ack_timeout_minutes = _inherited(A_MONTH, "After how long an acknowledgement lapses; 0: never.")
    auto_resolve_minutes = _inherited(A_MONTH, "After how long without an event it is resolved; 0: never.")
    reopen_window_minutes = _inherited(A_WEEK, "How long after its end an incident is reopened; 0: never.")
    quiet_hours = ma.fields.String(
        validate=ma.validate.OneOf(["inherit", "ignore"]),
        metadata={"description": "`ignore`: its notices do not wait for the end of quiet hours."},
    )
    fallback_destination_id = TypeId(
        "dst",
        allow_none=True,
        metadata={"description": "Notified when no other destination could be; null: that of the workspace."},
    )


class ProfileDraft(ProfileEdit):
    """A profile that may be unsaved."""

    name = Line(LONGEST_NAME, required=True, metadata={"example": "On call"})
    steps = BoundedList(ma.fields.Nested(StepShape), required=True, validate=ma.validate.Length(1, MAX_STEPS))


class ProfileNew(ProfileDraft):
    """A new profile."""

    workspace_id = TypeId("wsp", required=True)


class SourceNamed(Schema):
    """A source that routes by a profile."""

    id = TypeId("src", required=True)
    name = ma.fields.String(required=True)


class ProfileUsedBy(Schema):
    """The rules and sources that use a profile: up to 20, and their number."""

    default_route = ma.fields.Boolean(required=True)
    rules = ma.fields.List(ma.fields.Nested(RuleNamed), required=True)
    rules_total = ma.fields.Integer(required=True)
    sources = ma.fields.List(ma.fields.Nested(SourceNamed), required=True)
    sources_total = ma.fields.Integer(required=True)


class ProfileRecord(Schema):
    """A routing profile. Null values come from the workspace. Steps are in the order of their times."""

    id = TypeId("prf", required=True)
    workspace_id = TypeId("wsp", required=True)
    name = ma.fields.String(required=True, metadata={"example": "On call"})
    delay_seconds = ma.fields.Integer(required=True)
    steps = ma.fields.List(Prerendered(StepShape), required=True)
    repeat = ma.fields.Integer(required=True)
    renotify_minutes = Prerendered(RenotifyMinutes, required=True, allow_none=True)
    renotify_max = ma.fields.Integer(required=True, allow_none=True)
    ack_timeout_minutes = ma.fields.Integer(required=True, allow_none=True)
    auto_resolve_minutes = ma.fields.Integer(required=True, allow_none=True)
    reopen_window_minutes = ma.fields.Integer(required=True, allow_none=True)
    quiet_hours = ma.fields.String(required=True, validate=ma.validate.OneOf(["inherit", "ignore"]))
    fallback_destination_id = TypeId("dst", required=True, allow_none=True)
    text = ma.fields.String(
        required=True,
        metadata={
            "description": "The profile as sentences.",
            "example": "At once: Pager. After 10 minutes, from ERROR on: Chat.",
        },
    )
    used_by = ma.fields.Nested(ProfileUsedBy, required=True)
    created_at = Timestamp(required=True)
    deleted_at = Timestamp(required=True, allow_none=True)
    rev = ma.fields.Integer(required=True)


class SimulationRequest(Schema):
    """The severity and the opening time of a simulated incident."""

    severity = SeverityName(required=True)
    at = Timestamp(metadata={"description": "Now, when left out; at most a year away."})


class DraftSimulationRequest(SimulationRequest):
    """The same for a profile that may be unsaved."""

    workspace_id = TypeId("wsp", required=True)
    profile = ma.fields.Nested(ProfileDraft, required=True)


class ConsideredDestination(Schema):
    """The decision whether a destination would be notified, with its reason."""

    id = TypeId("dst", required=True, allow_none=True, metadata={"description": "Null: a mail to the owners."})
    name = ma.fields.String(required=True)
    decision = ma.fields.String(
        required=True, validate=ma.validate.OneOf([str(cause) for cause in Cause]), metadata={"example": "notify"}
    )
    text = ma.fields.String(required=True, metadata={"example": "Pager would be notified."})
    held_until = Timestamp(
        required=True, allow_none=True, metadata={"description": "The end of the quiet hours for which it would wait."}
    )


class PredictedNoticeRecord(Schema):
    """A notice that would be sent, or an end that nobody would cause."""

    at = Timestamp(required=True)
    reason = ma.fields.String(
        required=True, validate=ma.validate.OneOf([str(reason) for reason in Reason]), metadata={"example": "opened"}
    )
    step = ma.fields.Integer(
        required=True, allow_none=True, metadata={"description": "The step of the profile that is reached, from 1."}
    )
    round = ma.fields.Integer(required=True, allow_none=True, metadata={"description": "Its repetition, from 1."})
    text = ma.fields.String(required=True, metadata={"example": "Step 2 is due. Notified: Chat."})
    destinations = ma.fields.List(ma.fields.Nested(ConsideredDestination), required=True)
    people = ma.fields.List(ma.fields.Nested(ConsideredPerson), required=True)


class SimulationResponse(Schema):
    """The predicted notices, if nobody reacts and no further event arrives."""

    items = ma.fields.List(ma.fields.Nested(PredictedNoticeRecord), required=True)
    until = Timestamp(required=True, metadata={"description": "How far it looks ahead: 24 hours."})


ProfilesQuery = page_query(
    "Profiles",
    ("created", "name"),
    workspace_id=TypeId("wsp"),
    deleted=ma.fields.Boolean(metadata={"description": "The deleted ones in place of the others."}),
    q=by_name(),
)
ProfilesPage: Any = page_of(ProfileRecord, "Profile")
