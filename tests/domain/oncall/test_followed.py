"""Events of an external calendar become shifts of members (specification 23.20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from inbox.domain.oncall.followed import (
    MAX_AT_ONCE,
    CalendarShift,
    Changes,
    Matching,
    Occurrence,
    Reachable,
    TooManyEvents,
    changes,
    shifts_of,
)

HOUR = timedelta(hours=1)
NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)
ANA, BOB, CY = (UUID(int=number) for number in (1, 2, 3))
MEMBERS = (Reachable(ANA, "Ana Lee", "ana@example.com"), Reachable(BOB, "Bob", "bob@example.com"))


def occurrence(*names: str, at: int = 0, hours: int = 1, level: int = 0, guests: tuple[str, ...] = ()) -> Occurrence:
    return Occurrence(NOON + at * HOUR, NOON + (at + hours) * HOUR, level, names, guests)


def shift(at: int, until: int, *people: UUID) -> CalendarShift:
    return CalendarShift(NOON + at * HOUR, NOON + until * HOUR, people)


@pytest.mark.parametrize(
    ("names", "guests", "people", "unmatched"),
    [
        (("ana@example.com",), (), (ANA,), []),
        (("ANA@Example.com",), (), (ANA,), []),
        (("ana  lee",), (), (ANA,), []),
        (("Bob", "Ana Lee"), (), (ANA, BOB), []),
        (("Bob", "Zoe"), (), (BOB,), ["Zoe"]),
        (("Zoe",), (), (), ["Zoe"]),
        (("Primary",), ("bob@example.com",), (BOB,), []),
        (("Ana Lee",), ("bob@example.com",), (ANA,), []),
        ((), (), (), [""]),
    ],
)
def test_an_event_names_members_by_address_or_name(
    names: tuple[str, ...], guests: tuple[str, ...], people: tuple[UUID, ...], unmatched: list[str]
) -> None:
    matching = Matching(MEMBERS)

    found = shifts_of([occurrence(*names, guests=guests)], matching)

    assert found == ([shift(0, 1, *people)] if people else [])
    assert list(matching.unmatched) == unmatched


def test_a_name_of_two_members_matches_neither() -> None:
    matching = Matching([*MEMBERS, Reachable(CY, "bob", "cy@example.com")])

    assert shifts_of([occurrence("Bob")], matching) == []
    assert list(matching.unmatched) == ["Bob"]


def test_events_of_one_level_are_on_call_together_and_a_higher_level_hides_them() -> None:
    found = shifts_of(
        [occurrence("Ana Lee", hours=4), occurrence("Bob", at=1, hours=3), occurrence("Bob", at=2, level=1)],
        Matching(MEMBERS),
    )

    assert found == [shift(0, 1, ANA), shift(1, 2, ANA, BOB), shift(2, 3, BOB), shift(3, 4, ANA, BOB)]


def test_a_lower_level_shows_through_an_event_that_names_nobody() -> None:
    found = shifts_of([occurrence("Ana Lee", hours=3), occurrence("Zoe", at=1, level=2)], Matching(MEMBERS))

    assert found == [shift(0, 3, ANA)]


def test_adjoining_events_of_a_person_are_one_shift() -> None:
    assert shifts_of([occurrence("Bob"), occurrence("Bob", at=1)], Matching(MEMBERS)) == [shift(0, 2, BOB)]


@pytest.mark.parametrize("count", [MAX_AT_ONCE, MAX_AT_ONCE + 1])
def test_events_at_one_time_are_bounded(count: int) -> None:
    events = [occurrence("Bob")] * count
    if count > MAX_AT_ONCE:
        with pytest.raises(TooManyEvents):
            shifts_of(events, Matching(MEMBERS))
    else:
        assert shifts_of(events, Matching(MEMBERS)) == [shift(0, 1, BOB)]


def test_a_reading_changes_the_future_alone() -> None:
    stored = [shift(-2, 2, ANA), shift(2, 4, BOB), shift(4, 6, ANA)]
    read = [shift(-2, 1, ANA), shift(1, 4, BOB), shift(4, 6, ANA)]

    assert changes(stored, read, NOON) == Changes(
        ended=[shift(-2, 2, ANA)], removed=[shift(2, 4, BOB)], added=[shift(0, 1, ANA), shift(1, 4, BOB)]
    )
    assert not changes(stored, [shift(-9, 2, ANA), *stored[1:]], NOON)
