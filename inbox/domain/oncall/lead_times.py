"""When people are told of their coming shifts: the lead times of each person (specification 23.16)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.oncall.person_periods import PersonPeriod

DEFAULT = (1_440, 0)
"""The lead times in minutes of a person who has not chosen any: a day before, and at the start."""

LONGEST = 10_080
"""The longest lead time in minutes."""

MAX_LEADS = 5
"""The most lead times of a person."""

Told = Collection[tuple[UUID, datetime, int]]
"""Person, start and lead time of the notices that were sent."""


@dataclass(frozen=True, slots=True)
class Reminders:
    """The coming shifts to tell of now with their due lead times, by start, and when the next ones are due."""

    due: Sequence[tuple[PersonPeriod, Sequence[int]]]
    following: datetime | None


def reminders(
    coming: Sequence[PersonPeriod], leads: Mapping[UUID, Sequence[int]], told: Told, now: datetime
) -> Reminders:
    """Returns the coming shifts whose lead times have passed and that were not told.

    A shift that is nearer than several lead times is told once.
    """
    due, later = list[tuple[PersonPeriod, Sequence[int]]](), list[datetime]()
    for period in sorted(coming, key=lambda each: (each.starts_at, each.user_id)):
        at = {lead: period.starts_at - timedelta(minutes=lead) for lead in leads[period.user_id] if lead}
        passed = sorted(lead for lead, moment in at.items() if moment <= now)
        later += [moment for moment in at.values() if moment > now]
        if passed and (period.user_id, period.starts_at, passed[0]) not in told:
            due.append((period, passed))
    return Reminders(due, min(later, default=None))
