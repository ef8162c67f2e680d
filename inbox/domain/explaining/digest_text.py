"""The text of a digest: the number of its notices, and one line for each incident (specification 9.16).

The body of a digest stores the counts and the lines at the time of gathering.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from inbox.domain.deliveries.notices import PAYLOAD_VERSION
from inbox.domain.explaining import formatting, notice_content
from inbox.domain.explaining.notice_content import DIGEST, NoticeContent
from inbox.domain.incidents.state_machine import Reason
from inbox.domain.values.severity import Severity
from inbox.domain.values.times import rfc3339

MAX_LINES = 25
"""The maximum number of lines. Further incidents are counted, and the link leads to all of them."""


class DigestContext(NamedTuple):
    """The workspace of a digest: its name, the address of its inbox, and its time zone."""

    workspace: str
    url: str
    zone: ZoneInfo


class Noticed(NamedTuple):
    """A notice of a digest. `key` is its incident, or the event without one; `id` names it among the others."""

    id: Any
    key: Any
    is_incident: bool
    reason: str
    severity: Severity
    at: datetime


@dataclass(slots=True)
class Subject:
    """The notices of one incident, or the notice of one event."""

    newest: Noticed
    count: int = 1
    has_opened: bool = False
    """One of the notices opened the incident."""

    @property
    def status(self) -> str:
        """Returns the first word of the newest notice."""
        return notice_content.status_of(self.newest.reason, self.newest.severity)

    @property
    def is_over(self) -> bool:
        """Returns whether the incident opened and ended between the notices."""
        return self.has_opened and self.newest.reason == Reason.RESOLVED

    @property
    def order(self) -> tuple[bool, int, datetime]:
        """Returns the sort key: unresolved incidents come first, then more severe ones, then older ones."""
        return self.newest.reason in notice_content.QUIET, -self.newest.severity.rank, self.newest.at


def subjects(noticed: Iterable[Noticed]) -> list[Subject]:
    """Returns the subjects of these notices in the order of a digest. The notices are in the order of each incident."""
    found: dict[Any, Subject] = {}
    for one in noticed:
        earlier = found.get(one.key)
        opened = one.reason == Reason.OPENED or (earlier is not None and earlier.has_opened)
        found[one.key] = Subject(one, 1 if earlier is None else earlier.count + 1, opened)
    return sorted(found.values(), key=lambda one: one.order)


def body(contents: Sequence[NoticeContent], context: DigestContext, now: datetime) -> dict[str, Any]:
    """Returns the body of the digest of these notices, which are in the order of each incident."""
    noticed = [
        Noticed(place, one.incident_id or f"event {place}", bool(one.incident_id), one.reason, one.severity, one.at)
        for place, one in enumerate(contents)
    ]
    found = subjects(noticed)
    listed = [contents[one.newest.id] for one in found[:MAX_LINES]]
    return body_of(found, listed, context, since=min((one.at for one in noticed), default=now), now=now)


def body_of(
    ordered: Sequence[Subject],
    listed: Sequence[NoticeContent],
    context: DigestContext,
    *,
    since: datetime,
    now: datetime,
    is_summary: bool = False,
) -> dict[str, Any]:
    """Returns the body of a digest. `listed` are the newest notices of the first subjects. `since` is the first notice.

    `is_summary`: the notices waited because there were too many to send one by one.
    """
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
        "firstSeenAt": rfc3339(since),
        "url": context.url,
        "reason": DIGEST,
        "text": _sentence(ordered, since, context.zone, now, counts_ended=is_summary),
        "timezone": context.zone.key,
        "notices": sum(one.count for one in ordered),
        "incidents": sum(1 for one in ordered if one.newest.is_incident),
        "items": [_item(one, content) for one, content in zip(ordered, listed, strict=False)],
        "more": max(0, len(ordered) - len(listed)),
        **({"summary": True} if is_summary else {}),
    }
    return {"type": DIGEST, "timestamp": rfc3339(now), "data": data}


def _title(ordered: Sequence[Subject]) -> str:
    incidents = sum(1 for one in ordered if one.newest.is_incident)
    events = len(ordered) - incidents
    about = [_number(incidents, "incident")] if incidents else []
    about += [_number(events, "event")] if events else []
    return f"{_number(sum(one.count for one in ordered), 'notice')} about {' and '.join(about)}"


def _sentence(ordered: Sequence[Subject], since: datetime, zone: ZoneInfo, now: datetime, *, counts_ended: bool) -> str:
    counts = Counter(one.status for one in ordered)
    over = sum(1 for one in ordered if one.is_over) if counts_ended else 0
    listed = formatting.series([f"{count:,} {status}" for status, count in counts.items()])
    meanwhile = f" {over:,} of them opened and ended meanwhile." if over else ""
    return f"Since {formatting.clock(since, zone, now)}: {listed}.{meanwhile}"


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def _item(one: Subject, content: NoticeContent) -> Mapping[str, Any]:
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
    return formatting.instant(at)
