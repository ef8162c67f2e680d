"""Repeats that are counted without a notification, because there was one a short while ago (specification 7.7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from inbox.domain.explanation import formatting

MAX_COUNTED = 1_000
"""Beyond so many events it is enough to know that there are more."""


@dataclass(frozen=True, slots=True)
class Throttled:
    """`events` were counted since the last notification at `since` (more than `MAX_COUNTED`: that many, and more). A repeat
    notifies when it comes after `pause` without one, from `quiet_at` on; `next_at` is the next reminder, None: never."""

    events: int
    since: datetime
    pause: timedelta
    quiet_at: datetime
    next_at: datetime | None = None

    def sentence(self, zone: ZoneInfo, now: datetime) -> str:
        """How many, and when the next notification is due."""
        many = f"More than {MAX_COUNTED:,}" if self.events > MAX_COUNTED else f"{self.events}"
        repeats = "repeat" if self.events == 1 else "repeats"
        said = f"{many} {repeats} since the last notification ({formatting.clock(self.since, zone, now)})."
        if self.next_at is not None:
            return f"{said} Next reminder: {formatting.clock(self.next_at, zone, now)}."
        quiet = formatting.clock(max(self.quiet_at, now), zone, now)
        return f"{said} A repeat notifies again after {formatting.length(self.pause)} without one: from {quiet} on."
