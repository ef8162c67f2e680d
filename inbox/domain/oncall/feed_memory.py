"""What a calendar feed served before: so that changed shifts get a new number, and vanished ones are cancelled.

Calendar programs keep a shift that is simply missing. A cancelled one is removed (specification 23.14).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from inbox.domain.oncall.calendar import Event, uid

CANCELLED_FOR = timedelta(days=30)
"""The time for which a feed says that a shift was cancelled."""

MAX_CANCELLED = 200
"""The most cancelled shifts of a feed; the last ones are kept."""

Stored = Mapping[str, Sequence[Any]]
"""By id of the shift: start and end, summary, number, time of the change, and whether it is cancelled."""


@dataclass(frozen=True, slots=True)
class FeedShift:
    """A time in which a person is on call by a schedule, with the names of both."""

    schedule_id: UUID
    schedule_name: str
    user_id: UUID
    user_name: str
    starts_at: datetime
    ends_at: datetime

    @property
    def uid(self) -> UUID:
        """The id of the shift in calendars."""
        return uid(self.schedule_id, self.user_id, self.starts_at)


def events(stored: Stored, present: Sequence[tuple[FeedShift, str]], since: datetime, now: datetime) -> list[Event]:
    """Returns the events of a feed by their start: the present shifts with their summaries, and those that vanished.

    `since` is the beginning of the feed: a shift that ended before has not vanished, it is over.
    """
    before = {each.uid: each for each in _read(stored)}
    found = [_present(shift, summary, before.pop(shift.uid, None), now) for shift, summary in present]
    gone = [_cancelled(each, now) for each in before.values() if each.ends_at > since]
    kept = [each for each in gone if each.modified_at > now - CANCELLED_FOR]
    kept = sorted(kept, key=lambda each: each.modified_at)[-MAX_CANCELLED:]
    return sorted([*found, *kept], key=lambda each: (each.starts_at, str(each.uid)))


def record(events: Sequence[Event]) -> dict[str, list[Any]]:
    """Returns the events as JSON."""
    return {
        str(each.uid): [
            each.starts_at.timestamp(), each.ends_at.timestamp(), each.summary, each.sequence,
            each.modified_at.timestamp(), each.is_cancelled,
        ]
        for each in events
    }  # fmt: skip


def _read(stored: Stored) -> Iterator[Event]:
    for key, (starts, ends, summary, sequence, modified, is_cancelled) in stored.items():
        begins, until, at = (datetime.fromtimestamp(each, UTC) for each in (starts, ends, modified))
        yield Event(UUID(key), begins, until, summary, sequence, at, is_cancelled)


def _present(shift: FeedShift, summary: str, before: Event | None, now: datetime) -> Event:
    found = Event(shift.uid, shift.starts_at, shift.ends_at, summary, 0, now.replace(microsecond=0))
    if before is None:
        return found
    if (before.starts_at, before.ends_at, before.summary, before.is_cancelled) == (
        found.starts_at, found.ends_at, summary, False,
    ):  # fmt: skip
        return before
    return replace(found, sequence=before.sequence + 1)


def _cancelled(event: Event, now: datetime) -> Event:
    if event.is_cancelled:
        return event
    return replace(event, is_cancelled=True, sequence=event.sequence + 1, modified_at=now.replace(microsecond=0))
