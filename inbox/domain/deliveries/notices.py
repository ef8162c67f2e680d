"""The content of a notice and its recipients: the webhook body, and the decision and cause for one destination."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.incidents.alerts import NO_ALERTS, AlertCounts, JoinedAlerts
from inbox.domain.incidents.incident import Actor, Escalation
from inbox.domain.incidents.state_machine import Reason, State
from inbox.domain.values.severity import Severity
from inbox.domain.values.times import rfc3339

PAYLOAD_VERSION = 1
"""`data.v` (specification 1.7)."""

UPDATES = frozenset({Reason.RESOLVED, Reason.ACKNOWLEDGED, Reason.SNOOZED, Reason.UPDATED})
"""The reasons that "send recovery and state updates" disables (specification 9.3). They need an earlier notice."""


class Change(NamedTuple):
    """A person's change: the fields by their API names, or `note`, and the sentence that describes it."""

    fields: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class NoticeFields:
    """The values of a notice about an incident. Ids are TypeIDs, missing values are empty. `change` is a person's change,
    `undone` marks an undone act, `runbook_url` is of the rule that decided."""

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
    runbook_url: str = ""
    alerts: AlertCounts = NO_ALERTS
    joined: JoinedAlerts | None = None


def payload(reason: Reason, fields: NoticeFields, now: datetime) -> dict[str, Any]:
    """Returns the body of a webhook of type `incident.<reason>` (specification 10.2); `now` is the notice's time."""
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
    data |= fields.alerts.record(has_ended=fields.state == State.RESOLVED)
    if fields.runbook_url:
        data["runbookUrl"] = fields.runbook_url
    data |= _change_members(fields)
    return {"type": f"incident.{reason.value}", "timestamp": rfc3339(now), "data": data}


def _change_members(fields: NoticeFields) -> dict[str, Any]:
    """Returns the members that distinguish this notice from others with its reason."""
    data: dict[str, Any] = {}
    if fields.change is not None:
        data = ({"changes": list(fields.change.fields)} if fields.change.fields else {}) | {"text": fields.change.text}
    if fields.joined is not None:
        data["joined"] = fields.joined.record()
    if fields.undone:
        data["undone"] = True
    if fields.flapping_ended:
        data["flappingEnded"] = True
    return data


def payload_of_test(workspace_name: str, url: str, now: datetime) -> dict[str, Any]:
    """Returns the body of a test notice: type `test`, all fields of `data`, no incident."""
    fields = NoticeFields(
        title="Test notification",
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
    """Returns the exact JSON of a payload: compact, members in their order. Equal payloads give equal texts."""
    return _ENCODE(body)


def body_bytes(body: Mapping[str, Any]) -> bytes:
    """Returns the bytes of `body_text`, which are signed and sent."""
    return _ENCODE(body).encode()


_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class Cause(StrEnum):
    """The cause of the decision for a destination (specification 9.2)."""

    NOTIFY = "notify"
    """The notice is sent."""

    BELOW_MIN_SEVERITY = "below_min_severity"
    """The severity of the incident is below the minimum of the destination or step."""

    QUIET_HOURS = "quiet_hours"
    """The notice is held until the quiet hours end."""

    UPDATES_OFF = "updates_off"
    """The destination receives alerts only."""

    NOTES_OFF = "notes_off"
    """The destination receives no notices of notes."""

    NOT_ROUTED = "not_routed"
    """No rule, profile or default route names the destination. No stored notice has this cause; explanations use it for
    all other destinations of the workspace."""

    NOT_ADDRESSED = "not_addressed"
    """The destination is on the incident's route, but this notice has other recipients: another step, or the fallback.
    Only explanations use this cause."""

    DIGEST = "digest"
    """The destination gathers its notices. The notice waits for the next digest."""

    NEVER_NOTIFIED = "never_notified"
    """The destination was not notified of the incident, so it receives no update or end either (specification 3.8)."""

    DISABLED = "disabled"
    """A person disabled the destination. The notice is skipped and never sent later."""

    STOPPED = "stopped"
    """The receiver refuses. The notice is held until the destination resumes."""

    THROTTLED = "throttled"
    """Repeats without a quiet period between them are counted. No stored notice has this cause; explanations use it."""

    SILENCED = "silenced"
    """A silence covers the incident; stored as `silenced:<id>`."""

    FLAPPING = "flapping"
    """The incident opens and resolves repeatedly."""

    NOBODY_ON_CALL = "nobody_on_call"
    """A step pages a schedule by which nobody is on call. The record names the schedule in place of a destination."""

    UNREACHABLE = "unreachable"
    """A step pages a person without a way to reach them, or who left. The record names the person."""

    MAILED = "mailed"
    """No destination could receive the fallback, so it was mailed to the owners of the workspace."""


class SeverityFloor(NamedTuple):
    """The minimum severity of a destination, or of a `step` of a routing profile."""

    severity: str
    step: int | None = None


class RecipientState(NamedTuple):
    """The state of a destination for a decision. `notified_before`: it was notified of this incident. `step_accepts`: the
    step accepts the severity. `deferred`: quiet hours defer the notice now. `gathers`: it gathers notices for digests."""

    enabled: bool = True
    stopped: bool = False
    send_updates: bool = True
    min_severity: Severity | None = None
    notified_before: bool = False
    step_accepts: bool = True
    deferred: bool = False
    send_notes: bool = True
    gathers: bool = False


class NoticeTraits(NamedTuple):
    """The properties of a notice that decide about recipients. `undone`: an undo, for destinations notified before.
    `is_note`: only a note was added. `flapping_ended`: destinations notified before receive it with any severity."""

    undone: bool = False
    is_note: bool = False
    flapping_ended: bool = False

    def is_update(self, reason: Reason) -> bool:
        """Returns whether the notice reaches only destinations that were notified before and receive updates."""
        return self.undone or reason in UPDATES


NO_TRAITS = NoticeTraits()


def decide(recipient: RecipientState, reason: Reason, severity: Severity, traits: NoticeTraits = NO_TRAITS) -> Cause:
    """Decides whether a destination receives a notice of an incident of `severity` (specification 9.2).

    1. `disabled` comes first, because nothing else matters then.
    2. An update needs an earlier notice, with any severity. Other notices need the minimum severity.
    3. `quiet_hours`, `digest` and then `stopped` come last, because they hold only notices that would be sent.

    A fallback ignores severity, quiet hours and digests: there is no other recipient. No digest has a CRITICAL notice.
    """
    if not recipient.enabled:
        return Cause.DISABLED
    if traits.is_update(reason):
        cause = _update_refusal(recipient, traits)
        if cause is not None:
            return cause
    elif not _ignores_severity(recipient, reason, traits) and not _meets_severity(recipient, severity):
        return Cause.BELOW_MIN_SEVERITY
    if recipient.deferred and reason is not Reason.FALLBACK:
        return Cause.QUIET_HOURS
    if recipient.gathers and reason is not Reason.FALLBACK and severity is not Severity.CRITICAL:
        return Cause.DIGEST
    return Cause.STOPPED if recipient.stopped else Cause.NOTIFY


def _update_refusal(recipient: RecipientState, traits: NoticeTraits) -> Cause | None:
    if not recipient.send_updates:
        return Cause.UPDATES_OFF
    if not recipient.notified_before:
        return Cause.NEVER_NOTIFIED
    return Cause.NOTES_OFF if traits.is_note and not recipient.send_notes else None


def _ignores_severity(recipient: RecipientState, reason: Reason, traits: NoticeTraits) -> bool:
    return reason is Reason.FALLBACK or (traits.flapping_ended and recipient.notified_before)


def _meets_severity(recipient: RecipientState, severity: Severity) -> bool:
    floor = recipient.min_severity
    return recipient.step_accepts and (floor is None or severity.rank >= floor.rank)


def decision_record(
    destination_id: str | None,
    name: str,
    cause: str,
    *,
    until: datetime | None = None,
    fallback_reason: FallbackReason | None = None,
    floor: SeverityFloor | None = None,
) -> dict[str, Any]:
    """Returns one decision as JSON. `until` is the time of sending, `floor` the missed minimum severity. Mail has no id."""
    record: dict[str, Any] = {"destinationId": destination_id, "name": name, "decision": cause}
    if until is not None:
        record["until"] = rfc3339(until)
    if fallback_reason is not None:
        record["fallbackReason"] = fallback_reason
    if floor is not None:
        record |= {"minSeverity": floor.severity} | ({} if floor.step is None else {"step": floor.step})
    return record
