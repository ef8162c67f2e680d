"""Shapes of incidents, their timelines and counts (specification 7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import marshmallow as ma

from inbox.api.deliveries.schemas.deliveries import DeliveryRecord
from inbox.api.http.paging import page_of, page_query
from inbox.api.http.schemas.base import BoundedList, Line, Schema, SeverityName, StrictInteger, Timestamp, TypeId
from inbox.api.http.schemas.event_rows import EventRow
from inbox.api.http.schemas.list_filters import several
from inbox.api.http.schemas.plain_rows import incident_row
from inbox.api.incidents.schemas.incident_parts import LastEventRecord, SilenceRef, UndeliveredRecord
from inbox.domain.events import fields
from inbox.domain.incidents.incident import SNOOZE_LIMIT, ActorType
from inbox.domain.incidents.state_machine import State
from inbox.domain.incidents.timeline import EntryKind
from inbox.models.incidents.last_notes import NOTE_EXCERPT

STATES = [str(state) for state in State]
ENTRY = "tml"
"""The prefix of the ids of timeline entries."""

LONGEST_NOTE = 10_000
LONGEST_SNOOZE = SNOOZE_LIMIT // timedelta(minutes=1)


class ActorRecord(Schema):
    """The actor: a person, an event, a timer or another part of the service."""

    type = ma.fields.String(
        required=True, validate=ma.validate.OneOf([str(each) for each in ActorType]), metadata={"example": "user"}
    )
    id = ma.fields.String(required=True, metadata={"description": "Empty where there is none."})
    name = ma.fields.String(required=True, metadata={"example": "Mia"})


class NamedRecord(Schema):
    """A record with its name."""

    name = ma.fields.String(
        required=True,
        allow_none=True,
        metadata={"example": "Databases", "description": "Also of a deleted record; null once it is purged."},
    )


class RuleRef(NamedRecord):
    """A rule with its name."""

    id = TypeId("rul", required=True)


class RoutingProfileRef(NamedRecord):
    """A routing profile with its name."""

    id = TypeId("prf", required=True)


class IncidentRecord(Schema):
    """An incident. `severity` is the highest since it last opened, `lastSeverity` the newest event's."""

    row = incident_row

    id = TypeId("inc", required=True)
    number = ma.fields.Integer(required=True, metadata={"description": "Counted within the workspace.", "example": 7})
    workspace_id = TypeId("wsp", required=True)
    source_id = TypeId("src", required=True)
    source_name = ma.fields.String(required=True)
    title = ma.fields.String(required=True, metadata={"example": "Disk nearly full"})
    severity = SeverityName(required=True)
    last_severity = SeverityName(required=True)
    state = ma.fields.String(required=True, validate=ma.validate.OneOf(STATES))
    flapping = ma.fields.Boolean(required=True)
    notified_nobody = ma.fields.Boolean(
        required=True,
        metadata={
            "description": "Whether it is open or acknowledged and its alerts reached nobody since it last opened: no"
            " destination was named, or none accepted them."
        },
    )
    undelivered = ma.fields.Nested(
        UndeliveredRecord,
        required=True,
        allow_none=True,
        metadata={"description": "Null if no notice of it fails, or it is resolved."},
    )
    resource = ma.fields.String(required=True, allow_none=True)
    type = ma.fields.String(required=True, allow_none=True)
    tags = ma.fields.List(ma.fields.String(), required=True)
    dedup_key = ma.fields.String(required=True, allow_none=True)
    fingerprint = ma.fields.String(required=True)
    rule_id = TypeId("rul", required=True, allow_none=True)
    rule = ma.fields.Nested(RuleRef, required=True, allow_none=True)
    routing_profile_id = TypeId("prf", required=True, allow_none=True)
    routing_profile = ma.fields.Nested(RoutingProfileRef, required=True, allow_none=True)
    assignee_id = TypeId("usr", required=True, allow_none=True)
    assignee = ma.fields.Nested(ActorRecord, required=True, allow_none=True)
    event_count = ma.fields.Integer(required=True)
    reopen_count = ma.fields.Integer(required=True)
    alert_count = ma.fields.Integer(required=True, metadata={"description": "The alerts that are kept for it."})
    firing_count = ma.fields.Function(
        lambda row: 0 if row.state == "resolved" else row.firing_count,
        required=True,
        metadata={"type": "integer", "description": "Its alerts that fire; 0 of a resolved incident."},
    )
    alerts_left_out = ma.fields.Integer(required=True, metadata={"description": "Events of alerts beyond 10,000."})
    first_seen_at = Timestamp(required=True)
    last_seen_at = Timestamp(required=True)
    opened_at = Timestamp(required=True)
    acknowledged_at = Timestamp(required=True, allow_none=True)
    acknowledged_by = ma.fields.Nested(ActorRecord, required=True, allow_none=True, attribute="acknowledger")
    snoozed_until = Timestamp(required=True, allow_none=True)
    silenced_by = TypeId("sil", required=True, allow_none=True)
    silence = ma.fields.Nested(SilenceRef, required=True, allow_none=True)
    resolved_at = Timestamp(required=True, allow_none=True)
    resolved_by = ma.fields.Nested(ActorRecord, required=True, allow_none=True)
    last_event = ma.fields.Nested(
        LastEventRecord,
        required=True,
        allow_none=True,
        metadata={"description": "Its newest event; null once that is purged."},
    )
    related_incident_id = TypeId(
        "inc",
        required=True,
        allow_none=True,
        metadata={"description": "The resolved incident of the same fingerprint that came before it."},
    )
    url = ma.fields.String(required=True, metadata={"description": "Its page in the dashboard.", "format": "uri"})
    rev = ma.fields.Integer(required=True)


class IncidentEdit(Schema):
    """The fields of an unresolved incident that a member can set."""

    title = Line(fields.TITLE_LIMIT)
    severity = SeverityName()
    assignee_id = TypeId(
        "usr", allow_none=True, metadata={"description": "A member of the workspace; null: unassigned."}
    )
    tags = BoundedList(Line(fields.TAG_LIMIT), validate=ma.validate.Length(max=fields.TAGS_LIMIT))


def not_blank(text: str) -> None:
    """Raises `ValidationError` for a text of spaces only."""
    if text and not text.strip():
        raise ma.ValidationError("Must not be blank.")


_NOTE: dict[str, Any] = {"validate": [ma.validate.Length(1, LONGEST_NOTE), not_blank]}


class ActRequest(Schema):
    """An act with a note, in one step."""

    may_be_absent = True

    note = ma.fields.String(
        **_NOTE, metadata={"description": "Added to the timeline. The act and its note are one notice."}
    )


class SnoozeRequest(ActRequest):
    """The end of a snooze, as a time or as a duration. `forMinutes` does not depend on the client's clock."""

    may_be_absent = False

    until = Timestamp(metadata={"description": "In the future, at most 30 days ahead."})
    for_minutes = StrictInteger(
        validate=ma.validate.Range(1, LONGEST_SNOOZE),
        metadata={"description": "In place of `until`: from now on."},
    )

    @ma.validates_schema(skip_on_field_errors=False, pass_original=True)
    def _one_of_both(self, data: Mapping[str, Any], sent: Mapping[str, Any], **_: object) -> None:
        if "until" in sent and "forMinutes" in sent:
            raise ma.ValidationError("Cannot be combined with `until`.", "forMinutes")
        if "until" not in sent and "forMinutes" not in sent:
            raise ma.ValidationError("Needed, or `forMinutes`.", "until")


class NoteRequest(Schema):
    """A note to add."""

    text = ma.fields.String(required=True, **_NOTE)


class TimelineRecord(Schema):
    """An entry of the timeline of an incident."""

    id = TypeId(ENTRY, required=True)
    at = Timestamp(required=True)
    kind = ma.fields.String(
        required=True,
        validate=ma.validate.OneOf([str(kind) for kind in EntryKind]),
        metadata={"example": "acknowledged"},
    )
    text = ma.fields.String(required=True, metadata={"example": "Mia acknowledged it."})
    actor = ma.fields.Nested(ActorRecord, required=True)
    event_id = TypeId("evt", required=True, allow_none=True)
    details = ma.fields.Dict(
        required=True, metadata={"description": "What changed; the text of a note.", "example": {"from": "open"}}
    )


class OfStates(Schema):
    """A number for each unresolved state."""

    open = ma.fields.Integer(required=True)
    acknowledged = ma.fields.Integer(required=True)
    snoozed = ma.fields.Integer(required=True)
    silenced = ma.fields.Integer(required=True)


def _by_severity() -> ma.fields.Dict:
    example = {"example": {"CRITICAL": 1}}
    return ma.fields.Dict(keys=ma.fields.String(), values=ma.fields.Integer(), required=True, metadata=example)


class WorkspaceCounts(Schema):
    """The unresolved incidents of one workspace."""

    workspace_id = TypeId("wsp", required=True)
    unresolved = ma.fields.Integer(required=True)
    open = ma.fields.Integer(required=True)
    by_severity = _by_severity()


class IncidentCounts(Schema):
    """Numbers of incidents under the filters, for tabs and badges. All but `resolved` count unresolved ones."""

    unresolved = ma.fields.Integer(required=True)
    resolved = ma.fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Null above 10,000, and where counting takes more than 0.1 seconds."},
    )
    mine = ma.fields.Integer(required=True, metadata={"description": "Assigned to the caller."})
    unassigned = ma.fields.Integer(required=True)
    by_state = ma.fields.Nested(OfStates, required=True)
    by_severity = _by_severity()
    open_by_severity = _by_severity()
    by_workspace = ma.fields.List(ma.fields.Nested(WorkspaceCounts), required=True)


class LastNote(Schema):
    """The newest note of an incident."""

    at = Timestamp(required=True)
    actor = ma.fields.Nested(ActorRecord, required=True)
    text = ma.fields.String(
        required=True, metadata={"description": f"At most {NOTE_EXCERPT} characters.", "example": "Removed old logs."}
    )


class SimilarIncident(Schema):
    """An incident, and the reason why it counts as similar."""

    why = ma.fields.List(
        ma.fields.String(validate=ma.validate.OneOf(["fingerprint", "resource", "title"])),
        required=True,
        metadata={"description": "`title`: the same but for numbers, times and addresses."},
    )
    incident = ma.fields.Nested(IncidentRecord, required=True)
    last_note = ma.fields.Nested(LastNote, required=True, allow_none=True)


class SimilarIncidents(Schema):
    """At most twenty similar incidents. Those seen last come first."""

    items = ma.fields.List(ma.fields.Nested(SimilarIncident), required=True)


IncidentsPage = page_of(IncidentRecord, "Incident")
_KIND = ma.fields.String(validate=ma.validate.OneOf([str(kind) for kind in EntryKind]))
TimelineQuery = page_query("Timeline", ("at",), kind=several(_KIND, "Entries of this kind."))
TimelinePage = page_of(TimelineRecord, "Timeline")
IncidentEventsQuery = page_query("IncidentEvents", ("received",))
IncidentEventsPage = page_of(EventRow, "IncidentEvent")
IncidentDeliveriesQuery = page_query("IncidentDeliveries", ("created",))
IncidentDeliveriesPage = page_of(DeliveryRecord, "IncidentDelivery")
