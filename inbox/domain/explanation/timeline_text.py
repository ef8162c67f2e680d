"""The sentence of a timeline entry (specification 7.6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from inbox.domain.explanation import changes
from inbox.domain.explanation.recipient_text import BECAUSE
from inbox.domain.notices import FallbackReason
from inbox.domain.timeline import Kind

Details = Mapping[str, Any]


def of_entry(
    kind: str, actor: Mapping[str, str], details: Details, people: Mapping[str, str], clock: Callable[[datetime], str]
) -> str:
    """The change and its actor. `people` are the names of assignees by id; `clock` formats a time."""
    if kind not in set(Kind):
        return _plain(kind)
    known, who = Kind(kind), actor["name"] or "Somebody"
    if known in _BY_ITSELF:
        return _BY_ITSELF[known]
    if known in _BY_PERSON and actor["type"] == "user":
        until = f" until {clock(datetime.fromisoformat(details['until']))}" if "until" in details else ""
        return _BY_PERSON[known].format(who, until)
    of_details = _OF_DETAILS.get(known)
    return of_details(actor["type"], who, details, people) if of_details else _plain(kind)


def _plain(kind: str) -> str:
    return f"{kind.replace('_', ' ').capitalize()}."


def _opened(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return f"An event from {who} opened the incident{_severity(details)}."


def _reopened(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return f"An event from {who} reopened the incident{_severity(details)}."


def _severity(details: Details) -> str:
    return f" with severity {details['severity']}" if "severity" in details else ""


def _escalated(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    if "changed" in details:
        return changes.of_edit(who, details["changed"], people)
    rise = details["escalation"]
    if rise["kind"] == "step":
        return f"Step {rise['to']} of the routing profile was due."
    return f"An event from {who} raised the severity from {rise['from']} to {rise['to']}."


def _resolved(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    match actor_type:
        case "event":
            return f"A recovery from {who} resolved the incident."
        case "timer":
            return "Resolved automatically: no event arrived within the time limit."
        case _:
            return "Resolved because the source was deleted."


def _updated(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    if actor_type == "system":
        return f"{who}: the incident is unassigned."
    return changes.of_edit(who, details["changed"], people)


def _undone(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return changes.of_undo(who, details["act"], details["to"], details["from"])


def _unacknowledged(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return f"{who}: the incident is no longer acknowledged."


def _silenced(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return f'Silence "{who}" covered the incident.'


def _silence_ended(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return f'Silence "{who}" ended: the incident is {details["to"]} again.'


def _fallback(actor_type: str, who: str, details: Details, people: Mapping[str, str]) -> str:
    return BECAUSE[FallbackReason(details["fallbackReason"])]


_BY_ITSELF: Mapping[Kind, str] = {
    Kind.REOCCURRED: "A repeat came after a quiet period.",
    Kind.ACK_TIMED_OUT: "The acknowledgement expired.",
    Kind.SNOOZE_EXPIRED: "The snooze ended.",
    Kind.DELAY_ENDED: "The wait of the routing profile ended.",
    Kind.RENOTIFIED: "A reminder was due.",
    Kind.FLAPPING_ENDED: "Flapping ended.",
}

_BY_PERSON: Mapping[Kind, str] = {
    Kind.REOPENED: "{} reopened it.",
    Kind.RESOLVED: "{} resolved it.",
    Kind.ACKNOWLEDGED: "{} acknowledged it.",
    Kind.UNACKNOWLEDGED: "{} un-acknowledged it.",
    Kind.SNOOZED: "{} snoozed it{}.",
    Kind.UNSNOOZED: "{} ended the snooze.",
    Kind.NOTE: "{} added a note.",
}

_OF_DETAILS: Mapping[Kind, Callable[[str, str, Details, Mapping[str, str]], str]] = {
    Kind.OPENED: _opened,
    Kind.REOPENED: _reopened,
    Kind.ESCALATED: _escalated,
    Kind.RESOLVED: _resolved,
    Kind.UPDATED: _updated,
    Kind.UNDONE: _undone,
    Kind.UNACKNOWLEDGED: _unacknowledged,
    Kind.SILENCED: _silenced,
    Kind.SILENCE_ENDED: _silence_ended,
    Kind.FALLBACK: _fallback,
}
