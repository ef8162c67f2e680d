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


@dataclass(frozen=True, slots=True)
class PersonShift:
    """A shift of the person who is told of it, and the number of further ones that are due to be told."""

    schedule: str
    workspace: str
    url: str
    zone: ZoneInfo
    starts_at: datetime
    ends_at: datetime
    further: int


def body(change: ShiftChange, now: datetime) -> dict[str, Any]:
    """Returns the body of the notice, as webhooks receive it."""
    severity = Severity.INFO if change.present else Severity.WARNING
    own = {
        "schedule": change.schedule,
        "since": rfc3339(change.since),
        "before": [*change.before],
        "people": [*change.present],
        "until": None if change.until is None else rfc3339(change.until),
        "nextPeople": [*change.following],
    }
    made = _body(change, _title(change), _text(change, now), change.since, severity, now)
    made["data"]["onCall"] = own
    return made


def person_body(shift: PersonShift, now: datetime) -> dict[str, Any]:
    """Returns the body of the notice of a shift to the phones of its person."""
    begins = "now" if shift.starts_at <= now else _time(shift.starts_at, shift.zone)
    title = f"You are on call for {shift.schedule}" if shift.starts_at <= now else f"On call for {shift.schedule} soon"
    more = (
        f" {shift.further} more shift{'s' if shift.further > 1 else ''} within your lead time." if shift.further else ""
    )
    text = f"From {begins} until {_time(shift.ends_at, shift.zone)}.{more}"
    return _body(shift, title, text, shift.starts_at, Severity.INFO, now)


def _body(
    about: ShiftChange | PersonShift, title: str, text: str, at: datetime, severity: Severity, now: datetime
) -> dict[str, Any]:
    data = {
        "v": PAYLOAD_VERSION,
        "title": title,
        "severity": severity,
        "state": "",
        "sourceName": "",
        "resource": "",
        "workspaceName": about.workspace,
        "incidentId": "",
        "firstSeenAt": rfc3339(at),
        "url": about.url,
        "reason": ON_CALL,
        "text": text,
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
