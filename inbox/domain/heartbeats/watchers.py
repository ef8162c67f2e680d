"""The checks of a watcher: their statuses, and which of them become events (specification 20.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from inbox.domain.values import times
from inbox.domain.values.severity import Severity

SHORTEST_INTERVAL = 10
LONGEST_INTERVAL = 86_400
DEFAULT_INTERVAL = 60
"""The default number of seconds between two check-ins."""

SHORTEST_GRACE = 60
LONGEST_GRACE = 3_600
"""The bounds of the grace that a new watcher has, in seconds."""

MAX_CHECKS = 50
MESSAGE_CHARACTERS = 1_000

REPEAT_AFTER = timedelta(minutes=10)
"""The time after which a check that stays bad becomes an event again.

It is below the quiet time of repeated notices.
"""

EVENT_TYPE = "watcher.check"


class CheckStatus(StrEnum):
    """The status of a check, as the watcher reports it."""

    OK = "ok"
    """The check found nothing wrong."""

    WARN = "warn"
    """The check found something that needs attention: a disk that is nearly full."""

    FAIL = "fail"
    """The check found a failure: a unit that does not run."""


SEVERITIES = {CheckStatus.OK: Severity.SUCCESS, CheckStatus.WARN: Severity.WARNING, CheckStatus.FAIL: Severity.ERROR}
TITLES = {CheckStatus.OK: "{}: {} is ok", CheckStatus.WARN: "{}: {} warns", CheckStatus.FAIL: "{}: {} fails"}
REMOVED_TITLE = "{}: {} is no longer checked"


@dataclass(frozen=True, slots=True)
class ReportedCheck:
    """A check of one check-in."""

    name: str
    status: CheckStatus
    message: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """A stored check. `since` is when it got its status.

    `sent` is the status of its last event, and `OK` before its first event. `sent_at` is the time of the last event.
    """

    name: str
    status: CheckStatus
    message: str
    since: datetime
    sent: CheckStatus = CheckStatus.OK
    sent_at: datetime | None = None

    def record(self) -> dict[str, Any]:
        """Returns the check as JSON."""
        sent_at = None if self.sent_at is None else times.rfc3339(self.sent_at)
        return {
            "name": self.name,
            "status": str(self.status),
            "message": self.message,
            "since": times.rfc3339(self.since),
            "sent": str(self.sent),
            "sentAt": sent_at,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The checks after a check-in, the ones that become events, and the bad ones that are no longer reported."""

    checks: list[Check]
    changed: list[Check]
    removed: list[Check]


def of_record(record: Mapping[str, Any]) -> Check:
    """Returns a check from its stored JSON, the inverse of `Check.record`."""
    since = times.parse(record["since"])
    assert since is not None
    return Check(
        record["name"],
        CheckStatus(record["status"]),
        record["message"],
        since,
        CheckStatus(record["sent"]),
        times.parse(record["sentAt"]) if record["sentAt"] else None,
    )


def compare(
    stored: Iterable[Check], reported: Sequence[ReportedCheck], now: datetime, *, is_paused: bool
) -> Comparison:
    """Compares the reported checks with the stored ones.

    A check becomes an event when its status differs from its last event's status. While it stays bad, it becomes one
    again after `REPEAT_AFTER`. An ok check without an earlier bad event creates none. A paused watcher creates no
    events; the first check-in after the pause creates them.
    """
    before = {check.name: check for check in stored}
    checks, changed = [], []
    for report in reported:
        check = _updated(before.pop(report.name, None), report, now)
        if not is_paused and _is_due(check, now):
            check = replace(check, sent=check.status, sent_at=now)
            changed.append(check)
        checks.append(check)
    return Comparison(checks, changed, [check for check in before.values() if check.sent is not CheckStatus.OK])


def default_grace(interval: int) -> int:
    """Returns the grace of a new watcher in seconds: one interval, at least a minute and at most an hour."""
    return min(max(interval, SHORTEST_GRACE), LONGEST_GRACE)


def title(watcher: str, check: Check) -> str:
    """Returns the title of the event of a check."""
    return TITLES[check.status].format(watcher, check.name)


def _updated(before: Check | None, report: ReportedCheck, now: datetime) -> Check:
    if before is None:
        return Check(report.name, report.status, report.message, now)
    since = before.since if before.status is report.status else now
    return replace(before, status=report.status, message=report.message, since=since)


def _is_due(check: Check, now: datetime) -> bool:
    if check.status is not check.sent:
        return True
    return check.status is not CheckStatus.OK and check.sent_at is not None and now - check.sent_at >= REPEAT_AFTER
