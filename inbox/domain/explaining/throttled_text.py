"""The sentence for repeats that are counted without a notification, too soon after the last one (specification 7.7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from inbox.domain.explaining import formatting
from inbox.domain.values import number_text

MAX_COUNTED = 1_000
"""The limit of counted events. The text says "more than" above it."""


@dataclass(frozen=True, slots=True)
class ThrottledRepeats:
    """The repeats since the last notification.

    `events` were counted since the last notification at `since`; above `MAX_COUNTED` there are more. The next repeat
    notifies after `pause` without a repeat, from `notifies_from` on. `next_at` is the next reminder; None if there is none.
    """

    events: int
    since: datetime
    pause: timedelta
    notifies_from: datetime
    next_at: datetime | None = None

    def sentence(self, now: datetime) -> str:
        """Returns the number of repeats, and when the next notification is due."""
        number = f"More than {MAX_COUNTED:,}" if self.events > MAX_COUNTED else f"{self.events}"
        repeats = "repeat" if self.events == 1 else "repeats"
        count_text = f"{number} {repeats} since the last notification ({formatting.instant(self.since)})."
        if self.next_at is not None:
            return f"{count_text} Next reminder: {formatting.instant(self.next_at)}."
        quiet = formatting.instant(max(self.notifies_from, now))
        return f"{count_text} A repeat notifies again after {number_text.duration_text(self.pause)} without one: from {quiet} on."
