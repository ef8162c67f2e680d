"""Hours, nights and weekends of people on call (specification 23.15)."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from inbox.domain.oncall.statistics import Figures, Responses, Served, figures, responses
from tests.domain.oncall.layers import ANA, BEN, at

BERLIN, TOKYO = ZoneInfo("Europe/Berlin"), ZoneInfo("Asia/Tokyo")
START, END = at("2026-01-01 00:00"), at("2026-12-01 00:00")
HOUR = timedelta(hours=1)


def served(begins: str, ends: str, user: object = ANA, zone: ZoneInfo = BERLIN) -> Served:
    return Served(user, zone, at(begins), at(ends))  # type: ignore[arg-type]


def one(*times: Served) -> Figures:
    [found] = figures(times, START, END)
    return found


@pytest.mark.parametrize(
    ("begins", "ends", "nights"),
    [
        ("2026-01-05 05:00", "2026-01-05 21:00", 0),  # 06:00 to 22:00 in Berlin
        ("2026-01-05 04:59", "2026-01-05 21:00", 1),
        ("2026-01-05 05:00", "2026-01-05 21:01", 1),
        ("2026-01-05 21:00", "2026-01-06 05:00", 1),
        ("2026-01-05 08:00", "2026-01-12 08:00", 7),
        ("2026-10-24 20:00", "2026-10-25 05:00", 1),  # a night of 9 hours
    ],
)
def test_a_night_counts_with_any_part_of_it(begins: str, ends: str, nights: int) -> None:
    assert one(served(begins, ends)).nights == nights


def test_a_night_counts_once_for_two_shifts_and_two_schedules() -> None:
    evening, morning = served("2026-01-05 21:00", "2026-01-05 22:00"), served("2026-01-06 03:00", "2026-01-06 04:00")

    found = one(evening, morning, served("2026-01-05 21:30", "2026-01-05 22:30"))

    assert (found.nights, found.shifts, found.on_call) == (1, 3, 2.5 * HOUR)


def test_a_night_is_one_of_the_zone_of_the_schedule() -> None:
    assert one(served("2026-01-05 13:00", "2026-01-05 14:00", zone=TOKYO)).nights == 1
    assert one(served("2026-01-05 13:00", "2026-01-05 14:00")).nights == 0


@pytest.mark.parametrize(
    ("begins", "ends", "hours"),
    [
        ("2026-01-09 08:00", "2026-01-12 08:00", 48),
        ("2026-01-09 22:00", "2026-01-09 23:00", 0),  # until midnight of Saturday
        ("2026-01-09 22:30", "2026-01-09 23:30", 0.5),
        ("2026-10-23 08:00", "2026-10-27 08:00", 49),  # clocks go back
        ("2026-03-27 08:00", "2026-03-31 08:00", 47),
    ],
)
def test_a_weekend_is_saturday_and_sunday(begins: str, ends: str, hours: float) -> None:
    assert one(served(begins, ends)).weekends == hours * HOUR


def test_times_are_cut_at_the_ends_of_the_period() -> None:
    found = one(served("2025-12-31 12:00", "2026-01-01 03:00"), served("2026-11-30 23:00", "2026-12-24 00:00"))

    assert (found.on_call, found.nights, found.shifts) == (4 * HOUR, 2, 2)
    assert figures([served("2026-12-02 00:00", "2026-12-03 00:00")], START, END) == []


def test_people_are_sorted_by_their_time() -> None:
    times = [served("2026-01-05 08:00", "2026-01-05 09:00"), served("2026-01-05 08:00", "2026-01-05 10:00", BEN)]

    assert [each.user_id for each in figures(times, START, END)] == [BEN, ANA]


def test_responses_count_from_the_first_page_of_an_incident() -> None:
    one, two, three = (UUID(int=number) for number in (1, 2, 3))
    start = at("2026-01-05 12:00")
    pages = [
        (ANA, one, start + HOUR, start + 2 * HOUR),
        (ANA, one, start, start + 2 * HOUR),
        (ANA, two, start, start + 4 * HOUR),
        (ANA, three, start, None),
        (BEN, three, start, None),
    ]

    found = responses(pages)

    assert found == {ANA: Responses(4, 2, 3 * HOUR), BEN: Responses(1, 0, None)}
