"""What is night for a preview: when people sleep, or want to be left in peace (decision 8)."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, time, timedelta

from inbox.domain.wallclock import zone_of
from inbox.domain.windows import QuietHours, Schedule, Window

FROM, UNTIL = time(22), time(7)
A_DAY = timedelta(days=1)


class Night:
    """From 22:00 to 07:00 by the workspace's clock, and its quiet hours."""

    def __init__(self, timezone: str, quiet: QuietHours, since: datetime) -> None:
        hours = Schedule(zone_of(timezone), (Window(frozenset(range(7)), FROM, UNTIL),))
        self._schedules = (hours, quiet.schedule) if quiet.enabled else (hours,)
        self._starts, self._answers, self._until = list[datetime](), list[bool](), since

    def covers(self, at: datetime) -> bool:
        """Whether it is night at a time from `since` on; it is found out once for as long as no window begins or ends."""
        while at >= self._until:
            self._go_on(self._until)
        return self._answers[bisect_right(self._starts, at) - 1]

    def _go_on(self, at: datetime) -> None:
        self._starts.append(at)
        self._answers.append(any(each.covers(at) for each in self._schedules))
        self._until = min(each.until(at) or each.next_start(at) or at + A_DAY for each in self._schedules)
