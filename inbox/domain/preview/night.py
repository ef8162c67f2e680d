"""What is night for a preview: when people sleep, or want to be left in peace (decision 8)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from inbox.domain.wallclock import zone_of
from inbox.domain.windows import QuietHours, Schedule, Window

FROM, UNTIL = time(22), time(7)
A_DAY = timedelta(days=1)


class Night:
    """From 22:00 to 07:00 by the workspace's clock, and its quiet hours."""

    def __init__(self, timezone: str, quiet: QuietHours) -> None:
        hours = Schedule(zone_of(timezone), (Window(frozenset(range(7)), FROM, UNTIL),))
        self._schedules = (hours, quiet.schedule) if quiet.enabled else (hours,)
        self._until, self._answer = datetime.min.replace(tzinfo=UTC), False

    def covers(self, at: datetime) -> bool:
        """Whether it is night; asked in the order of time, and the same until a window begins or ends."""
        if at >= self._until:
            changes = [each.until(at) or each.next_start(at) or at + A_DAY for each in self._schedules]
            self._until, self._answer = min(changes), any(each.covers(at) for each in self._schedules)
        return self._answer
