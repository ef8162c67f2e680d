"""What is counted of an incident and not told, because it was told a short while ago, in sentences (decisions 8 and 9)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from inbox.domain.explanation import spoken

MOST = 1_000
"""Beyond so many events it is enough to know that there are more."""


@dataclass(frozen=True, slots=True)
class Throttled:
    """`events` were counted since it was told at `since` (more than `MOST`: that many, and more). A repeat is told when it
    comes after `pause` without one, from `quiet_at` on; `next_at` is when it is told without any, None: never."""

    events: int
    since: datetime
    pause: timedelta
    quiet_at: datetime
    next_at: datetime | None = None

    def words(self, zone: ZoneInfo, now: datetime) -> str:
        """How many, why they are not told, and when the next word of them is due."""
        many = f"More than {MOST:,}" if self.events > MOST else f"{self.events}"
        more = "more event was" if self.events == 1 else "more events were"
        said = f"{many} {more} counted since it was told at {spoken.clock(self.since, zone, now)}"
        quiet = spoken.clock(max(self.quiet_at, now), zone, now)
        minutes = int(self.pause.total_seconds()) // 60
        again = f"a repeat is told after {minutes} quiet minutes, so from {quiet} on"
        if self.next_at is None:
            return f"{said}: {again}."
        return f"{said}: {again}. The next word of them is due at {spoken.clock(self.next_at, zone, now)}."
