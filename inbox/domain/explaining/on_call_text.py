"""The notice of a handoff to the channel of a schedule: who is on call now, until when, and who is next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.notices import PAYLOAD_VERSION
from inbox.domain.explaining.notice_content import ON_CALL
from inbox.domain.values.severity import Severity
from inbox.domain.values.times import rfc3339

LATE = timedelta(minutes=15)
"""A notice that is later than this says when the handoff was."""


@dataclass(frozen=True, slots=True)
class ShiftChange:
    """A handoff of a schedule, with the names of people before, now and after `until`."""

    schedule: str
    workspace: str
    url: str
    zone: ZoneInfo
    since: datetime
    before: Sequence[str]
    present: Sequence[str]
    until: datetime | None
    following: Sequence[str]


def body(change: ShiftChange, now: datetime) -> dict[str, Any]:
    """Returns the body of the notice, as webhooks receive it."""
    data = {
        "v": PAYLOAD_VERSION,
        "title": _title(change),
        "severity": Severity.INFO if change.present else Severity.WARNING,
        "state": "",
        "sourceName": "",
        "resource": "",
        "workspaceName": change.workspace,
        "incidentId": "",
        "firstSeenAt": rfc3339(change.since),
        "url": change.url,
        "reason": ON_CALL,
        "text": _text(change, now),
        "onCall": {
            "schedule": change.schedule,
            "since": rfc3339(change.since),
            "before": [*change.before],
            "people": [*change.present],
            "until": None if change.until is None else rfc3339(change.until),
            "nextPeople": [*change.following],
        },
    }
    return {"type": ON_CALL, "timestamp": rfc3339(now), "data": data}


def _title(change: ShiftChange) -> str:
    if not change.present:
        return f"Nobody is on call for {change.schedule}"
    return f"On call for {change.schedule}: {_listed(change.present)}"


def _text(change: ShiftChange, now: datetime) -> str:
    since = f" since {_time(change.since, change.zone)}" if now - change.since > LATE else ""
    until = "" if change.until is None else f" until {_time(change.until, change.zone)}"
    who = _listed(change.present) or "Nobody"
    first = f"{who} {'are' if len(change.present) > 1 else 'is'} on call{since}{until}."
    before = f"Before: {_listed(change.before)}." if change.before else ""
    after = "" if change.until is None else f"Next: {_listed(change.following) or 'nobody'}."
    return " ".join(filter(None, (first, before, after)))


def _time(at: datetime, zone: ZoneInfo) -> str:
    return f"{at.astimezone(zone):%a %d %B %H:%M} ({zone.key})"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
