"""What is night for a preview: when people sleep, or want to be left in peace (decision 8)."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

from inbox.domain.wallclock import zone_of
from inbox.domain.windows import QuietHours, Schedule, Window

FROM, UNTIL = time(22), time(7)
MINUTE = timedelta(minutes=1)


class Night:
    """From 22:00 to 07:00 by the workspace's clock, and its quiet hours."""

    def __init__(self, timezone: str, quiet: QuietHours) -> None:
        self._hours = Schedule(zone_of(timezone), (Window(frozenset(range(7)), FROM, UNTIL),))
        self._quiet = quiet
        self._until, self._answer = datetime.min.replace(tzinfo=UTC), False

    def covers(self, at: datetime) -> bool:
        """Whether it is night; asked in the order of time, and the same for all of a minute."""
        if at >= self._until:
            self._until = at.replace(second=0, microsecond=0) + MINUTE
            self._answer = self._hours.covers(at) or self._quiet.until(at) is not None
        return self._answer
