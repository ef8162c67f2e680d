"""The night hours of a preview: from 22:00 to 07:00, and quiet hours (specification 6.9)."""

from __future__ import annotations

from bisect import bisect_right
from datetime import datetime, time, timedelta

from inbox.domain.values.wallclock import zone_of
from inbox.domain.values.windows import QuietHours, Schedule, Window

FROM, UNTIL = time(22), time(7)
A_DAY = timedelta(days=1)


class Night:
    """The hours from 22:00 to 07:00 in the time zone of the workspace, and its quiet hours."""

    def __init__(self, timezone: str, quiet: QuietHours) -> None:
        hours = Schedule(zone_of(timezone), (Window(frozenset(range(7)), FROM, UNTIL),))
        self._schedules = (hours, quiet.schedule) if quiet.enabled else (hours,)
        self._starts, self._ends, self._answers = list[datetime](), list[datetime](), list[bool]()

    def covers(self, at: datetime) -> bool:
        """Returns whether a moment is at night. The answer is cached for the period in which no window begins or ends.

        The order of the calls may differ from the order of time.
        """
        place = bisect_right(self._ends, at)
        if place == len(self._ends) or at < self._starts[place]:
            self._find_out(place, at)
        return self._answers[place]

    def _find_out(self, place: int, at: datetime) -> None:
        """Computes and caches the period of a moment. Cached periods are in the order of time and do not overlap."""
        end = min(each.until(at) or each.next_start(at) or at + A_DAY for each in self._schedules)
        if place < len(self._ends):
            if end == self._ends[place]:
                self._starts[place] = at
                return
            end = min(end, self._starts[place])
        self._starts.insert(place, at)
        self._ends.insert(place, end)
        self._answers.insert(place, any(each.covers(at) for each in self._schedules))
