"""The shifts of a calendar feed: the past from the log, the future computed (specification 23.14)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from inbox.domain.oncall.feed_memory import FeedShift
from inbox.domain.oncall.person_periods import person_periods
from inbox.domain.oncall.schedule import OnCallSchedule as Computable
from inbox.domain.oncall.shifts import upcoming, users_of
from inbox.flow.oncall import computed
from inbox.models.oncall import log
from inbox.models.oncall.log import OnCallLog
from inbox.models.oncall.schedules import OnCallSchedule

BEHIND = timedelta(days=15)
"""The time behind which a feed begins."""

AHEAD = timedelta(days=180)
"""The time for which a feed has shifts, at least. It ends with a month, so that its last shift rarely changes."""

MAX_EVENTS = 1_000
"""The most shifts of a feed, the first ones."""

MAX_STEPS = 20_000
"""The most changes and overrides that one answer evaluates, over all schedules."""

Key = tuple[UUID, UUID]
"""A schedule and a person."""


def shifts(rows: Sequence[OnCallSchedule], user_id: UUID | None, now: datetime) -> list[FeedShift]:
    """Returns the shifts of these schedules of a workspace, of everybody or of one person, by their start.

    A shift that lasts began when the log says so. Without a row of the log it began when the log was written last.
    """
    if not rows:
        return []
    end, steps = _end(now), MAX_STEPS // len(rows)
    made = computed.current(rows, now, end)
    logged = log.of_schedules([row.id for row in rows], user_id, now - BEHIND, MAX_EVENTS)
    begun = {(each.schedule_id, each.user_id): each.starts_at for each in logged if each.ends_at is None}
    found = [*_of_log(logged, _present(made, now), now)]
    for row in rows:
        for person, starts, ends in person_periods(upcoming(made[row.id], now, end, steps)):
            if user_id in (None, person):
                since = begun.get((row.id, person), max(row.logged_until or row.created_at, now - BEHIND))
                found.append((row.id, person, since if starts <= now else starts, ends))
    names = computed.names(rows[0].workspace_id, {person for _, person, _, _ in found})
    titles = {row.id: row.name for row in rows}
    shown = (
        FeedShift(schedule, titles[schedule], person, names.get(person, ""), _second(starts), _second(ends))
        for schedule, person, starts, ends in found
    )
    return sorted((each for each in shown if each.starts_at < each.ends_at), key=_order)[:MAX_EVENTS]


def _order(shift: FeedShift) -> tuple[datetime, str, str]:
    return shift.starts_at, shift.schedule_name, shift.user_name


def _of_log(
    rows: Iterable[OnCallLog], present: set[Key], now: datetime
) -> Iterator[tuple[UUID, UUID, datetime, datetime]]:
    """Yields the times that are over. A person who is no longer on call ended by now, if the log is late."""
    for row in rows:
        if row.ends_at is not None or (row.schedule_id, row.user_id) not in present:
            yield row.schedule_id, row.user_id, row.starts_at, row.ends_at or now


def _present(made: dict[UUID, Computable], now: datetime) -> set[Key]:
    return {
        (schedule_id, user)
        for schedule_id, schedule in made.items()
        for user in users_of(next(upcoming(schedule, now, now + timedelta.resolution)))
    }


def _end(now: datetime) -> datetime:
    """Returns the first day of the month after the time for which a feed has shifts."""
    return ((now + AHEAD).replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=31)).replace(day=1)


def _second(at: datetime) -> datetime:
    return at.replace(microsecond=0)
