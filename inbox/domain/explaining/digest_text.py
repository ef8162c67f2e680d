"""The text of a digest: the number of its notices, and one line for each incident (specification 9.16).

The body of a digest stores the counts and the lines at the time of gathering.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.notices import PAYLOAD_VERSION
from inbox.domain.explaining import formatting
from inbox.domain.explaining.notice_content import DIGEST, NoticeContent
from inbox.domain.values import wallclock
from inbox.domain.values.times import rfc3339

MAX_LINES = 25
"""The maximum number of lines. Further incidents are counted, and the link leads to all of them."""


class DigestContext(NamedTuple):
    """The workspace of a digest: its name, the address of its inbox, and its time zone."""

    workspace: str
    url: str
    zone: ZoneInfo


@dataclass(slots=True)
class _Subject:
    """The notices of one incident, or the notice of one event."""

    newest: NoticeContent
    count: int = 1


@dataclass(slots=True)
class _Subjects:
    """The subjects of a digest by incident, and its first notice."""

    first_at: datetime
    found: dict[str, _Subject] = field(default_factory=dict)

    def add(self, key: str, content: NoticeContent) -> None:
        """Adds a notice. It replaces and counts an earlier one of the same incident."""
        earlier = self.found.get(key)
        self.found[key] = _Subject(content, 1 if earlier is None else earlier.count + 1)
        self.first_at = min(self.first_at, content.at)


def body(contents: Sequence[NoticeContent], context: DigestContext, now: datetime) -> dict[str, Any]:
    """Returns the body of the digest of these notices, which are in the order of each incident."""
    subjects = _Subjects(now)
    for number, content in enumerate(contents):
        subjects.add(content.incident_id or f"event {number}", content)
    ordered = sorted(subjects.found.values(), key=_order)
    severity = max((one.newest.severity for one in ordered), key=lambda each: each.rank)
    data = {
        "v": PAYLOAD_VERSION,
        "title": _title(ordered),
        "severity": severity,
        "state": "",
        "sourceName": "",
        "resource": "",
        "workspaceName": context.workspace,
        "incidentId": "",
        "firstSeenAt": rfc3339(subjects.first_at),
        "url": context.url,
        "reason": DIGEST,
        "text": _sentence(ordered, subjects.first_at, context.zone, now),
        "timezone": context.zone.key,
        "notices": sum(one.count for one in ordered),
        "incidents": sum(1 for one in ordered if one.newest.incident_id),
        "items": [_item(one) for one in ordered[:MAX_LINES]],
        "more": max(0, len(ordered) - MAX_LINES),
    }
    return {"type": DIGEST, "timestamp": rfc3339(now), "data": data}


def _order(one: _Subject) -> tuple[bool, int, datetime]:
    """Returns the sort key: unresolved incidents come first, then more severe ones, then older ones."""
    return one.newest.is_quiet, -one.newest.severity.rank, one.newest.at


def _title(subjects: Sequence[_Subject]) -> str:
    incidents = sum(1 for one in subjects if one.newest.incident_id)
    events = len(subjects) - incidents
    about = [_number(incidents, "incident")] if incidents else []
    about += [_number(events, "event")] if events else []
    return f"{_number(sum(one.count for one in subjects), 'notice')} about {' and '.join(about)}"


def _sentence(subjects: Sequence[_Subject], since: datetime, zone: ZoneInfo, now: datetime) -> str:
    counts = Counter(one.newest.status for one in subjects)
    listed = formatting.series([f"{count:,} {status}" for status, count in counts.items()])
    return f"Since {formatting.clock(since, zone, now)}: {listed}."


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _item(one: _Subject) -> Mapping[str, Any]:
    content = one.newest
    return {
        "reason": content.reason,
        "status": content.status,
        "severity": content.severity,
        "title": content.title,
        "url": content.url,
        "incidentId": content.incident_id,
        "at": rfc3339(content.at),
        "notices": one.count,
    }


def time_of(body: Mapping[str, Any]) -> str:
    """Returns the time of a digest for a sentence: `18:00 Europe/Berlin`."""
    at = datetime.fromisoformat(body["timestamp"])
    return formatting.clock(at, wallclock.zone_of(body["data"]["timezone"]), at)
