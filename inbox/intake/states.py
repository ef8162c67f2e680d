"""States and notification types that Nagios, Icinga and Checkmk share."""

from __future__ import annotations

import re
from typing import NamedTuple

from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event
from inbox.intake.event import SenderAct

SEVERITIES = {
    "CRITICAL": Severity.CRITICAL,
    "DOWN": Severity.CRITICAL,
    "UNKNOWN": Severity.ERROR,
    "UNREACHABLE": Severity.ERROR,
    "UNREACH": Severity.ERROR,
    "WARNING": Severity.WARNING,
}
ENDED = ("OK", "UP")
ALARMS = ("PROBLEM", "FLAPPINGSTOP", "FLAPPINGEND")
"""Types that name a problem if the state is one. While a service flaps, its problems are not sent."""

ACKNOWLEDGED = "ACKNOWLEDGEMENT"

_PERFORMANCE = re.compile(r"\s{0,9}\|\s{0,9}(?:'[^'\n]{1,200}'|[^\s=|']{1,200})=[-\d.U][^\n]*")


def output(*texts: str) -> str:
    """Returns the lines of a check without performance data. Nagios writes a line break as the characters `\\n`."""
    lines = "\n".join(text.replace("\\n", "\n").strip() for text in texts if text)
    return _PERFORMANCE.sub("", lines).strip()


class Notification(NamedTuple):
    """What every notification of these tools says. `words` are the comment of `by`."""

    kind: str
    state: str
    host: str
    service: str
    by: str
    words: str


def event_of(sent: Notification, key: str, **more: object) -> Event:
    """Returns the event of a notification: a problem, its end, or what somebody did with it.

    A notice with the state OK or UP is an end. Nagios sends no recovery of a service that flaps.
    """
    kind, state, host, service = sent.kind.upper(), sent.state.upper(), sent.host, sent.service
    subject = event.joined((service, host), " on ") if service else f"Host {host}"
    fields = {"resource": f"host:{host}" if host else "", "type": "service" if service else "host", **more}
    if state in ENDED or (kind == "RECOVERY" and state not in SEVERITIES):
        return event.resolve(subject, key, **fields)
    if kind in ALARMS:
        return event.trigger(subject, key, SEVERITIES.get(state, Severity.ERROR), **fields)
    did = SenderAct.ACKNOWLEDGE if kind == ACKNOWLEDGED else SenderAct.NOTE
    what = "acknowledged" if kind == ACKNOWLEDGED else kind.lower() or "notification"
    return event.act(did, f"{subject}: {what}", key, by=sent.by, words=sent.words, **fields)
