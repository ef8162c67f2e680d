"""Changed shifts of a calendar feed get a higher number, and vanished ones are cancelled (specification 23.14)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from inbox.domain.oncall import feed_memory
from inbox.domain.oncall.calendar import Event
from inbox.domain.oncall.feed_memory import CANCELLED_FOR, MAX_CANCELLED, FeedShift

NOW = datetime(2026, 10, 26, 8, tzinfo=UTC)
DAY = timedelta(days=1)
SINCE = NOW - 15 * DAY


def shift(start: datetime = NOW, days: float = 1, user: int = 7) -> FeedShift:
    return FeedShift(UUID(int=1), "Backend", UUID(int=user), "Mia", start, start + days * DAY)


def serve(stored: Any, shifts: Sequence[FeedShift], now: datetime = NOW, summary: str = "On call") -> list[Event]:
    return feed_memory.events(stored, [(each, summary) for each in shifts], SINCE, now)


def stored(events: Sequence[Event]) -> Any:
    return json.loads(json.dumps(feed_memory.record(events)))


def test_an_unchanged_feed_stays_as_it_was() -> None:
    first = serve({}, [shift(), shift(NOW + DAY)])

    again = serve(stored(first), [shift(), shift(NOW + DAY)], NOW + DAY)

    assert again == first
    assert stored(again) == stored(first)
    assert {each.sequence for each in again} == {0}


@pytest.mark.parametrize(("days", "summary"), [(2, "On call"), (1, "On call: Renamed")])
def test_a_changed_shift_has_the_next_number(days: float, summary: str) -> None:
    later = NOW + timedelta(hours=1)

    [found] = serve(stored(serve({}, [shift()])), [shift(days=days)], later, summary)

    assert (found.uid, found.sequence, found.modified_at) == (shift().uid, 1, later)


def test_a_vanished_shift_is_cancelled_once_and_returns_with_a_higher_number() -> None:
    first, later = stored(serve({}, [shift(), shift(NOW + DAY)])), NOW + timedelta(hours=1)

    second = serve(first, [shift()], later)
    third = serve(stored(second), [shift()], later + DAY)
    fourth = serve(stored(third), [shift(), shift(NOW + DAY)], later + 2 * DAY)

    assert [(each.is_cancelled, each.sequence) for each in second] == [(False, 0), (True, 1)]
    assert third == second
    assert [(each.is_cancelled, each.sequence) for each in fourth] == [(False, 0), (False, 2)]


@pytest.mark.parametrize(("after", "shown"), [(CANCELLED_FOR - DAY / 86_400, 1), (CANCELLED_FOR, 0)])
def test_a_cancelled_shift_is_forgotten_after_thirty_days(after: timedelta, shown: int) -> None:
    cancelled = serve(stored(serve({}, [shift(days=90)])), [])

    assert len(serve(stored(cancelled), [], NOW + after)) == shown


@pytest.mark.parametrize(("ends", "shown"), [(SINCE, 0), (SINCE + DAY / 86_400, 1)])
def test_a_shift_before_the_beginning_of_the_feed_is_over_and_not_cancelled(ends: datetime, shown: int) -> None:
    before = stored(serve({}, [shift(ends - DAY)]))

    assert len(serve(before, [])) == shown


@pytest.mark.parametrize("count", [MAX_CANCELLED - 1, MAX_CANCELLED, MAX_CANCELLED + 1])
def test_the_last_cancelled_shifts_are_kept(count: int) -> None:
    many = stored(serve({}, [shift(user=user) for user in range(count)]))

    assert len(serve(many, [])) == min(count, MAX_CANCELLED)
