"""The sentence of a timeline entry (specification 7.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from inbox.domain.deliveries.fallback_reasons import FallbackReason
from inbox.domain.explaining import alert_text, changes
from inbox.domain.explaining.formatting import instant
from inbox.domain.explaining.page_text import FALLBACK, of_pages
from inbox.domain.incidents.incident import OF_PEOPLE
from inbox.domain.incidents.timeline import EntryKind

Details = Mapping[str, Any]


def of_entry(kind: str, actor: Mapping[str, str], details: Details, people: Mapping[str, str]) -> str:
    """Returns the change and its actor. `people` are the names of assignees by id."""
    if kind not in set(EntryKind):
        return _plain(kind)
    entry_kind, actor_name = EntryKind(kind), actor["name"] or "Someone"
    if entry_kind is EntryKind.ACKNOWLEDGED and "changed" in details:
        return f"{actor_name} took it: it is acknowledged and assigned."
    if entry_kind in _BY_ITSELF:
        return _BY_ITSELF[entry_kind]
    if entry_kind in _BY_PERSON and actor["type"] in OF_PEOPLE:
        until = f" until {instant(datetime.fromisoformat(details['until']))}" if "until" in details else ""
        return _BY_PERSON[entry_kind].format(actor_name, until)
    text_of_details = _OF_DETAILS.get(entry_kind)
    return text_of_details(actor["type"], actor_name, details, people) if text_of_details else _plain(kind)


def _plain(kind: str) -> str:
    return f"{kind.replace('_', ' ').capitalize()}."


def _opened(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f"An event from {actor_name} opened the incident{_severity(details)}."


def _reopened(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    if details.get("repeat"):
        return f"The incident is open again: {actor_name} still reports it."
    return f"An event from {actor_name} reopened the incident{_severity(details)}."


def _still_reported(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f"{actor_name} still reports it. A report later than five minutes after the end reopens the incident."


def _late(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    if details.get("recovers"):
        return f"An end from {actor_name} arrived late: it is older than the newest alarm, and ended nothing."
    return f"An alarm from {actor_name} arrived late: it is older than the end, and opened nothing."


def _severity(details: Details) -> str:
    return f" with severity {details['severity']}" if "severity" in details else ""


def _escalated(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    if "changed" in details:
        return changes.of_edit(actor_name, details["changed"], people)
    escalation = details["escalation"]
    if escalation["kind"] == "step" and actor_type in OF_PEOPLE:
        return f"{actor_name} took step {escalation['to']} of the routing profile."
    if escalation["kind"] == "step":
        return f"Step {escalation['to']} of the routing profile was due."
    return f"An event from {actor_name} raised the severity from {escalation['from']} to {escalation['to']}."


def _joined(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return alert_text.of_joined(details["count"], details["titles"])


def _alert_ended(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f"A recovery from {actor_name} ended an alert: {alert_text.of_firing(details['firing'], details['alerts'])}."


def _resolved(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    match actor_type:
        case "event":
            return f"Resolved automatically by {actor_name}."
        case "timer":
            return "Resolved automatically: no event arrived within the time limit."
        case _:
            return "Resolved because the source was deleted."


def _updated(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    if actor_type == "system":
        return f"{actor_name}: the incident is unassigned."
    return changes.of_edit(actor_name, details["changed"], people)


def _undone(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return changes.of_undo(actor_name, details["act"])


def _unacknowledged(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f"{actor_name}: the incident is no longer acknowledged."


def _silenced(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f'Silence "{actor_name}" covered the incident.'


def _silence_ended(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f'Silence "{actor_name}" ended: the incident is {details["to"]} again.'


def _fallback(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return FALLBACK[FallbackReason(details["fallbackReason"])]


def _paged(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return of_pages(details["pages"], by=actor_name if actor_type in OF_PEOPLE else None)


_BY_ITSELF: Mapping[EntryKind, str] = {
    EntryKind.REOCCURRED: "Fired again after a quiet period.",
    EntryKind.ACK_TIMED_OUT: "The acknowledgement expired.",
    EntryKind.SNOOZE_EXPIRED: "The snooze ended.",
    EntryKind.DELAY_ENDED: "The wait of the routing profile ended.",
    EntryKind.RENOTIFIED: "A reminder was due.",
    EntryKind.FLAPPING_ENDED: "Flapping ended.",
}

_BY_PERSON: Mapping[EntryKind, str] = {
    EntryKind.REOPENED: "{} reopened it.",
    EntryKind.RESOLVED: "{} resolved it.",
    EntryKind.ACKNOWLEDGED: "{} acknowledged it.",
    EntryKind.UNACKNOWLEDGED: "{} unacknowledged it.",
    EntryKind.SNOOZED: "{} snoozed it{}.",
    EntryKind.UNSNOOZED: "{} ended the snooze.",
    EntryKind.NOTE: "{} added a note.",
    EntryKind.NOTIFIED_NOW: "{} notified destinations that had not been told.",
}


def _acknowledged(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f"{actor_name} acknowledged it."


def _noted(actor_type: str, actor_name: str, details: Details, people: Mapping[str, str]) -> str:
    return f"{actor_name} added a note."


_OF_DETAILS: Mapping[EntryKind, Callable[[str, str, Details, Mapping[str, str]], str]] = {
    EntryKind.OPENED: _opened,
    EntryKind.REOPENED: _reopened,
    EntryKind.STILL_REPORTED: _still_reported,
    EntryKind.LATE: _late,
    EntryKind.ESCALATED: _escalated,
    EntryKind.JOINED: _joined,
    EntryKind.ALERT_ENDED: _alert_ended,
    EntryKind.RESOLVED: _resolved,
    EntryKind.UPDATED: _updated,
    EntryKind.UNDONE: _undone,
    EntryKind.ACKNOWLEDGED: _acknowledged,
    EntryKind.NOTE: _noted,
    EntryKind.UNACKNOWLEDGED: _unacknowledged,
    EntryKind.SILENCED: _silenced,
    EntryKind.SILENCE_ENDED: _silence_ended,
    EntryKind.FALLBACK: _fallback,
    EntryKind.PAGED: _paged,
}
