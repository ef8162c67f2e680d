"""What a notice says and who is sent it: the webhook body, and one destination's decision with its cause."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from inbox.domain.incident import Actor, Escalation
from inbox.domain.severity import Severity
from inbox.domain.state_machine import Reason
from inbox.domain.times import rfc3339

PAYLOAD_VERSION = 1
"""`data.v` (specification 1.7)."""

UPDATES = frozenset({Reason.RESOLVED, Reason.ACKNOWLEDGED, Reason.SNOOZED, Reason.UPDATED})
"""What "send recovery and state updates" turns off (specification 9.3), and what only those get who heard the alarm."""


class Change(NamedTuple):
    """What a person changed: the names of the fields as the API has them, or `note`, and the sentence that says it."""

    fields: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NoticeFields:
    """What a notice tells of an incident. Ids are TypeIDs, `url` leads into the dashboard; empty is what there is not.

    The last ones are there only where they are given. `change` is what a person changed, `undone` says that
    an act was undone, and `flapping_ended` that flapping ended.
    """

    title: str
    severity: str
    state: str
    source_name: str
    workspace_name: str
    incident_id: str
    first_seen_at: datetime
    url: str
    resource: str = ""
    escalation: Escalation | None = None
    resolved_by: Actor | None = None
    by: Actor | None = None
    snoozed_until: datetime | None = None
    event_id: str = ""
    change: Change | None = None
    undone: bool = False
    flapping_ended: bool = False


def payload(reason: Reason, fields: NoticeFields, now: datetime) -> dict[str, Any]:
    """The body of a webhook (specification 10.2): type `incident.<reason>`, `now` is the time of the notice."""
    data = _data(reason.value, fields)
    if fields.escalation is not None:
        data["escalation"] = fields.escalation.record()
    if fields.resolved_by is not None:
        data["resolvedBy"] = fields.resolved_by.record()
    if fields.by is not None:
        data["actor"] = fields.by.record()
    if fields.snoozed_until is not None:
        data["snoozedUntil"] = rfc3339(fields.snoozed_until)
    if fields.event_id:
        data["eventId"] = fields.event_id
    data |= _of_change(fields)
    return {"type": f"incident.{reason.value}", "timestamp": rfc3339(now), "data": data}


def _of_change(fields: NoticeFields) -> dict[str, Any]:
    """What says how this notice differs from others of its reason."""
    data: dict[str, Any] = {}
    if fields.change is not None:
        data = {"changes": list(fields.change.fields), "text": fields.change.text}
    if fields.undone:
        data["undone"] = True
    if fields.flapping_ended:
        data["flappingEnded"] = True
    return data


def payload_of_test(workspace_name: str, url: str, now: datetime) -> dict[str, Any]:
    """The body of a test send: type `test`, every field of `data` present, no incident."""
    fields = NoticeFields(
        title="Test notice",
        severity=Severity.INFO,
        state="open",
        source_name="Test",
        workspace_name=workspace_name,
        incident_id="",
        first_seen_at=now,
        url=url,
    )
    return {"type": "test", "timestamp": rfc3339(now), "data": _data("test", fields)}


def _data(reason: str, fields: NoticeFields) -> dict[str, Any]:
    return {
        "v": PAYLOAD_VERSION,
        "title": fields.title,
        "severity": str(fields.severity),
        "state": str(fields.state),
        "sourceName": fields.source_name,
        "resource": fields.resource,
        "workspaceName": fields.workspace_name,
        "incidentId": fields.incident_id,
        "firstSeenAt": rfc3339(fields.first_seen_at),
        "url": fields.url,
        "reason": reason,
    }


def body_text(body: Mapping[str, Any]) -> str:
    """The exact JSON of a payload: compact, members in their order, so that the same payload is the same text."""
    return _ENCODE(body)


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """The bytes of `body_text`, which are what is signed and sent."""
    return _ENCODE(body).encode("utf-8")


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class Cause(StrEnum):
    """Why a destination is sent a notice or is not (specification 9.2)."""

    NOTIFY = "notify"
    """It is sent."""

    BELOW_MIN_SEVERITY = "below_min_severity"
    """The incident is less severe than the destination wants."""

    QUIET_HOURS = "quiet_hours"
    """Held until the quiet hours end."""

    UPDATES_OFF = "updates_off"
    """The destination wants to hear only when something breaks."""

    NOTES_OFF = "notes_off"
    """The destination is not notified of notes."""

    NOT_ROUTED = "not_routed"
    """No rule, profile or default route sends the incident there. No notice has this cause stored; it is what an
    explanation says of all other destinations of the workspace."""

    NOT_ADDRESSED = "not_addressed"
    """It is on the incident's route, but this notice goes to others: another step, or the fallback. Likewise."""

    NEVER_NOTIFIED = "never_notified"
    """It heard nothing of the incident, so it is not told of its progress or end either (specification 3.8)."""

    DISABLED = "disabled"
    """Switched off by a person: skipped, and never sent later."""

    STOPPED = "stopped"
    """Its receiver refuses: held until the destination resumes."""

    THROTTLED = "throttled"
    """Repeats that came too soon one after the other: counted, and no notice of them. No notice has this cause; it is what
    an explanation says of them."""

    SILENCED = "silenced"
    """A silence covers the incident; stored as `silenced:<id>`."""

    FLAPPING = "flapping"
    """The incident keeps opening and resolving."""

    MAILED = "mailed"
    """A fallback that no destination could take: mailed to the owners of the workspace."""


class FallbackReason(StrEnum):
    """Why there is a `fallback` (specification 9.11)."""

    NO_DESTINATION = "no_destination"
    """No destination is enabled."""

    ALL_STOPPED = "all_stopped"
    """All destinations that are enabled are stopped."""

    RETRIES_EXHAUSTED = "retries_exhausted"
    """All deliveries of an alarm were given up."""

    UNDELIVERED = "undelivered"
    """It is critical, and no receiver took the alarm within two minutes of the first attempt."""


class Floor(NamedTuple):
    """The least severity that a destination takes; of a `step` of a routing profile, if that asks for it."""

    severity: str
    step: int | None = None


class RecipientState(NamedTuple):
    """What is asked of a destination. `heard`: whether any notice of this incident was meant for it before; `wanted`:
    whether the step by which it is told wants the severity; `quiet`: whether quiet hours keep it from hearing now."""

    enabled: bool = True
    stopped: bool = False
    send_updates: bool = True
    min_severity: Severity | None = None
    heard: bool = False
    wanted: bool = True
    quiet: bool = False
    send_notes: bool = True


class Traits(NamedTuple):
    """What of a notice, beside its reason, decides who is notified.

    `undone`: it says that an act was undone, to whoever was notified of the incident. `is_note`: a person added a note and
    changed nothing. `flapping_ended`: whoever was notified of the incident gets it, however severe the incident is now.
    """

    undone: bool = False
    is_note: bool = False
    flapping_ended: bool = False

    def is_update(self, reason: Reason) -> bool:
        """Whether only those get it who were notified before, and want updates."""
        return self.undone or reason in UPDATES


PLAIN = Traits()


def decide(recipient: RecipientState, reason: Reason, severity: Severity, traits: Traits = PLAIN) -> Cause:
    """Whether a destination is sent a notice of an incident of `severity`, and why (specification 9.2).

    `disabled` comes first, since nothing else then matters; `quiet_hours` and then `stopped` last, since only what would
    be sent is held. Whoever heard the alarm hears the rest, however severe. A fallback goes out regardless of severity
    and hour: there is nobody else.
    """
    if not recipient.enabled:
        return Cause.DISABLED
    if traits.is_update(reason):
        refused = _of_update(recipient, traits)
        if refused is not None:
            return refused
    elif not _goes_to_any(recipient, reason, traits) and not _meets_severity(recipient, severity):
        return Cause.BELOW_MIN_SEVERITY
    if recipient.quiet and reason is not Reason.FALLBACK:
        return Cause.QUIET_HOURS
    return Cause.STOPPED if recipient.stopped else Cause.NOTIFY


def _of_update(recipient: RecipientState, traits: Traits) -> Cause | None:
    if not recipient.send_updates:
        return Cause.UPDATES_OFF
    if not recipient.heard:
        return Cause.NEVER_NOTIFIED
    return Cause.NOTES_OFF if traits.is_note and not recipient.send_notes else None


def _goes_to_any(recipient: RecipientState, reason: Reason, traits: Traits) -> bool:
    return reason is Reason.FALLBACK or (traits.flapping_ended and recipient.heard)


def _meets_severity(recipient: RecipientState, severity: Severity) -> bool:
    floor = recipient.min_severity
    return recipient.wanted and (floor is None or severity.rank >= floor.rank)


def decision_record(
    destination_id: str | None,
    name: str,
    cause: str,
    *,
    until: datetime | None = None,
    because: FallbackReason | None = None,
    floor: Floor | None = None,
) -> dict[str, Any]:
    """One line of a notice's explanation as JSON. `until` is when what is held leaves, `because` why there is
    a fallback, `floor` what was not reached; a mail to the owners has no destination."""
    record: dict[str, Any] = {"destinationId": destination_id, "name": name, "decision": cause}
    if until is not None:
        record["until"] = rfc3339(until)
    if because is not None:
        record["fallbackReason"] = because
    if floor is not None:
        record |= (
            {"minSeverity": floor.severity}
            if floor.step is None
            else {"minSeverity": floor.severity, "step": floor.step}
        )
    return record
