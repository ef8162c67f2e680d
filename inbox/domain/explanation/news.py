"""What a notice had to tell of its incident, in a sentence (decision 8)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from inbox.domain.explanation.telling import Scene
from inbox.domain.moves import Reason

_PLAIN: Mapping[Reason, str] = {
    Reason.OPENED: "It opened.",
    Reason.REOCCURRED: "It happened again after a quiet while.",
    Reason.REOPENED: "It opened again.",
    Reason.RESOLVED: "It was resolved.",
    Reason.RENOTIFY: "It was still open.",
    Reason.FLAPPING: "It kept opening and resolving.",
    Reason.SILENCE_EXPIRED: "No silence covered it any more.",
    Reason.SNOOZE_EXPIRED: "The snooze was over.",
}
"""By itself; what is not here needs a person, or is said by why there is such a notice at all (`fallback`)."""

_BY_PERSON: Mapping[Reason, str] = {
    Reason.REOPENED: "{} reopened it.",
    Reason.RESOLVED: "{} resolved it.",
    Reason.RENOTIFY: "{} gave it back.",
    Reason.ACKNOWLEDGED: "{} took it.",
    Reason.SNOOZED: "{} put it off{}.",
    Reason.UPDATED: "{} changed it.",
}


_BY_ITSELF: Mapping[tuple[Reason, str], str] = {
    (Reason.RENOTIFY, "timer"): "Its acknowledgement lapsed, and it is open again.",
    (Reason.RESOLVED, "timer"): "No event came for so long that it was resolved by itself.",
    (Reason.RENOTIFY, "system"): "Whoever acknowledged it left the workspace, so it is open again.",
    (Reason.RESOLVED, "system"): "Its source was deleted, so it was resolved.",
}
"""By what kind of actor, where that says more."""


def of_reason(reason: Reason, data: Mapping[str, Any], scene: Scene) -> str:
    """What had happened, from the `data` of the notice's body; empty where why it was told says it all."""
    if reason is Reason.ESCALATED:
        return _escalated(data["escalation"])
    by = data.get("resolvedBy") or data.get("by")
    if by is not None and by["type"] == "silence":
        return f'Silence "{by["name"]}" covered it no longer.'
    if by is not None and by["type"] == "user" and reason in _BY_PERSON:
        until = f" until {scene.clock(datetime.fromisoformat(data['snoozedUntil']))}" if "snoozedUntil" in data else ""
        return _BY_PERSON[reason].format(by["name"], until)
    return _BY_ITSELF.get((reason, by["type"] if by else ""), _PLAIN.get(reason, ""))


def _escalated(escalation: Mapping[str, Any]) -> str:
    if escalation["kind"] == "step":
        return f"Step {escalation['to']} was due."
    return f"It got worse: {escalation['from']} became {escalation['to']}."
