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
_ESCAPES = re.compile(r"(?<!\w)[A-Za-z]:(?:\\(?!\\|n[A-Za-z]:)[\w.$-]++)++|\\[\\n]")
"""Matches an escape of Nagios. A path such as `C:\\new` has none, and is matched as a whole."""


def output(text: str, more: str) -> str:
    """Returns the lines of a check without performance data.

    Nagios writes a line break as the characters `\\n`. Only in the long output (`more`) it also doubles backslashes.
    """
    short = _ESCAPES.sub(lambda found: "\n" if found[0] == "\\n" else found[0], text).strip()
    long = _ESCAPES.sub(lambda found: {"\\n": "\n", "\\\\": "\\"}.get(found[0], found[0]), more).strip()
    return _PERFORMANCE.sub("", event.joined((short, long), "\n")).strip()


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
