"""States and notification types that Nagios, Icinga and Checkmk share."""

from __future__ import annotations

from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event

SEVERITIES = {
    "CRITICAL": Severity.CRITICAL,
    "DOWN": Severity.CRITICAL,
    "UNKNOWN": Severity.ERROR,
    "UNREACHABLE": Severity.ERROR,
    "UNREACH": Severity.ERROR,
    "WARNING": Severity.WARNING,
}


def notification(kind: str, state: str, host: str, service: str, key: str, **more: object) -> Event:
    """Returns the event of a notification: a problem, its recovery, or a log entry."""
    subject = f"{service} on {host}" if service else host
    fields = {"resource": f"host:{host}", "type": "service" if service else "host", **more}
    if kind == "RECOVERY":
        return event.resolve(f"{subject} is {state or 'OK'}", key, **fields)
    if kind == "PROBLEM":
        return event.trigger(f"{subject} is {state}", key, SEVERITIES.get(state, Severity.ERROR), **fields)
    return event.log(f"{subject}: {kind.lower() or 'notification'}", **fields)
