"""The sentence of a notice: the change of its incident (specification 7.7)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from inbox.domain.explaining import alert_text
from inbox.domain.explaining.recipient_text import TextContext
from inbox.domain.incidents.flapping import MAX_CHANGES, SLOW_CHANGES, SLOW_WINDOW, WINDOW
from inbox.domain.incidents.incident import OF_PEOPLE
from inbox.domain.incidents.state_machine import Reason

FLAPPING = (
    f"Flapping: {MAX_CHANGES} changes in {int(WINDOW.total_seconds()) // 60} minutes,"
    f" or {SLOW_CHANGES} in {int(SLOW_WINDOW.total_seconds()) // 3600} hours"
)

_TEXT: Mapping[Reason, str] = {
    Reason.OPENED: "Incident opened.",
    Reason.REOCCURRED: "Incident repeated after a quiet period.",
    Reason.REOPENED: "Incident reopened.",
    Reason.RESOLVED: "Incident resolved.",
    Reason.RENOTIFY: "Reminder: the incident was still open.",
    Reason.FLAPPING: f"{FLAPPING}.",
    Reason.SILENCE_EXPIRED: "No silence covered the incident any longer.",
    Reason.SNOOZE_EXPIRED: "The snooze ended.",
    Reason.INFORMATIONAL: "Information only, no incident.",
}
"""Sentences of notices without an actor. A `fallback` has the sentence of its cause instead."""

_BY_PERSON: Mapping[Reason, str] = {
    Reason.REOPENED: "{} reopened it.",
    Reason.RESOLVED: "{} resolved it.",
    Reason.RENOTIFY: "{} unacknowledged it.",
    Reason.ACKNOWLEDGED: "{} acknowledged it.",
    Reason.SNOOZED: "{} snoozed it{}.",
    Reason.UPDATED: "{} edited it.",
}


_BY_ITSELF: Mapping[tuple[Reason, str], str] = {
    (Reason.REOPENED, "event"): "The incident was reopened: {} still reports it.",
    (Reason.RENOTIFY, "timer"): "The acknowledgement expired, and the incident is open again.",
    (Reason.RESOLVED, "timer"): "The incident was resolved automatically: no event arrived within the time limit.",
    (Reason.RENOTIFY, "system"): "{}: the incident is open again.",
    (Reason.RESOLVED, "system"): "The incident was resolved because its source was deleted.",
}
"""Sentences by reason and type of actor."""


def of_reason(reason: Reason, data: Mapping[str, Any], context: TextContext) -> str:
    """Returns the sentence from the `data` of the notice's body, and another one about alerts that joined.

    Empty for a fallback, whose cause is its sentence.
    """
    text = _of_cause(reason, data, context)
    if "joined" not in data:
        return text
    joined = alert_text.of_joined(**data["joined"])
    return joined if text == _TEXT[Reason.REOCCURRED] else f"{text} {joined}".strip()


def _of_cause(reason: Reason, data: Mapping[str, Any], context: TextContext) -> str:
    if "text" in data:
        return str(data["text"])
    if data.get("flappingEnded"):
        return f"Flapping ended; the incident was {data['state']}."
    if reason is Reason.ESCALATED:
        return _escalated(data["escalation"])
    by = data.get("resolvedBy") or data.get("actor") or data.get("by")
    if by is not None and by["type"] == "silence":
        return f'Silence "{by["name"]}" no longer covered the incident.'
    if by is not None and by["type"] in OF_PEOPLE and reason in _BY_PERSON:
        until = (
            f" until {context.clock(datetime.fromisoformat(data['snoozedUntil']))}" if "snoozedUntil" in data else ""
        )
        return _BY_PERSON[reason].format(by["name"], until)
    text = _BY_ITSELF.get((reason, by["type"] if by else ""), _TEXT.get(reason, ""))
    return text.format(by["name"] if by else "")


def _escalated(escalation: Mapping[str, Any]) -> str:
    if escalation["kind"] == "step":
        return f"Step {escalation['to']} of the routing profile was due."
    return f"The severity rose from {escalation['from']} to {escalation['to']}."
