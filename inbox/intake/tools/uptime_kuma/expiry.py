"""Notices of Uptime Kuma about a certificate or a domain that ends. They have no heartbeat, only a text."""

from __future__ import annotations

import re

from inbox.domain.values.severity import Severity
from inbox.intake import event
from inbox.intake.base import Event

LONGEST = 2_000
_NOTICE = re.compile(
    r"\[(?P<monitor>.{1,300}?)\](?:\[(?P<url>[^\[\]]{1,2000})\])?\s{1,9}(?P<what>.{0,300}?(?P<kind>certificate|domain)\b.{0,300}?)"
    r"\s(?:will expire|expires|has expired|is expired|expired)\b(?P<when>.{0,100})",
    re.IGNORECASE | re.DOTALL,
)
_DAYS = re.compile(r"(-?\d{1,6})\s?day")


def read(text: str) -> Event | None:
    """Returns the event of a certificate or a domain; None for every other text.

    The notices 14, 7 and 3 days before the end share a key. No notice tells a renewal, so a person resolves the incident.
    """
    found = _NOTICE.match(text[:LONGEST])
    if found is None:
        return None
    monitor, what = found["monitor"], found["what"]
    days = _DAYS.search(found["when"])
    has_ended = int(days[1]) <= 0 if days else "expired" in found[0].lower()
    return event.trigger(
        f"{monitor}: {what} {'has expired' if has_ended else 'will expire'}",
        f"kuma:{found['kind'].lower()}:{monitor}:{what}",
        Severity.CRITICAL if has_ended else Severity.WARNING,
        body=text,
        type=f"uptime.{found['kind'].lower()}",
        resource=f"monitor:{monitor}",
        url=found["url"] or "",
    )
