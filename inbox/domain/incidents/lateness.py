"""The order of reports by the times of their sender (specification 3.3).

A retry can overtake a later report. So an alarm that is older than the known end of its alert opens nothing, and an end
that is older than the newest alarm ends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

LATE_WITHIN = timedelta(hours=1)
"""The time after an end in which an older alarm is late. Later the sender still reports it, so it counts."""


class AlertTimes(NamedTuple):
    """The newest times that the sender gave for an alert, and the receipt of the newest end."""

    alarm_at: datetime | None = None
    ended_at: datetime | None = None
    end_received_at: datetime | None = None

    def is_late_alarm(self, at: datetime, received_at: datetime) -> bool:
        """Returns whether an alarm of this time is older than the known end, and arrives soon after it."""
        if self.ended_at is None or self.end_received_at is None or at >= self.ended_at:
            return False
        return received_at - self.end_received_at <= LATE_WITHIN

    def is_late_end(self, at: datetime) -> bool:
        """Returns whether an end of this time is older than the newest alarm."""
        return self.alarm_at is not None and at < self.alarm_at

    def with_alarm(self, at: datetime) -> AlertTimes:
        """Returns the times after an alarm."""
        return self if self.alarm_at is not None and at <= self.alarm_at else self._replace(alarm_at=at)

    def with_end(self, at: datetime, received_at: datetime) -> AlertTimes:
        """Returns the times after an end."""
        if self.ended_at is not None and at < self.ended_at:
            return self
        return self._replace(ended_at=at, end_received_at=received_at)


UNKNOWN = AlertTimes()
AlertName = tuple[UUID, str]
"""The source and the name of an alert in it."""


@dataclass(slots=True)
class SenderTimes:
    """The times of the alerts of a batch, those that changed in it, and its late events (workspace, event).

    `is_same_alarm`: the last report with a time has the time of the known alarm, such as with another body.
    """

    known: dict[AlertName, AlertTimes] = field(default_factory=dict)
    changed: dict[AlertName, AlertTimes] = field(default_factory=dict)
    late: list[tuple[UUID, UUID]] = field(default_factory=list)
    is_same_alarm: bool = False

    def set(self, name: AlertName, times: AlertTimes) -> None:
        """Sets the times of an alert."""
        if times is not self.known.get(name):
            self.known[name] = self.changed[name] = times
